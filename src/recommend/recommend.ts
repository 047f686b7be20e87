import type { Unavailable } from '../actors/actor.ts';
import type { StreamHandler } from '../actors/entity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { type Conditions, conditionsAt } from '../domain/activity/conditions.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import { localDate, midnightMs } from '../domain/activity/schedule.ts';
import { type LogId, newLogId } from '../domain/ids.ts';
import type {
  Recommendation,
  RecommendationCommand,
  RecommendationEvent,
} from '../domain/recommendation/recommendation.ts';
import { RANDOM_BYTES } from '../domain/time-ordered-id.ts';
import { HOUR_MS } from '../eventsourcing/durations.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Weather } from '../ports/weather.ts';
import { assignedModel, type ModelContext } from './assigned-model.ts';
import type { Cities } from './city-actor.ts';
import { servedFacts } from './context-log.ts';
import { explore } from './exploration.ts';
import type { NothingFound, ScoredActivity } from './rank.ts';
import type { RecommendRequest } from './request.ts';

/** A local day in the five countries always has 24 hours. */
const NOON_MS = 12 * HOUR_MS;

export type RecommendContext = ModelContext & {
  readonly cities: Cities;
  readonly streams: {
    readonly recommendations: StreamHandler<RecommendationCommand, Recommendation, RecommendationEvent, never>;
  };
  readonly weather: Weather;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: { readonly responseMs: number };
};

export type Recommended = {
  readonly kind: 'recommended';
  readonly logId: LogId;
  /** Best first. */
  readonly shown: readonly ScoredActivity[];
  /** At the requested place, at `conditionsMs`. */
  readonly conditions: Conditions;
  /** Now; for later dates, noon of the first one. In ms since the epoch. */
  readonly conditionsMs: number;
  /** Used to compare prices with the maximum price; null if no price was converted. */
  readonly rates: ExchangeRates | null;
  readonly nowMs: number;
  /** Log position of the context log. */
  readonly position: Position | null;
};

/** Ranks a city's activities for a traveller. On return the context log is durable; an empty result writes no log. */
export async function recommend(
  request: RecommendRequest,
  cause: Cause,
  context: RecommendContext,
): Promise<Recommended | NothingFound | Unavailable> {
  const { cities, streams, clock, ids, limits } = context;
  const { mode, profile, place, filters, days, guests, limit, includeFlashDeals } = request;
  const { city } = place;
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const weather = await context.weather.forecast(place.position ?? cityFacts(city));
  const nowMs = clock.nowMs();
  const { model, experiment } = assignedModel(request, nowMs, context);
  const query = { mode, profile, place, filters, days, guests, includeFlashDeals, model, weather, nowMs };
  const ranking = await cities.ask(city, query, deadlineMs);
  if (ranking.kind !== 'ranking') return ranking;
  const { candidates, rates } = ranking;
  const logId = newLogId(mode, nowMs, ids.secret(RANDOM_BYTES));
  const percent = request.exploration ? model.explorationPercent : 0;
  const { ranked, propensity, lifted } = explore(ranking.ranked, logId, percent);
  const shown = ranked.slice(0, limit);
  const today = localDate(city, nowMs);
  const from = days?.from ?? today;
  const conditionsMs = from === today ? nowMs : midnightMs(city, from) + NOON_MS;
  const conditions = conditionsAt(weather, city, conditionsMs);
  const facts = servedFacts(request, {
    from,
    ranked,
    candidates,
    shown: shown.length,
    propensity,
    lifted,
    experiment,
    conditions,
    nowMs,
  });
  const command = { type: 'RecordRecommendation', facts } as const;
  const recorded = await streams.recommendations.handle(logId, command, cause, deadlineMs, { known: 'no-stream' });
  if (recorded.kind === 'unavailable') return recorded;
  if (recorded.kind !== 'accepted') throw new Error(`the context log ${logId} is ${recorded.kind}`);
  return { kind: 'recommended', logId, shown, conditions, conditionsMs, rates, nowMs, position: recorded.position };
}
