import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { type Conditions, conditionsAt } from '../domain/activity/conditions.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import { type ExchangeRates, isWithinThb } from '../domain/activity/exchange.ts';
import { dealAt, type FlashDeal, presentPrice, standing } from '../domain/allotment/terms.ts';
import { segmentOf } from '../domain/recommendation/profile.ts';
import type { RankedCandidate } from '../domain/recommendation/ranked.ts';
import { perMille, scoreCenti } from '../domain/recommendation/score.ts';
import { chainOf, EVERYBODY } from '../domain/recommendation/segments.ts';
import type { Forecast, Unavailable } from '../ports/weather.ts';
import type { Candidate, CandidateDay, CityCandidates } from './candidates.ts';
import { groundTruthFactor } from './factors/ground-truth.ts';
import { priceFactor, priceLevel } from './factors/price.ts';
import { profileFactor } from './factors/profile.ts';
import { planVisit, timeFactor, type VisitPlan } from './factors/time.ts';
import { pleasantness, weatherFactor } from './factors/weather.ts';
import { type Filters, NO_FILTERS, type RecommendRequest } from './request.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** More hours than any visit has. */
const MOST_HOURS = 10_000;

/** What a ranking is worked out from, beside the city's candidates. */
export type Question = Pick<RecommendRequest, 'profile' | 'place' | 'filters' | 'includeFlashDeals'> & {
  readonly nowMs: number;
  readonly weather: Forecast | Unavailable;
};

/** What is known at this moment. */
export type Knowledge = {
  readonly allotments: { get(id: string): InventoryDocument | undefined };
  readonly groundTruth: { get(id: string): GroundTruthDocument | undefined };
  readonly exchangeRates: () => ExchangeRates;
};

/** An activity on the date that is best for it, with its score and with what reasons can be made of. */
export type Scored = RankedCandidate & {
  readonly activity: Activity;
  readonly unitPriceMinor: number;
  /** What a guest pays: the unit price less the flash deal's discount or the hotel's, whichever is more. */
  readonly presentPriceMinor: number;
  /** 0 where the hotel has no rate, or none is known, and where the flash deal takes off as much. */
  readonly hotelPercentOff: number;
  /** Null where there is none, none is wished for, or the hotel takes off more. */
  readonly deal: FlashDeal | null;
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
  readonly plan: VisitPlan;
  readonly distanceKm: number | null;
  /** The worst of the visit's hours. */
  readonly weather: Pick<Conditions, 'temperatureC' | 'precipitationProbability'>;
  /** Where the full price stands among those of the city, in [0,1]. */
  readonly priceLevel: number;
  readonly visits: { readonly alike: number; readonly all: number };
};

/** How many activities would be found without one of the filters. */
export type Relaxation = { readonly filter: keyof Filters; readonly activities: number };

export type Ranking =
  /** At least one, the best first; equal scores by id. */
  | {
      readonly kind: 'ranking';
      readonly ranked: readonly Scored[];
      /** By which prices were compared with the wished maximum; null where there is none, or the prices are in baht. */
      readonly rates: ExchangeRates | null;
    }
  | NothingFound;

export type NothingFound = {
  readonly kind: 'nothing';
  /** The single filters whose removal helps, the most helpful first. */
  readonly relaxations: readonly Relaxation[];
  /** How many activities there would be without any filter. */
  readonly unfiltered: number;
};

/** Scores every activity of a city that can be attended within the days ahead and passes the filters. Pure. */
export function rank(city: CityCandidates, question: Question, knowledge: Knowledge): Ranking {
  const asked = askedOf(city, question, knowledge);
  const { filters } = question;
  const ranked = scoredWith(filters, asked).sort(
    (left, right) => right.scoreCenti - left.scoreCenti || (left.activity.id < right.activity.id ? -1 : 1),
  );
  if (ranked.length > 0) {
    const converted = filters.maxPriceThbMinor !== null && cityFacts(city.city).currency !== 'THB';
    return { kind: 'ranking', ranked, rates: converted ? knowledge.exchangeRates() : null };
  }
  const relaxations = FILTER_NAMES.filter((filter) => filters[filter] !== null)
    .map((filter) => ({ filter, activities: scoredWith({ ...filters, [filter]: null }, asked).length }))
    .filter(({ activities }) => activities > 0)
    .sort((left, right) => right.activities - left.activities);
  return { kind: 'nothing', relaxations, unfiltered: scoredWith(NO_FILTERS, asked).length };
}

const FILTER_NAMES = ['indoor', 'difficulty', 'maxPriceThbMinor', 'categories'] as const;

/** What one question needs again and again, worked out once. */
type Asked = {
  readonly city: CityCandidates;
  readonly question: Question;
  readonly knowledge: Knowledge;
  readonly chain: readonly number[];
  readonly percentOff: ReadonlyMap<string, number>;
  /** What it is like outside during a visit (ms since the epoch, minutes). */
  readonly weatherOf: (startMs: number, durationMinutes: number) => VisitWeather;
};

type VisitWeather = {
  /** In [0,1]. */
  readonly pleasantness: number;
  readonly worst: Scored['weather'];
};

function askedOf(city: CityCandidates, question: Question, knowledge: Knowledge): Asked {
  const rates = question.place.hotel?.rates ?? [];
  return {
    city,
    question,
    knowledge,
    chain: chainOf(segmentOf(question.profile)),
    percentOff: new Map(rates.map(({ activityId, percentOff }) => [activityId, percentOff])),
    weatherOf: weatherOfVisits((hourMs) => conditionsAt(question.weather, city.city, hourMs)),
  };
}

/** Visits share their hours, so each run of hours is looked at once. */
function weatherOfVisits(conditions: (hourMs: number) => Conditions): Asked['weatherOf'] {
  const known = new Map<number, VisitWeather>();
  return (startMs, durationMinutes) => {
    // The conditions an hour apart, from the start of a visit to its end (not at it), each of the full hour nearest to it.
    const firstHour = Math.floor(startMs / HOUR_MS + 0.5);
    const count = Math.max(1, Math.ceil((durationMinutes * MINUTE_MS) / HOUR_MS));
    const run = firstHour * MOST_HOURS + count;
    const before = known.get(run);
    if (before !== undefined) return before;
    const hours = Array.from({ length: count }, (_, hour) => conditions((firstHour + hour) * HOUR_MS));
    const weather = { pleasantness: pleasantness(hours), worst: worstOf(hours) };
    known.set(run, weather);
    return weather;
  };
}

function scoredWith(filters: Filters, asked: Asked): Scored[] {
  const found: Scored[] = [];
  for (const candidate of asked.city.candidates) {
    const best = passes(candidate.activity, filters, asked) ? bestOf(candidate, filters, asked) : null;
    if (best !== null) found.push(best);
  }
  return found;
}

/** Everything but the price, which is another on other dates. */
function passes(activity: Activity, { indoor, difficulty, categories }: Filters, { question }: Asked): boolean {
  if (activity.exclusiveTo !== null && activity.exclusiveTo !== question.place.hotel?.id) return false;
  // What is partly outdoors is no refuge from rain, and that is what the filter is for.
  if (indoor === true && activity.setting !== 'indoor') return false;
  if (difficulty !== null && activity.difficulty !== difficulty) return false;
  return categories === null || categories.includes(activity.category);
}

/** The activity today where that is possible, else on the date with the highest score; null where there is none. */
function bestOf({ activity, days }: Candidate, filters: Filters, asked: Asked): Scored | null {
  const { city, question, knowledge, chain } = asked;
  const position = question.place.position;
  const counts = knowledge.groundTruth.get(activity.id);
  const fixed: Fixed = {
    profile: profileFactor(activity, question.profile),
    groundTruth: groundTruthFactor(counts, chain),
    visits: { alike: counts?.visited[chain.at(-1) ?? EVERYBODY] ?? 0, all: counts?.visited[EVERYBODY] ?? 0 },
    distanceKm: position === null ? null : distanceKm(position, activity.venue),
  };
  let best: Scored | null = null;
  for (const day of days) {
    const scored = scoredOn(day, activity, fixed, filters, asked);
    if (scored === null) continue;
    if (scored.date === city.today) return scored;
    if (best === null || scored.scoreCenti > best.scoreCenti) best = scored;
  }
  return best;
}

/** What is the same on every date. */
type Fixed = { readonly profile: number; readonly groundTruth: number } & Pick<Scored, 'visits' | 'distanceKm'>;

/** Null where the date is full, too dear, or over before the guest is there. */
function scoredOn(
  { day, allotment, opening }: CandidateDay,
  activity: Activity,
  fixed: Fixed,
  { maxPriceThbMinor }: Filters,
  { city, question, knowledge, percentOff, weatherOf }: Asked,
): Scored | null {
  const { nowMs, profile } = question;
  const { distanceKm: km } = fixed;
  const { utcOffsetMinutes } = cityFacts(city.city);
  const plan = planVisit(day, { nowMs, utcOffsetMinutes, distanceKm: km }, activity.bestTimes);
  const touched = knowledge.allotments.get(allotment);
  if (plan === null) return null;
  const { capacity, unitPriceMinor } = touched === undefined ? day : standing(touched, opening);
  if ((touched?.taken ?? 0) >= capacity) return null;
  const wished = question.includeFlashDeals ? (touched?.deal ?? null) : null;
  const hotel = percentOff.get(activity.id) ?? 0;
  const { discountMinor } = presentPrice(unitPriceMinor, wished, hotel, opening, nowMs);
  const offered = dealAt(wished, opening, nowMs);
  const deal = offered !== null && offered.discountPercent >= hotel ? offered : null;
  const presentPriceMinor = unitPriceMinor - discountMinor;
  const { exchangeRates } = knowledge;
  if (
    maxPriceThbMinor !== null &&
    !isWithinThb(presentPriceMinor, activity.currency, maxPriceThbMinor, exchangeRates())
  )
    return null;
  const weather = weatherOf(plan.startMs, activity.durationMinutes);
  const level = priceLevel(unitPriceMinor, city.pricesMinor);
  const factors = {
    profile: perMille(fixed.profile),
    groundTruth: perMille(fixed.groundTruth),
    weather: perMille(weatherFactor(activity.setting, weather.pleasantness)),
    time: perMille(timeFactor(plan, { nowMs, distanceKm: km })),
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
    factors,
    scoreCenti: scoreCenti(factors),
    plan,
    distanceKm: km,
    weather: weather.worst,
    priceLevel: level,
    visits: fixed.visits,
  };
}

function worstOf(hours: readonly Conditions[]): Scored['weather'] {
  const worst = { temperatureC: Number.NEGATIVE_INFINITY, precipitationProbability: 0 };
  for (const { temperatureC, precipitationProbability } of hours) {
    worst.temperatureC = Math.max(worst.temperatureC, temperatureC);
    worst.precipitationProbability = Math.max(worst.precipitationProbability, precipitationProbability);
  }
  return worst;
}
