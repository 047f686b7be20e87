import packageJson from '../../package.json' with { type: 'json' };
import { activitiesProjection } from '../../projections/activities/projection.ts';
import { devicesProjection } from '../../projections/devices/projection.ts';
import { PROJECTIONS } from '../../projections/index.ts';
import { keysProjection } from '../../projections/keys/projection.ts';
import { type LiveView, openLiveView } from '../../projections/live-view.ts';
import { ACTOR_LIMITS } from '../actors/limits.ts';
import { createActorSystem } from '../actors/system.ts';
import { openMeteo } from '../adapters/open-meteo/weather.ts';
import { fileClock, systemClock } from '../adapters/system/clock.ts';
import { systemDigest } from '../adapters/system/digest.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { systemSealer } from '../adapters/system/sealer.ts';
import { createInFlight } from '../application/in-flight.ts';
import { listCatalogue } from '../application/list-catalogue.ts';
import { openStreams } from '../application/streams.ts';
import type { Config } from '../config.ts';
import type { Activity } from '../domain/activity/activity.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { HttpContext } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import { openMailSender } from './mail-sender.ts';
import { projectHere, projectInThread, type RunningProjections } from './projector.ts';
import { runReaper } from './reaper.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { openStores, type Stores } from './stores.ts';
import { readSupply } from './supply.ts';
import { openSigningKeys } from './voucher-keys.ts';
import { runVoucherMails } from './voucher-mails.ts';
import { openWebhooks } from './webhooks.ts';

/** A running node without its network: everything behind HTTP, ready to serve. */
export type Node = {
  readonly context: HttpContext;
  readonly secrets: Secrets;
  readonly projector: RunningProjections;
  readonly stores: Stores;
  readonly log: Log;
  /** From now on `/readyz` says that this node is not ready, so that a proxy sends it nothing new. */
  refuseNew(): void;
  /** Answers what was taken, stores checkpoints, closes the stores, gives the data directory back. */
  stop(): Promise<void>;
};

/** What surrounds a node. A test brings a clock that it moves, a log that it reads, a mailer that it answers for. */
export type Surroundings = {
  /** The listening address. */
  readonly url: () => string;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly mailer?: Mailer;
};

/** The composition root: the only place where ports meet adapters. */
export async function openNode(config: Config, surroundings: Surroundings): Promise<Node> {
  const { activities, hotels, exchangeRates } = await readSupply(config);
  const stores = openStores(config);
  const { store, readModels, usage } = stores;
  const secrets = openSecrets(config);
  const log = surroundings.log ?? systemLog(config.logLevel);
  const clock = surroundings.clock ?? (config.testClock === null ? systemClock : fileClock(config.testClock));
  const [ids, digest, sealer] = [systemIds, systemDigest(secrets.secretKey), systemSealer(secrets.secretKey)];
  const system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  const streams = openStreams({ store, ids, system });
  const projector = config.projectorThread
    ? await projectInThread(stores, config.logLevel)
    : await projectHere(stores, log);
  const view = <Doc extends object>(
    projection: Projection<Doc>,
    indexOf?: (doc: Doc) => string | null,
  ): Promise<LiveView<Doc>> =>
    openLiveView({
      projection,
      collection: projector.collection(projection.name),
      store,
      readModels,
      log,
      ...(indexOf && { indexOf }),
    });
  const catalogue = await view(activitiesProjection);
  const keys = await view(keysProjection, (key) => key.hash);
  const devices = await view(devicesProjection, (device) => device.hash);
  const passed = async (position: Parameters<HttpContext['passed']>[0]): Promise<void> => {
    await Promise.all([catalogue.passed(position), keys.passed(position), devices.passed(position)]);
  };
  const change = await bringCatalogueUpToDate(activities, catalogue, { streams, clock, ids, digest });
  if (change.position !== null) await passed(change.position);
  const { listed, retired } = change;
  log.info('catalogue loaded', { activities: activities.length, hotels: hotels.size, listed, retired });
  const signingKeys = await openSigningKeys(sealer, { streams, clock, ids });
  const weather = openMeteo({ baseUrl: config.openMeteoUrl, deadlineMs: config.weatherDeadlineMs, clock, log });
  const reaper = await runReaper({ store, streams, clock, ids, log, intervalMs: config.reaperMs });
  const webhooks = await openWebhooks({ streams, store, catalogue, clock, ids, digest, sealer, log }, config);
  const publicUrl = (): string => config.publicUrl ?? surroundings.url();
  const sender = openMailSender(config, surroundings.mailer ?? null, log);
  const mailing = { store, streams, catalogue, clock, ids, log, publicUrl, sender, config: config.mail };
  const voucherMails = await runVoucherMails({ ...mailing, signingKey: signingKeys.current });
  let stopping = false;

  const context: HttpContext = {
    streams,
    catalogue,
    hotels,
    exchangeRates,
    keys,
    devices,
    clock,
    ids,
    digest,
    sealer,
    log,
    readModels,
    usage,
    signingKeys,
    inFlight: createInFlight(),
    adminToken: secrets.adminToken,
    analystToken: secrets.analystToken,
    limits: { daysAhead: config.daysAhead, responseMs: config.responseMs, claimMs: config.claimMs },
    webhooks: webhooks.context,
    guestLimits: config.guestLimits,
    weather,
    production: config.production,
    version: packageJson.version,
    publicUrl,
    mails: voucherMails.watch,
    mailWaitMs: config.mail.waitMs,
    collection: (name) => projector.collection(name),
    waitFor: (name, position, timeoutMs) => projector.waitFor(name, position, timeoutMs),
    passed,
    operations: operationsOf(projector, log),
    ready: () => ({ accepting_requests: !stopping, projections_caught_up: projector.caughtUpOnce() }),
  };
  return {
    context,
    secrets,
    projector,
    stores,
    log,
    refuseNew() {
      stopping = true;
    },
    async stop() {
      stopping = true;
      await webhooks.stop();
      await voucherMails.stop();
      await system.drain();
      weather.stop();
      await reaper.stop();
      await projector.stop();
      await Promise.all([catalogue.stop(), keys.stop(), devices.stop()]);
      await stores.close();
    },
  };
}

/** Lists what the catalogue's files name, and retires what they name no more. */
function bringCatalogueUpToDate(
  activities: readonly Activity[],
  catalogue: LiveView<{ readonly listed: boolean; readonly activity: Activity }>,
  context: Parameters<typeof listCatalogue>[3] & Pick<HttpContext, 'ids'>,
): ReturnType<typeof listCatalogue> {
  const listed = [...catalogue.values()].filter((entry) => entry.listed).map((entry) => entry.activity.id);
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'catalogue', at };
  return listCatalogue(activities, listed, cause, context);
}

function operationsOf(projector: RunningProjections, log: Log): HttpContext['operations'] {
  return {
    status: () => projector.status(),
    async rebuild(name) {
      const rebuilding = projector.rebuilding(name);
      if (rebuilding === null) return { kind: 'unknown', known: PROJECTIONS.map((projection) => projection.name) };
      if (rebuilding) return { kind: 'running' };
      projector.rebuild(name).then(
        (outcome) => log.info('projection rebuilt', { projection: name, ...outcome }),
        (fault: unknown) => log.error('rebuild failed', { projection: name, fault }),
      );
      return { kind: 'started' };
    },
  };
}
