import packageJson from '../../package.json' with { type: 'json' };
import { PROJECTIONS } from '../../projections/index.ts';
import { ACTOR_LIMITS } from '../actors/limits.ts';
import { type ActorSystem, createActorSystem } from '../actors/system.ts';
import { openMeteo } from '../adapters/open-meteo/weather.ts';
import { openPngRenderer } from '../adapters/resvg/png-renderer.ts';
import { fileClock, systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { createMailNotifier } from '../application/booking/mail-notifier.ts';
import { exposureContext } from '../application/exposure/counters.ts';
import { createInFlight } from '../application/in-flight.ts';
import { addressRanges } from '../application/key/address-ranges.ts';
import { createThrottles } from '../application/key/address-throttle.ts';
import { LiveUpdates } from '../application/live/live-updates.ts';
import { createEvaluations } from '../application/ops/evaluate.ts';
import type { ReaderItem } from '../application/ops/parked-items.ts';
import { openStreams, type Streams } from '../application/streams.ts';
import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { defaultModel } from '../domain/recommendation/ranking-model.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Checks, HttpContext } from '../http/context.ts';
import { overTls } from '../http/over-tls.ts';
import { toolServerOverHttp } from '../mcp/over-http.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import { openPreparedCities } from '../recommend/city-actor.ts';
import { assertInLog } from '../runtime/checkpoints.ts';
import { pause } from '../runtime/running.ts';
import { createUnknownEvents } from '../runtime/unknown-events.ts';
import { readDealPolicy } from './deal-policy.ts';
import type { Stores } from './embedded-stores.ts';
import type { Engines, Projections } from './engines.ts';
import { applyLedger, erasingOf } from './erasures.ts';
import { logFilling } from './filling-log.ts';
import { openCatalogueView, openLiveViews } from './live-views.ts';
import { openEngines } from './open-engines.ts';
import { type NodeParking, openParking } from './parking.ts';
import { openProcessManagers } from './process-managers.ts';
import { projectionWaits } from './projection-waits.ts';
import { readersAndLeases } from './readers-and-leases.ts';
import { type ReadinessLog, readinessLog } from './readiness-log.ts';
import { openRequestStatistics } from './request-statistics.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { openSnapshotting } from './snapshots.ts';
import { type FirstSupply, openSupply, readFirstSupply } from './supply-refresh.ts';
import { viewCurrency } from './view-currency.ts';
import { openSigningKeys } from './voucher-keys.ts';
import { webhookContext } from './webhooks.ts';

/** A running node without its HTTP server. */
export type Node = {
  /** Dependencies of the HTTP layer; null if this node does not have the role `api`. */
  readonly context: HttpContext | null;
  readonly secrets: Secrets;
  readonly projections: Projections;
  readonly stores: Stores;
  readonly log: Log;
  /** What the readers of this node left out and no operator skipped. */
  readonly parked: () => readonly ReaderItem[];
  /** Readiness checks by name. Logs a change. */
  ready(): Checks;
  /** Resolves with the reason when this node can no longer serve and must be stopped and opened again. */
  readonly failed: Promise<Error>;
  /** From now on `/readyz` answers 503, so that a proxy sends no new requests. */
  refuseNew(): void;
  /** Answers accepted requests, stores checkpoints, releases leases, closes the stores, unlocks the data directory. */
  stop(): Promise<void>;
};

/** The environment of a node. Tests override clock, log and mailer. */
export type Overrides = {
  /** The listening address. */
  readonly url: () => string;
  /** The peer address of a request's connection; null for requests made within this process. */
  readonly peer?: (request: Request) => string | null;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly logReadiness?: ReadinessLog;
  /** Called with the readiness checks while the node still opens: it reads what the projections fill. */
  readonly opening?: (checks: () => Checks) => void;
  readonly mailer?: Mailer;
};

/**
 * The composition root. Stops in the reverse order of opening, so that background work can still record its outcomes.
 * If it throws, nothing stays open.
 * @throws StoreUnavailable while an engine is unavailable; CheckpointNotInLog if the read models do not belong to this
 * log; StoreRefused if an engine denies access; UnknownEvent if a live view needs an event of a newer release
 */
export async function openNode(config: Config, overrides: Overrides): Promise<Node> {
  await using opening = new AsyncDisposableStack();
  const log = overrides.log ?? systemLog(config.logLevel);
  const clock = overrides.clock ?? (config.testClock === null ? systemClock : fileClock(config.testClock));
  const ids = systemIds;
  const supply = config.roles.has('api') ? await readFirstSupply(config, log) : null;
  const dealPolicy = config.roles.has('deliverer') ? await readDealPolicy(config) : null;
  const unknownEvents = createUnknownEvents(log);
  const engines = opening.adopt(await openEngines(config, { clock, log, ids, unknownEvents }), (them) => them.close());
  const { stores } = engines;
  await assertInLog(PROJECTIONS, { ...stores, log });
  const system = opening.adopt(createActorSystem({ clock, log, limits: ACTOR_LIMITS }), (it) => it.drain());
  const snapshots = opening.adopt(openSnapshotting({ store: stores.snapshots, clock, log }), (it) => it.stop());
  const streams = openStreams({ store: stores.store, ids, system, snapshots });
  const secrets = await openSecrets(config, { streams, clock, ids, log });
  const openedParking = await openParking({ store: stores.store, streams, clock, ids, log });
  const parking = opening.adopt(openedParking, (it) => it.stop());
  const projecting = { streams, parking, clock };
  const projections = opening.adopt(await engines.openProjections({ ...projecting, ids }), (it) => it.stop());
  if (config.roles.has('projector')) opening.adopt(await engines.project(projecting), (it) => it.stop());
  let accepting = true;
  const { logReadiness = readinessLog(log) } = overrides;
  const checks = (): Checks => ({
    accepting_requests: accepting,
    ...engines.answering(),
    projections_caught_up: projections.filling() ?? true,
    ...Object.fromEntries(unknownEvents.types().map((type) => [`reads ${type}`, false])),
    ...Object.fromEntries(unknownEvents.stoppedReaders()),
    ...Object.fromEntries(parking.onNode().full),
  });
  const ready = (): Checks => logReadiness(checks());
  overrides.opening?.(checks);
  opening.adopt(logFilling(projections, log), (it) => it.stop());
  // It may wait for the read models: /readyz says so meanwhile.
  opening.adopt(await applyLedger({ engines, projections, streams, clock, ids, log }, config), (it) => it.stop());
  const publicUrl = (): string => config.publicUrl ?? overrides.url();
  const parked = (): readonly ReaderItem[] => parking.onNode().items;
  const services = { engines, secrets, projections, parking, parked, system, streams };
  const base = { config, ...services, clock, ids, log, publicUrl, ready };
  const { mailer = null, peer = () => null } = overrides;
  const context = await openServices({ ...base, supply, dealPolicy, mailer, peer }, opening);
  const opened = opening.move();
  return {
    context,
    secrets,
    projections,
    stores,
    log,
    parked,
    ready,
    failed: engines.replaced,
    refuseNew() {
      accepting = false;
      context?.live.refuseNew();
    },
    async stop() {
      accepting = false;
      await opened.disposeAsync();
    },
  };
}

type Base = {
  readonly config: Config;
  readonly engines: Engines;
  readonly secrets: Secrets;
  readonly projections: Projections;
  readonly parking: NodeParking;
  readonly parked: Node['parked'];
  readonly system: ActorSystem;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly ready: Node['ready'];
  /** The catalogue and exchange rates; null if this node does not have the role `api`. */
  readonly supply: FirstSupply | null;
  /** Null if this node makes no flash deals. */
  readonly dealPolicy: DealPolicy | null;
  readonly mailer: Mailer | null;
  readonly peer: (request: Request) => string | null;
};

/** Opens the roles `api` and `deliverer`. Null if this node does not have the role `api`. */
async function openServices(base: Base, opening: AsyncDisposableStack): Promise<HttpContext | null> {
  const { config, engines, secrets, projections, system, streams, clock, ids, log, publicUrl, supply } = base;
  const { store, readModels, rateLimiter, exposure, statistics } = engines.stores;
  if (supply === null && !config.roles.has('deliverer')) return null;
  const { digest, sealer } = secrets;
  const viewing = { store, readModels, projections, parking: base.parking, clock, log };
  const views = supply === null ? null : opening.adopt(await openLiveViews(viewing), (them) => them.stop());
  const catalogue = views?.catalogue ?? opening.adopt(await openCatalogueView(viewing), (it) => it.stop());
  const selling = { catalogue, store, runExclusively: engines.runExclusively, streams, clock, ids, digest, log };
  const refreshed = supply === null ? null : await openSupply(supply, config.supplyRefreshMs, selling);
  const kept = refreshed === null ? null : opening.adopt(refreshed, (it) => it.stop());
  const signingKeys = await openSigningKeys(sealer, { streams, clock, ids });
  const webhooks = webhookContext({ streams, store, catalogue, clock, ids, digest, sealer, log }, config);
  opening.defer(() => webhooks.sender.close());
  const mails = createMailNotifier();
  if (config.roles.has('deliverer'))
    await openDeliverer(base, { catalogue, notifier: mails, webhooks, signingKeys }, opening);
  if (kept === null || views === null) return null;
  opening.adopt(await engines.followMails(mails), (it) => it.stop());
  const { allotments, testAllotments, groundTruth, experiments, keys, devices, operators } = views;
  const { endedSessions, passed, candidatesPassed } = views;
  const exchangeRates = () => kept.status().supply.exchangeRates;
  const weather = openMeteo({ baseUrl: config.openMeteoUrl, deadlineMs: config.weatherDeadlineMs, clock, log });
  opening.defer(() => weather.stop());
  const counting = openRequestStatistics({ store: statistics, run: ids.uuid(), clock, log });
  const requestStatistics = opening.adopt(counting, (it) => it.stop());
  const proxies = addressRanges(config.trustedProxies);
  const known = { keys, devices, operators, endedSessions };
  const admission = {
    ...known,
    clock,
    digest,
    currency: viewCurrency(engines, views),
    adminToken: secrets.adminToken,
    analystToken: secrets.analystToken,
    throttles: createThrottles({ wrongPerMinute: config.wrongTokensPerMinute }),
  };
  const watching = { ...admission, projections: PROJECTIONS, readModels, checks: base.ready, log, wait: pause };
  return {
    ...admission,
    live: opening.adopt(new LiveUpdates(watching), (it) => it.stop()),
    streams,
    catalogue,
    allotments,
    ids,
    sealer,
    log,
    publicUrl,
    signingKeys,
    hotels: () => kept.status().supply.hotels,
    hotelsOf: (keyId) => keys.get(keyId)?.hotelIds ?? [],
    supply: kept,
    readModels,
    positions: store.positions,
    rateLimiter,
    inFlight: createInFlight(),
    limits: {
      daysAhead: config.daysAhead,
      responseMs: config.responseMs,
      claimMs: config.claimMs,
      holdMs: config.holdMs,
      onRequestMs: config.onRequestMs,
    },
    exposure: exposureContext(keys, exposure),
    spending: { limitsOf: (keyId) => keys.get(keyId)?.limits ?? null, exchangeRates, store },
    webhooks,
    guestLimits: config.guestLimits,
    rankingModel: defaultModel(config.explorationPercent),
    experiments,
    weather,
    production: config.production,
    corsOrigins: config.corsOrigins,
    hasPages: config.hasPages,
    supportContact: config.supportContact,
    pngRenderer: opening.adopt(openPngRenderer(log), (it) => it.stop()),
    version: packageJson.version,
    mails,
    mailWaitMs: config.mail.waitMs,
    collection: (name) => projections.collection(name),
    ...projectionWaits(engines, projections, store),
    passed,
    cities: await openPreparedCities(system, { catalogue, allotments, testAllotments, groundTruth, exchangeRates }),
    testAllotments,
    candidatesPassed(position, timeoutMs) {
      engines.passSoon(position);
      return candidatesPassed(position, timeoutMs);
    },
    erasing: { ledger: engines.erasures, ...erasingOf(config) },
    operations: projections.operations,
    evaluations: opening.adopt(createEvaluations({ store, clock, takeLease: engines.takeLease }), (it) => it.stop()),
    ...readersAndLeases(engines, config),
    parked: base.parked,
    toolServer: toolServerOverHttp(packageJson.version),
    ready: base.ready,
    addressOf: (request) => clientAddress(base.peer(request), request.headers.get('x-forwarded-for'), proxies),
    overTls: overTls({ tls: config.tls, production: config.production, peer: base.peer, proxies }),
    requestStatistics,
  };
}

type DelivererParts = Pick<
  Parameters<typeof openProcessManagers>[1],
  'catalogue' | 'notifier' | 'webhooks' | 'signingKeys'
>;

async function openDeliverer(base: Base, parts: DelivererParts, opening: AsyncDisposableStack): Promise<void> {
  const { config, engines, projections, streams, publicUrl, mailer, dealPolicy, parking } = base;
  const { store, readModels, mailLimiter } = engines.stores;
  const { resealing } = base.secrets;
  const collection = (name: string) => projections.collection(name);
  const { caughtUp } = projectionWaits(engines, projections, store);
  const deals = { readModels, collection, caughtUp, dealPolicy };
  const others = { streams, parking, publicUrl, mailLimiter, mailer, resealing, erasures: engines.erasures };
  const work = { ...parts, ...others, ...deals };
  opening.adopt(await openProcessManagers(engines, work, config), (it) => it.stop());
}
