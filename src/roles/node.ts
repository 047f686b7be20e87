import packageJson from '../../package.json' with { type: 'json' };
import { ACTOR_LIMITS } from '../actors/limits.ts';
import { createActorSystem } from '../actors/system.ts';
import { openMeteo } from '../adapters/open-meteo/weather.ts';
import { fileClock, systemClock } from '../adapters/system/clock.ts';
import { systemDigest } from '../adapters/system/digest.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { systemSealer } from '../adapters/system/sealer.ts';
import { createInFlight } from '../application/in-flight.ts';
import { openStreams } from '../application/streams.ts';
import type { Config } from '../config.ts';
import type { HttpContext } from '../http/context.ts';
import { toolServerOverHttp } from '../mcp/over-http.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import { openCities } from '../recommend/city-actor.ts';
import { openBackground } from './background.ts';
import { bringCatalogueUpToDate } from './catalogue.ts';
import { openLiveViews } from './live-views.ts';
import { operationsOf } from './operations.ts';
import { projectHere, projectInThread, type RunningProjections } from './projector.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { openStores, type Stores } from './stores.ts';
import { readSupply } from './supply.ts';
import { openSigningKeys } from './voucher-keys.ts';

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
  const views = await openLiveViews(projector, stores, { clock, log });
  const { catalogue, keys, devices, allotments, groundTruth, passed, candidatesPassed } = views;
  const cities = openCities(system, { catalogue, allotments, groundTruth, exchangeRates });
  await bringCatalogueUpToDate(activities, views, { streams, clock, ids, digest, log });
  const signingKeys = await openSigningKeys(sealer, { streams, clock, ids });
  const weather = openMeteo({ baseUrl: config.openMeteoUrl, deadlineMs: config.weatherDeadlineMs, clock, log });
  const publicUrl = (): string => config.publicUrl ?? surroundings.url();
  const shared = { streams, catalogue, clock, ids, digest, sealer, log, publicUrl, signingKeys };
  const background = await openBackground({ ...shared, store }, config, surroundings.mailer ?? null);
  let stopping = false;

  const context: HttpContext = {
    ...shared,
    hotels,
    exchangeRates,
    keys,
    devices,
    readModels,
    usage,
    inFlight: createInFlight(),
    adminToken: secrets.adminToken,
    analystToken: secrets.analystToken,
    limits: { daysAhead: config.daysAhead, responseMs: config.responseMs, claimMs: config.claimMs },
    webhooks: background.webhooks,
    guestLimits: config.guestLimits,
    weather,
    production: config.production,
    version: packageJson.version,
    mails: background.mails,
    mailWaitMs: config.mail.waitMs,
    collection: (name) => projector.collection(name),
    waitFor: (name, position, timeoutMs) => projector.waitFor(name, position, timeoutMs),
    passed,
    cities,
    candidatesPassed,
    operations: operationsOf(projector, log),
    toolServer: toolServerOverHttp(packageJson.version),
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
      // What is under way in the background still records what came of it.
      await background.stop();
      await system.drain();
      weather.stop();
      await projector.stop();
      await views.stop();
      await stores.close();
    },
  };
}
