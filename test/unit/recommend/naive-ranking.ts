import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { EVERYBODY, type GroundTruthDocument, sumOf } from '../../../projections/groundtruth/read-model.ts';
import type { Activity, LocalDate } from '../../../src/domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../../src/domain/activity/cities.ts';
import { type Conditions, conditionsAt } from '../../../src/domain/activity/conditions.ts';
import { distanceKm } from '../../../src/domain/activity/distance.ts';
import type { ExchangeRates } from '../../../src/domain/activity/exchange.ts';
import { CURRENCY_EXPONENTS, type Currency } from '../../../src/domain/activity/money.ts';
import { addDays, type Day, dayOf, midnightMs } from '../../../src/domain/activity/schedule.ts';
import { type DateSchedule, dateSchedule } from '../../../src/domain/allotment/events.ts';
import { dealAt, effectiveTerms, newerSchedule, priceAt } from '../../../src/domain/allotment/terms.ts';
import { type AllotmentId, allotmentIdOf } from '../../../src/domain/ids.ts';
import { fadeAt } from '../../../src/domain/learning/fading.ts';
import { withPower } from '../../../src/domain/recommendation/ranking-model.ts';
import { perMille, scoreCenti } from '../../../src/domain/recommendation/score.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { type Allotments, allotmentsOf } from '../../../src/recommend/allotments-of-mode.ts';
import { DAYS_AHEAD } from '../../../src/recommend/candidates.ts';
import { groundTruthFactor } from '../../../src/recommend/factors/ground-truth.ts';
import { priceFactor, priceLevel } from '../../../src/recommend/factors/price.ts';
import { profileFactor } from '../../../src/recommend/factors/profile.ts';
import { planVisit, timeFactor } from '../../../src/recommend/factors/time.ts';
import { pleasantness, weatherFactor } from '../../../src/recommend/factors/weather.ts';
import type { Ranking, RankingData, RankingQuery, ScoredActivity } from '../../../src/recommend/rank.ts';
import { type AskedDays, type Filters, NO_FILTERS } from '../../../src/recommend/request.ts';

/** More hours than any visit has; makes a number from a start hour and a duration. */
const MAX_VISIT_HOURS = 10_000;

/** All activities that could be shown, best first, where `rank` returns the best ones and their number. */
type NaiveRanking = Omit<Extract<Ranking, { kind: 'ranking' }>, 'candidates'> | Extract<Ranking, { kind: 'nothing' }>;

/** The activities of a city and their open dates. */
type CityCandidates = {
  readonly city: CityName;
  readonly today: LocalDate;
  /** The first date that is considered: today or later. */
  readonly from: LocalDate;
  /** Sorted by activity id. */
  readonly candidates: readonly Candidate[];
  /** Catalogue prices in the city's currency, ascending. */
  readonly pricesMinor: readonly number[];
};

type Candidate = {
  readonly activity: Activity;
  /** The considered dates on which the activity is open. */
  readonly days: readonly CandidateDay[];
};

type CandidateDay = { readonly day: Day; readonly allotment: AllotmentId; readonly schedule: DateSchedule };

export function naiveCandidatesOf(
  city: CityName,
  today: LocalDate,
  catalogue: Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>,
  days: AskedDays | null = null,
): CityCandidates {
  const { from, to } = days ?? { from: today, to: addDays(today, DAYS_AHEAD) };
  const entries = [...catalogue]
    .filter(({ activity, listed }) => listed && activity.city === city)
    .sort((left, right) => (left.activity.id < right.activity.id ? -1 : 1));
  return {
    city,
    today,
    from,
    candidates: entries.map(({ activity, revision }) => ({ activity, days: openDays(activity, revision, from, to) })),
    pricesMinor: entries.map(({ activity }) => activity.priceMinor).sort((left, right) => left - right),
  };
}

function openDays(activity: Activity, revision: number, from: LocalDate, to: LocalDate): CandidateDay[] {
  const days: CandidateDay[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) {
    const day = dayOf(activity, date);
    if (day === null) continue;
    days.push({ day, allotment: allotmentIdOf(activity.id, date), schedule: dateSchedule(activity, revision, day) });
  }
  return days;
}

/** Scores every activity on every date, one after the other, and sorts them all: what `rank` must answer. */
export function naiveRank(city: CityCandidates, query: RankingQuery, data: RankingData): NaiveRanking {
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
  const { hotel, hotelGrant } = query.place;
  const rates = hotel === null || hotelGrant === null ? [] : hotel.rates;
  return {
    city,
    query,
    data,
    allotments: allotmentsOf(query.mode, city.today, data),
    setOutMs: city.from === city.today ? query.nowMs : midnightMs(city.city, city.from),
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
  const { city, query, data } = context;
  const position = query.place.position;
  const visits = data.groundTruth.get(activity.id);
  const sum = sumOf(query.profile.travelType);
  const fade = fadeAt(query.nowMs);
  const dateIndependent: DateIndependent = {
    profile: profileFactor(activity, query.profile),
    groundTruth: visits === undefined ? 0.5 : groundTruthFactor(visits, sum, fade),
    evidence: evidenceOf(visits, sum, fade.lasting),
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

function evidenceOf(visits: GroundTruthDocument | undefined, sum: number, fade: number): ScoredActivity['evidence'] {
  const { visited, expected } = visits?.lasting ?? { visited: [], expected: [] };
  const sameType = (visited[sum] ?? 0) * fade >= 0.05;
  const at = sameType ? sum : EVERYBODY;
  return { visited: (visited[at] ?? 0) * fade, expected: (expected[at] ?? 0) * fade, sameType };
}

type DateIndependent = { readonly profile: number; readonly groundTruth: number } & Pick<
  ScoredActivity,
  'evidence' | 'distanceKm'
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
    groundTruth: withPower(perMille(dateIndependent.groundTruth), query.model.groundTruthPower),
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
    evidence: dateIndependent.evidence,
    learntGroundTruth: factors.groundTruth,
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

function isWithinThb(priceMinor: number, currency: Currency, maximumMinor: number, rates: ExchangeRates): boolean {
  return BigInt(priceMinor) * minorPerUsd('THB', rates) <= BigInt(maximumMinor) * minorPerUsd(currency, rates);
}

/** Millionths of a minor unit per US dollar. */
function minorPerUsd(currency: Currency, { microUnitsPerUsd }: ExchangeRates): bigint {
  return BigInt(microUnitsPerUsd[currency]) * 10n ** BigInt(CURRENCY_EXPONENTS[currency]);
}
