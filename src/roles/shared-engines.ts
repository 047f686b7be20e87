import { connectEventStore } from '../adapters/eventstoredb/event-store.ts';
import type { EventStoreServer } from '../adapters/eventstoredb/server-url.ts';
import type { MongoAddress } from '../adapters/mongodb/address.ts';
import { lockDataDirectory } from '../adapters/sqlite/data-directory.ts';
import { followMails } from '../application/mail-watch.ts';
import { readableStore } from '../application/unread-events.ts';
import type { Config } from '../config.ts';
import { deliveryCodec } from '../domain/delivery/decider.ts';
import { LONGEST_ROUND_DAYS } from '../domain/delivery/schedule.ts';
import { watchEngines } from './engine-watch.ts';
import type { Engines, EnginesContext } from './engines.ts';
import { projectSingly } from './leased-projections.ts';
import { openMongoStores } from './mongo-stores.ts';
import { showVersions, versionGraceMs } from './projection-versions.ts';
import { followProjections } from './shared-projections.ts';
import { inTurn, sharedByLeases, underLeases } from './singly.ts';

/** A subscription that hears nothing looks so often whether the log went on without it: who waits for a position waits for this. */
const QUIET_MS = 250;

/**
 * EventStoreDB and MongoDB, which any number of nodes share. The data directory holds what a node keeps of its own, so
 * that each has one of its own too.
 * @throws StoreUnavailable while an engine is away; StoreRefused, DatabaseNotMigrated, DataDirectoryInUse
 */
export async function openSharedEngines(
  { eventStore, mongodb }: { readonly eventStore: EventStoreServer; readonly mongodb: MongoAddress },
  config: Config,
  { clock, log, holder, unread }: EnginesContext,
): Promise<Engines> {
  await using opened = new AsyncDisposableStack();
  opened.adopt(lockDataDirectory(config.dataDirectory), async (unlock) => unlock());
  const documents = opened.adopt(await openMongoStores(mongodb, clock), (stores) => stores.close());
  const settings = { log, keptDays: keptDays(config), quietMs: QUIET_MS };
  const server = opened.adopt(connectEventStore(eventStore, settings), (it) => it.close());
  await server.head();
  const store = readableStore(server, unread);
  const { readModels, usage, keyUse, leases } = documents;
  const probes = {
    event_store: () => server.healthy(),
    read_models: async () => {
      await readModels.collections();
      return true;
    },
  };
  const watch = opened.adopt(watchEngines(probes, { clock, log }), (it) => it.stop());
  const graceMs = config.roles.has('projector') ? versionGraceMs(config) : null;
  opened.adopt(await showVersions({ readModels, clock, log, graceMs }), (it) => it.stop());
  const leasing = { leases, holder, ttlMs: config.leaseMs, clock, log };
  const singly = underLeases(leasing);
  const lifetime = opened.move();
  const close = (): Promise<void> => lifetime.disposeAsync();
  return {
    stores: { store, readModels, usage, keyUse, close },
    singly,
    exclusively: inTurn(leasing),
    shared: sharedByLeases(leasing),
    answering: () => watch.answering(),
    openProjections: (context) => followProjections({ store, readModels, ...context }),
    project: (context) => projectSingly(singly, { store, readModels, log, ...context }),
    followMails: async (mails) => followMails(mails, await store.head(), { store, log }),
    close,
  };
}

/**
 * For how many days streams of a category are kept (docs/decisions/0025): a delivery that is sent again on its last day in
 * the log must have its first event until that round of attempts has ended.
 */
export function keptDays({ webhookLogDays }: Pick<Config, 'webhookLogDays'>): Readonly<Record<string, number>> {
  return { [deliveryCodec.category]: webhookLogDays + LONGEST_ROUND_DAYS };
}
