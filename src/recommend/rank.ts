import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import type { Activity, CancellationPolicy } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { type Conditions, conditionsAt } from '../domain/activity/conditions.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import { type ExchangeRates, isWithinThb } from '../domain/activity/exchange.ts';
import { midnightMs } from '../domain/activity/schedule.ts';
import { dealAt, effectiveTerms, type FlashDeal, newerSchedule, priceAt } from '../domain/allotment/terms.ts';
import { segmentOf } from '../domain/recommendation/profile.ts';
import type { RankedCandidate } from '../domain/recommendation/ranked.ts';
import { perMille, scoreCenti } from '../domain/recommendation/score.ts';
import { chainOf, EVERYBODY } from '../domain/recommendation/segments.ts';
import { HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import { type Allotments, allotmentsOf, type ModesOfAllotments } from './allotments-of-mode.ts';
import type { Candidate, CandidateDay, CityCandidates } from './candidates.ts';
import { groundTruthFactor } from './factors/ground-truth.ts';
import { priceFactor, priceLevel } from './factors/price.ts';
import { profileFactor } from './factors/profile.ts';
import { planVisit, timeFactor, type VisitPlan } from './factors/time.ts';
import { pleasantness, weatherFactor } from './factors/weather.ts';
import { type Filters, NO_FILTERS, type RecommendRequest } from './request.ts';

/** More hours than any visit has; makes a number from a start hour and a duration. */
const MAX_VISIT_HOURS = 10_000;

/** The request's part of a ranking's input. */
export type RankingQuery = Pick<
  RecommendRequest,
  'mode' | 'profile' | 'place' | 'filters' | 'days' | 'guests' | 'includeFlashDeals'
> & {
  readonly nowMs: number;
  readonly weather: Forecast | WeatherUnavailable;
};

/** The current read models that a ranking uses. */
export type RankingData = ModesOfAllotments & {
  readonly groundTruth: { get(id: string): GroundTruthDocument | undefined };
  readonly exchangeRates: () => ExchangeRates;
};

/** An activity on its best date, with its score and the facts behind the reason text. */
export type ScoredActivity = RankedCandidate & {
  readonly activity: Activity;
  readonly unitPriceMinor: number;
  /** The unit price minus the larger of the flash deal's and the hotel's discount. */
  readonly presentPriceMinor: number;
  /** 0 without a hotel rate, or if the flash deal's discount is at least as large. */
  readonly hotelPercentOff: number;
  /** Null without a deal, if the request excludes deals, or if the hotel's discount is larger. */
  readonly deal: FlashDeal | null;
  readonly cancellation: CancellationPolicy;
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
  readonly plan: VisitPlan;
  readonly distanceKm: number | null;
  /** The worst of the visit's hours. */
  readonly weather: Pick<Conditions, 'temperatureC' | 'precipitationProbability'>;
  /** Rank of the full price among the city's prices, in [0,1]. */
  readonly priceLevel: number;
  readonly visits: { readonly similar: number; readonly all: number };
};

/** The number of activities found if this filter is removed. */
export type Relaxation = { readonly filter: keyof Filters; readonly activities: number };

export type Ranking =
  /** At least one activity, best first; equal scores sorted by id. */
  | {
      readonly kind: 'ranking';
      readonly ranked: readonly ScoredActivity[];
      /** Used to compare prices with the maximum price; null without a maximum, or if the prices are in baht. */
      readonly rates: ExchangeRates | null;
    }
  | NothingFound;

export type NothingFound = {
  readonly kind: 'nothing';
  /** Filters whose removal alone gives results, most results first. */
  readonly relaxations: readonly Relaxation[];
  /** Number of activities found without any filter. */
  readonly unfiltered: number;
};

/** Scores every activity that passes the filters and has enough free slots on one of the candidates' dates. Pure. */
export function rank(city: CityCandidates, query: RankingQuery, data: RankingData): Ranking {
  const context = rankingContext(city, query, data);
  const { filters } = query;
  const ranked = scoredWith(filters, context).sort(
    (left, right) => right.scoreCenti - left.scoreCenti || (left.activity.id < right.activity.id ? -1 : 1),
  );
  if (ranked.length > 0) {
    const converted = filters.maxPriceThbMinor !== null && cityFacts(city.city).currency !== 'THB';
    return { kind: 'ranking', ranked, rates: converted ? data.exchangeRates() : null };
  }
  const relaxations = FILTER_NAMES.filter((filter) => filters[filter] !== null)
    .map((filter) => ({ filter, activities: scoredWith({ ...filters, [filter]: null }, context).length }))
    .filter(({ activities }) => activities > 0)
    .sort((left, right) => right.activities - left.activities);
  return { kind: 'nothing', relaxations, unfiltered: scoredWith(NO_FILTERS, context).length };
}

const FILTER_NAMES = ['indoor', 'difficulty', 'maxPriceThbMinor', 'categories'] as const;

/** Values computed once per query. */
type RankingContext = {
  readonly city: CityCandidates;
  readonly query: RankingQuery;
  readonly data: RankingData;
  /** Of the caller's mode. */
  readonly allotments: Allotments;
  /** When the guest sets out: now, or at the start of the first date if that is later. In ms since the epoch. */
  readonly setOutMs: number;
  readonly chain: readonly number[];
  readonly percentOff: ReadonlyMap<string, number>;
  /** Outdoor weather during a visit; `startMs` in ms since the epoch. */
  readonly weatherOf: (startMs: number, durationMinutes: number) => VisitWeather;
};

type VisitWeather = {
  /** In [0,1]. */
  readonly pleasantness: number;
  readonly worst: ScoredActivity['weather'];
};

function rankingContext(city: CityCandidates, query: RankingQuery, data: RankingData): RankingContext {
  const rates = query.place.hotel?.rates ?? [];
  return {
    city,
    query,
    data,
    allotments: allotmentsOf(query.mode, city.today, data),
    setOutMs: city.from === city.today ? query.nowMs : midnightMs(city.city, city.from),
    chain: chainOf(segmentOf(query.profile)),
    percentOff: new Map(rates.map(({ activityId, percentOff }) => [activityId, percentOff])),
    weatherOf: weatherOfVisits((hourMs) => conditionsAt(query.weather, city.city, hourMs)),
  };
}

/** Memoized by start hour and duration, because many visits share both. */
function weatherOfVisits(conditions: (hourMs: number) => Conditions): RankingContext['weatherOf'] {
  const known = new Map<number, VisitWeather>();
  return (startMs, durationMinutes) => {
    // One sample per hour, from the start (inclusive) to the end (exclusive), each rounded to the nearest full hour.
    const firstHour = Math.floor(startMs / HOUR_MS + 0.5);
    const count = Math.max(1, Math.ceil((durationMinutes * MINUTE_MS) / HOUR_MS));
    const run = firstHour * MAX_VISIT_HOURS + count;
    const before = known.get(run);
    if (before !== undefined) return before;
    const hours = Array.from({ length: count }, (_, hour) => conditions((firstHour + hour) * HOUR_MS));
    const weather = { pleasantness: pleasantness(hours), worst: worstOf(hours) };
    known.set(run, weather);
    return weather;
  };
}

function scoredWith(filters: Filters, context: RankingContext): ScoredActivity[] {
  const found: ScoredActivity[] = [];
  for (const candidate of context.city.candidates) {
    const best = passes(candidate.activity, filters, context) ? bestOf(candidate, filters, context) : null;
    if (best !== null) found.push(best);
  }
  return found;
}

/** Every filter but the price, which depends on the date. */
function passes(activity: Activity, { indoor, difficulty, categories }: Filters, { query }: RankingContext): boolean {
  if (activity.exclusiveTo !== null && activity.exclusiveTo !== query.place.hotel?.id) return false;
  // The filter is for rainy days, so an activity that is partly outdoors does not pass.
  if (indoor === true && activity.setting !== 'indoor') return false;
  if (difficulty !== null && activity.difficulty !== difficulty) return false;
  return categories === null || categories.includes(activity.category);
}

/** The activity today if available, else on its date with the highest score; null if no date is available. */
function bestOf({ activity, days }: Candidate, filters: Filters, context: RankingContext): ScoredActivity | null {
  const { city, query, data, chain } = context;
  const position = query.place.position;
  const counts = data.groundTruth.get(activity.id);
  const dateIndependent: DateIndependent = {
    profile: profileFactor(activity, query.profile),
    groundTruth: groundTruthFactor(counts, chain),
    visits: { similar: counts?.visited[chain.at(-1) ?? EVERYBODY] ?? 0, all: counts?.visited[EVERYBODY] ?? 0 },
    distanceKm: position === null ? null : distanceKm(position, activity.venue),
  };
  let best: ScoredActivity | null = null;
  for (const day of days) {
    const scored = scoredOn(day, activity, dateIndependent, filters, context);
    if (scored === null) continue;
    if (scored.date === city.today) return scored;
    if (best === null || scored.scoreCenti > best.scoreCenti) best = scored;
  }
  return best;
}

type DateIndependent = { readonly profile: number; readonly groundTruth: number } & Pick<
  ScoredActivity,
  'visits' | 'distanceKm'
>;

/** Null if the date has too few free slots, is above the maximum price, or closed before the guest can arrive. */
function scoredOn(
  { day, allotment, schedule }: CandidateDay,
  activity: Activity,
  dateIndependent: DateIndependent,
  { maxPriceThbMinor }: Filters,
  { city, query, data, allotments, setOutMs, percentOff, weatherOf }: RankingContext,
): ScoredActivity | null {
  const { nowMs, profile } = query;
  const { distanceKm: km } = dateIndependent;
  const { utcOffsetMinutes } = cityFacts(city.city);
  const plan = planVisit(day, { nowMs: setOutMs, utcOffsetMinutes, distanceKm: km }, activity.bestTimes);
  const allotmentDoc = allotments.get(allotment);
  if (plan === null) return null;
  const { capacity, unitPriceMinor } = allotmentDoc === undefined ? day : effectiveTerms(allotmentDoc, schedule);
  if ((allotmentDoc?.taken ?? 0) + query.guests > capacity) return null;
  const eligibleDeal = query.includeFlashDeals ? (allotmentDoc?.deal ?? null) : null;
  const hotel = percentOff.get(activity.id) ?? 0;
  const { discountMinor } = priceAt(unitPriceMinor, eligibleDeal, hotel, schedule, nowMs);
  const activeDeal = dealAt(eligibleDeal, schedule, nowMs);
  const deal = activeDeal !== null && activeDeal.discountPercent >= hotel ? activeDeal : null;
  const presentPriceMinor = unitPriceMinor - discountMinor;
  const { exchangeRates } = data;
  if (
    maxPriceThbMinor !== null &&
    !isWithinThb(presentPriceMinor, activity.currency, maxPriceThbMinor, exchangeRates())
  )
    return null;
  const weather = weatherOf(plan.startMs, activity.durationMinutes);
  const level = priceLevel(unitPriceMinor, city.pricesMinor);
  const factors = {
    profile: perMille(dateIndependent.profile),
    groundTruth: perMille(dateIndependent.groundTruth),
    weather: perMille(weatherFactor(activity.setting, weather.pleasantness)),
    time: perMille(timeFactor(plan, { nowMs: setOutMs, distanceKm: km })),
    price: perMille(priceFactor(profile.budget, level, discountMinor / unitPriceMinor)),
  };
  return {
    activityId: activity.id,
    date: day.date,
    activity,
    unitPriceMinor,
    presentPriceMinor,
    hotelPercentOff: deal === null ? hotel : 0,
    deal,
    cancellation: (allotmentDoc === undefined ? schedule : newerSchedule(allotmentDoc.schedule, schedule)).cancellation,
    factors,
    scoreCenti: scoreCenti(factors),
    plan,
    distanceKm: km,
    weather: weather.worst,
    priceLevel: level,
    visits: dateIndependent.visits,
  };
}

function worstOf(hours: readonly Conditions[]): ScoredActivity['weather'] {
  const worst = { temperatureC: Number.NEGATIVE_INFINITY, precipitationProbability: 0 };
  for (const { temperatureC, precipitationProbability } of hours) {
    worst.temperatureC = Math.max(worst.temperatureC, temperatureC);
    worst.precipitationProbability = Math.max(worst.precipitationProbability, precipitationProbability);
  }
  return worst;
}
