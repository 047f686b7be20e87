import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { ACTOR_LIMITS } from '../actors/limits.ts';
import { type ActorSystem, createActorSystem } from '../actors/system.ts';
import { openMeteo } from '../adapters/open-meteo/weather.ts';
import { fileClock, systemClock } from '../adapters/system/clock.ts';
import { systemDigest } from '../adapters/system/digest.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { systemSealer } from '../adapters/system/sealer.ts';
import { addressRanges } from '../application/address-ranges.ts';
import { createFailedAttempts } from '../application/failed-attempts.ts';
import { createInFlight } from '../application/in-flight.ts';
import { createMailWatch } from '../application/mail-watch.ts';
import { openStreams, type Streams } from '../application/streams.ts';
import { createUnreadEvents, type UnreadEvents } from '../application/unread-events.ts';
import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { clientAddress } from '../http/client-address.ts';
import type { HttpContext } from '../http/context.ts';
import { toolServerOverHttp } from '../mcp/over-http.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import { openCities } from '../recommend/city-actor.ts';
import { openBackground } from './background.ts';
import { readDealPolicy } from './deal-policy.ts';
import { openEmbeddedEngines } from './embedded-engines.ts';
import type { Engines } from './engines.ts';
import { openCatalogueView, openLiveViews } from './live-views.ts';
import type { Projections } from './projections.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import type { Stores } from './stores.ts';
import { type FirstSupply, openSupply, readFirstSupply } from './supply.ts';
import { openUseCount } from './use-count.ts';
import { openSigningKeys } from './voucher-keys.ts';
import { webhookContext } from './webhooks.ts';

/** A running node without its network: everything behind HTTP, ready to serve. */
export type Node = {
  /** What requests are answered with; null where this node has not the role `api`. */
  readonly context: HttpContext | null;
  readonly secrets: Secrets;
  readonly projections: Projections;
  readonly stores: Stores;
  readonly log: Log;
  /** What must hold for this node to be ready, by name. */
  ready(): Readonly<Record<string, boolean>>;
  /** From now on `/readyz` says that this node is not ready, so that a proxy sends it nothing new. */
  refuseNew(): void;
  /** Answers what was taken, stores checkpoints, gives leases back, closes the stores, gives the data directory back. */
  stop(): Promise<void>;
};

/** What surrounds a node. A test brings a clock that it moves, a log that it reads, a mailer that it answers for. */
export type Surroundings = {
  /** The listening address. */
  readonly url: () => string;
  /** The other end of the connection that a request came on; null where there is none, as within this process. */
  readonly peer?: (request: Request) => string | null;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly mailer?: Mailer;
};

/**
 * The composition root: the only place where ports meet adapters. What is opened later is stopped earlier, so that what is
 * under way in the background still records what came of it.
 * @throws StoreUnavailable while an engine is away, StoreRefused where one keeps us out, UnknownEvent where a newer release
 * wrote what must be read first; nothing stays open then
 */
export async function openNode(config: Config, surroundings: Surroundings): Promise<Node> {
  await using opening = new AsyncDisposableStack();
  const log = surroundings.log ?? systemLog(config.logLevel);
  const clock = surroundings.clock ?? (config.testClock === null ? systemClock : fileClock(config.testClock));
  const ids = systemIds;
  const supply = config.roles.has('api') ? await readFirstSupply(config, log) : null;
  const dealPolicy = config.roles.has('deliverer') ? await readDealPolicy(config) : null;
  const unread = createUnreadEvents(log);
  const engines = opening.adopt(await openEngines(config, { clock, log, ids, unread }), (them) => them.close());
  const { stores } = engines;
  const secrets = openSecrets(config);
  const system = opening.adopt(createActorSystem({ clock, log, limits: ACTOR_LIMITS }), (it) => it.drain());
  const streams = openStreams({ store: stores.store, ids, system });
  const projections = opening.adopt(await engines.openProjections({ streams, clock, ids }), (it) => it.stop());
  if (config.roles.has('projector')) opening.adopt(await engines.project({ streams, clock }), (it) => it.stop());
  let accepting = true;
  const ready = (): Readonly<Record<string, boolean>> => ({
    accepting_requests: accepting,
    ...engines.answering(),
    projections_caught_up: projections.caughtUpOnce(),
    ...Object.fromEntries(unread.types().map((type) => [`reads ${type}`, false])),
  });
  const publicUrl = (): string => config.publicUrl ?? surroundings.url();
  const base = { config, engines, secrets, projections, system, streams, clock, ids, log, publicUrl, ready };
  const { mailer = null, peer = () => null } = surroundings;
  const context = await openServices({ ...base, supply, dealPolicy, mailer, peer }, opening);
  const opened = opening.move();
  return {
    context,
    secrets,
    projections,
    stores,
    log,
    ready,
    refuseNew() {
      accepting = false;
    },
    async stop() {
      accepting = false;
      await opened.disposeAsync();
    },
  };
}

async function openEngines(config: Config, { clock, log, ids, unread }: EnginesOpening): Promise<Engines> {
  const { eventStore, mongodb } = config;
  if (eventStore === null || mongodb === null) return openEmbeddedEngines(config, { clock, log, unread });
  // Only here, so that a node on embedded stores does not wait for the drivers to be loaded.
  const { openSharedEngines } = await import('./shared-engines.ts');
  // The name of the machine is for people; what follows makes it this run's alone.
  const holder = `${hostname()}-${ids.uuid()}`;
  return openSharedEngines({ eventStore, mongodb }, config, { clock, log, holder, unread });
}

type EnginesOpening = {
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Ids;
  readonly unread: UnreadEvents;
};

type Base = {
  readonly config: Config;
  readonly engines: Engines;
  readonly secrets: Secrets;
  readonly projections: Projections;
  readonly system: ActorSystem;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly ready: Node['ready'];
  /** What people edit; null where no requests are answered. */
  readonly supply: FirstSupply | null;
  /** Null where this node makes no flash deals. */
  readonly dealPolicy: DealPolicy | null;
  readonly mailer: Mailer | null;
  readonly peer: (request: Request) => string | null;
};

/** The roles that know the trade: answering requests, and what follows from them. Null where there are no requests. */
async function openServices(base: Base, opening: AsyncDisposableStack): Promise<HttpContext | null> {
  const { config, engines, secrets, projections, system, streams, clock, ids, log, publicUrl, supply } = base;
  const { store, readModels, usage, keyUse } = engines.stores;
  if (supply === null && !config.roles.has('deliverer')) return null;
  const [digest, sealer] = [systemDigest(secrets.secretKey), systemSealer(secrets.secretKey)];
  const viewing = { store, readModels, projections, clock, log };
  const views = supply === null ? null : opening.adopt(await openLiveViews(viewing), (them) => them.stop());
  const catalogue = views?.catalogue ?? opening.adopt(await openCatalogueView(viewing), (it) => it.stop());
  const { exclusively } = engines;
  const selling = { catalogue, store, exclusively, streams, clock, ids, digest, log };
  const kept =
    supply === null
      ? null
      : opening.adopt(await openSupply(supply, config.supplyRefreshMs, selling), (it) => it.stop());
  const signingKeys = await openSigningKeys(sealer, { streams, clock, ids });
  const webhooks = webhookContext({ streams, store, catalogue, clock, ids, digest, sealer, log }, config);
  opening.defer(() => webhooks.sender.close());
  const mails = createMailWatch();
  if (config.roles.has('deliverer')) {
    const { mailer, dealPolicy } = base;
    const deals = { readModels, collection: (name: string) => projections.collection(name), dealPolicy };
    const work = { streams, catalogue, publicUrl, watch: mails, webhooks, signingKeys, mailer, ...deals };
    opening.adopt(await openBackground(engines, work, config), (it) => it.stop());
  }
  if (kept === null || views === null) return null;
  opening.adopt(await engines.followMails(mails), (it) => it.stop());
  const { allotments, groundTruth, keys, devices, passed, candidatesPassed } = views;
  const exchangeRates = () => kept.status().supply.exchangeRates;
  const weather = openMeteo({ baseUrl: config.openMeteoUrl, deadlineMs: config.weatherDeadlineMs, clock, log });
  opening.defer(() => weather.stop());
  const use = opening.adopt(openUseCount({ store: keyUse, run: ids.uuid(), clock, log }), (it) => it.stop());
  const proxies = addressRanges(config.trustedProxies);
  return {
    streams,
    catalogue,
    clock,
    ids,
    digest,
    sealer,
    log,
    publicUrl,
    signingKeys,
    hotels: () => kept.status().supply.hotels,
    supply: kept,
    keys,
    devices,
    readModels,
    usage,
    inFlight: createInFlight(),
    adminToken: secrets.adminToken,
    analystToken: secrets.analystToken,
    limits: {
      daysAhead: config.daysAhead,
      responseMs: config.responseMs,
      claimMs: config.claimMs,
      holdMs: config.holdMs,
      onRequestMs: config.onRequestMs,
    },
    webhooks,
    guestLimits: config.guestLimits,
    weather,
    production: config.production,
    version: packageJson.version,
    mails,
    mailWaitMs: config.mail.waitMs,
    collection: (name) => projections.collection(name),
    waitFor: (name, position, timeoutMs) => projections.waitFor(name, position, timeoutMs),
    passed,
    cities: openCities(system, { catalogue, allotments, groundTruth, exchangeRates }),
    candidatesPassed,
    operations: projections.operations,
    toolServer: toolServerOverHttp(packageJson.version),
    ready: base.ready,
    failedAttempts: createFailedAttempts(config.wrongTokensPerMinute),
    addressOf: (request) => clientAddress(base.peer(request), request.headers.get('x-forwarded-for'), proxies),
    use,
  };
}
