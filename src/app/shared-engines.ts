import { PROJECTIONS } from '../../projections/index.ts';
import { connectEventStore } from '../adapters/eventstoredb/event-store.ts';
import type { EventStoreServer } from '../adapters/eventstoredb/server-url.ts';
import type { MongoAddress } from '../adapters/mongodb/address.ts';
import { lockDataDirectory } from '../adapters/sqlite/data-directory.ts';
import { followMails } from '../application/booking/mail-notifier.ts';
import type { Config } from '../config.ts';
import { decodeEvent } from '../domain/codecs.ts';
import { deliveryCodec } from '../domain/delivery/decider.ts';
import { MAX_ROUND_DAYS } from '../domain/delivery/schedule.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import { CurrencyCheck } from '../runtime/currency-check.ts';
import { decodedStore } from '../runtime/decoded-store.ts';
import { electByLease } from '../runtime/leader-election.ts';
import { KEPT_CHECKPOINTS } from '../runtime/low-water-checkpoint.ts';
import { openStoredProgress } from '../runtime/stored-progress.ts';
import { openClockCheck } from './clock-check.ts';
import { monitorEngines } from './engine-health.ts';
import type { Engines, EnginesContext } from './engines.ts';
import { openMongoStores } from './mongo-stores.ts';
import { showVersions, versionGraceMs } from './projection-versions.ts';
import { followProjections, runLeasedProjections } from './shared-projections.ts';

/**
 * EventStoreDB and MongoDB, which any number of nodes share. Each node has its own data directory.
 * @throws StoreUnavailable while an engine is unavailable; ClockOff, StoreRefused, DatabaseNotMigrated, DataDirectoryInUse
 */
export async function openSharedEngines(
  { eventStore, mongodb }: { readonly eventStore: EventStoreServer; readonly mongodb: MongoAddress },
  config: Config,
  { clock, log, holder, unknownEvents }: EnginesContext,
): Promise<Engines> {
  await using opened = new AsyncDisposableStack();
  opened.adopt(lockDataDirectory(config.dataDirectory), async (unlock) => unlock());
  const documents = opened.adopt(await openMongoStores(mongodb, clock), (stores) => stores.close());
  const { promise: replaced, resolve } = Promise.withResolvers<Error>();
  let eventLog: true | string = true;
  const onReplaced = (fault: Error): void => {
    eventLog = fault.message;
    resolve(fault);
  };
  const { streamPrefix } = config;
  const settings = { log, keptDays: keptDays(config), keptEvents: KEPT_CHECKPOINTS, streamPrefix, onReplaced };
  const server = opened.adopt(connectEventStore(eventStore, settings), (it) => it.close());
  await server.checkVersion();
  await server.head();
  const decoded = opened.adopt(decodedStore(server, { decode: decodeEvent, unknownEvents }), (it) => it.close());
  const currencyCheck = new CurrencyCheck({ store: server, follower: decoded.follower, log });
  opened.defer(() => currencyCheck.stop());
  const store: DecodedEventStore = {
    ...decoded,
    async head() {
      const head = await decoded.head();
      // The caller waits for it, and it may be the position of an event that this process does not follow.
      currencyCheck.passSoon(head);
      return head;
    },
  };
  const { readModels, rateLimiter, mailLimiter, exposure, statistics, snapshots, erasures, leases } = documents;
  const clockCheck = await openClockCheck({ serverMs: documents.serverMs, ttlMs: config.leaseMs, log });
  opened.adopt(clockCheck.watch(), (it) => it.stop());
  const probes = {
    event_store: () => currencyCheck.read(),
    read_models: () => clockCheck.answers(),
  };
  const health = opened.adopt(monitorEngines(probes, { clock, log }), (it) => it.stop());
  const graceMs = config.roles.has('projector') ? versionGraceMs(config) : null;
  opened.adopt(await showVersions({ readModels, clock, log, graceMs, alone: false }), (it) => it.stop());
  const leasing = { leases, holder, ttlMs: config.leaseMs, clock, clockCheck, log };
  const election = electByLease(leasing);
  const progress = opened.adopt(await openStoredProgress(PROJECTIONS, { store, readModels }), (it) => it.stop());
  const projecting = { store, readModels, progress };
  const lifetime = opened.move();
  const close = (): Promise<void> => lifetime.disposeAsync();
  return {
    stores: { store, readModels, rateLimiter, mailLimiter, exposure, statistics, snapshots, close },
    erasures,
    ...election,
    replaced,
    answering: () => ({ ...health.answering(), event_log: eventLog, clock: clockCheck.fault ?? true }),
    currencyOf: (reader) => currencyCheck.of(reader),
    passSoon: (position) => currencyCheck.passSoon(position),
    openProjections: async (context) => followProjections({ ...projecting, ...context }),
    project: (context) => runLeasedProjections(election.runAsLeader, { ...projecting, log, ...context }),
    leases: async () => ({ holder, held: await leases.list() }),
    followMails: async (mails) => followMails(mails, await store.head(), { store, log }),
    close,
  };
}

/**
 * Days for which streams of a category are kept (docs/decisions/0025). A delivery that is resent on its last day must keep
 * its first event until that round of attempts has ended.
 */
export function keptDays({ webhookLogDays }: Pick<Config, 'webhookLogDays'>): Readonly<Record<string, number>> {
  return { [deliveryCodec.category]: webhookLogDays + MAX_ROUND_DAYS };
}
