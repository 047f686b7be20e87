import { ACTOR_LIMITS } from '../../actors/limits.ts';
import { createActorSystem } from '../../actors/system.ts';
import { systemDigest } from '../../adapters/system/digest.ts';
import { systemSealer } from '../../adapters/system/sealer.ts';
import type { BookingContext } from '../../application/booking/booking-context.ts';
import type { ExposureContext } from '../../application/exposure/counters.ts';
import { createInFlight } from '../../application/in-flight.ts';
import type { KeysContext } from '../../application/key/manage-keys.ts';
import { openStreams } from '../../application/streams.ts';
import type { Config } from '../../config.ts';
import type { KeyLimits } from '../../domain/apikey/apikey.ts';
import type { KeyId } from '../../domain/ids.ts';
import { defaultModel } from '../../domain/recommendation/ranking-model.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import type { Weather } from '../../ports/weather.ts';
import { openCities } from '../../recommend/city-actor.ts';
import type { RecommendContext } from '../../recommend/recommend.ts';
import type { Supply } from '../../supply/supply.ts';
import { type CurrentViews, withCurrentViews } from './current-views.ts';
import { type SeededRandom, seededIds } from './seeded-random.ts';

/** Dependencies of the use cases that make a history. */
export type UseCases = BookingContext & RecommendContext & KeysContext;

/** The application without HTTP, projections and process managers, at simulated times. */
export type SimulatedService = {
  readonly store: DecodedEventStore;
  readonly views: CurrentViews;
  readonly config: Config;
  readonly supply: Supply;
  readonly log: Log;
  /** The limits of each key, as the read model of keys has them. */
  readonly keyLimits: Map<KeyId, KeyLimits>;
  /** Sets the time of the actors: no later than that of any running moment, so that no deadline passes. */
  advanceTo(atMs: number): void;
  at(atMs: number, random: SeededRandom): Moment;
  stop(): Promise<void>;
};

/** A caller's clock, random numbers and view of the service. */
export type Moment = {
  readonly random: SeededRandom;
  readonly context: UseCases;
  nowMs(): number;
  /** Time passes for this caller. */
  pass(ms: number): void;
  cause(by: string): Cause;
};

/** The longest delay of a timer, in ms: actors leave memory only when too many are in it, so that a seed repeats. */
const NO_SWEEP_MS = 2_147_483_647;
const NO_FORECAST: Weather = { forecast: async () => ({ kind: 'unavailable', reason: 'off' }) };

/** The exposure of simulated callers is not counted: they book as real ones do within their limits. */
const UNLIMITED: ExposureContext = {
  limitsOf: () => null,
  counters: {
    change: () => Promise.reject(new Error('no simulated key has exposure limits')),
    read: async () => [],
  },
};

export function openSimulatedService(
  { store: written, supply, config, secretKey, log }: Opening,
  random: SeededRandom,
): SimulatedService {
  const { store, views } = withCurrentViews(written);
  let actorsMs = 0;
  const system = createActorSystem({
    clock: clockOf(() => actorsMs),
    log,
    limits: { ...ACTOR_LIMITS, idleMs: Number.POSITIVE_INFINITY, sweepMs: NO_SWEEP_MS },
  });
  const streams = openStreams({ store, ids: seededIds(random.fork()), system });
  const { catalogue, allotments, groundTruth } = views;
  const none = { get: () => undefined, inGroup: () => [], changesIn: () => 0 };
  const exchangeRates = () => supply.exchangeRates;
  const keyLimits = new Map<KeyId, KeyLimits>();
  const { daysAhead, responseMs, claimMs, holdMs, onRequestMs, explorationPercent } = config;
  const shared: Omit<UseCases, 'clock' | 'ids'> = {
    streams,
    catalogue,
    allotments,
    testAllotments: none,
    hotels: () => supply.hotels,
    hotelsOf: () => [],
    inFlight: createInFlight(),
    digest: systemDigest(secretKey),
    sealer: systemSealer(secretKey),
    log,
    limits: { daysAhead, responseMs, claimMs, holdMs, onRequestMs },
    exposure: UNLIMITED,
    spending: { limitsOf: (keyId) => keyLimits.get(keyId) ?? null, exchangeRates, store },
    // The same seed gives the same order of requests, however long their rankings take.
    cities: openCities(system, { catalogue, allotments, testAllotments: none, groundTruth, exchangeRates }, () => 0),
    weather: NO_FORECAST,
    rankingModel: defaultModel(explorationPercent),
    experiments: none,
  };
  return {
    store,
    views,
    config,
    supply,
    log,
    keyLimits,
    advanceTo(atMs) {
      actorsMs = atMs;
    },
    at(atMs, own) {
      let nowMs = Math.floor(atMs);
      const ids = seededIds(own);
      return {
        random: own,
        context: { ...shared, ids, clock: clockOf(() => nowMs) },
        nowMs: () => nowMs,
        pass(ms) {
          nowMs += Math.floor(ms);
        },
        cause: (by) => ({
          correlationId: ids.uuid(),
          causationId: null,
          by,
          at: new Date(nowMs).toISOString(),
        }),
      };
    },
    stop: () => system.drain(),
  };
}

type Opening = {
  readonly store: DecodedEventStore;
  readonly supply: Supply;
  readonly config: Config;
  readonly secretKey: Uint8Array;
  readonly log: Log;
};

/** Waits end at once: simulated time passes only between the steps of a history. */
function clockOf(nowMs: () => number): Clock {
  return { nowMs, until: () => Promise.resolve() };
}
