import type { Activity } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import { Bounds } from './bounds.ts';
import type { CityCandidates } from './candidates.ts';
import { type Filters, NO_FILTERS } from './request.ts';
import { type RankingData, type RankingQuery, type ScoredActivity, Scoring } from './scoring.ts';

export type { RankingData, RankingQuery, ScoredActivity };

/** Number of the best candidates that a ranking returns: more than an answer shows, and all that the context log stores. */
export const MAX_RANKED = 50;

/** The number of activities found if this filter is removed. */
export type Relaxation = { readonly filter: keyof Filters; readonly activities: number };

export type Ranking =
  /** At least one activity and at most MAX_RANKED, best first; equal scores sorted by id. */
  | {
      readonly kind: 'ranking';
      readonly ranked: readonly ScoredActivity[];
      /** Number of activities that could have been shown. */
      readonly candidates: number;
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

/**
 * Scores the activities that pass the filters and have enough free slots on one of the candidates' dates, and returns the
 * best ones. Pure.
 */
export function rank(city: CityCandidates, query: RankingQuery, data: RankingData): Ranking {
  const scoring = new Scoring(city, query, data);
  const { filters } = query;
  const { best, candidates } = bestWith(filters, scoring, city, query);
  if (candidates > 0) {
    const converted = filters.maxPriceThbMinor !== null && cityFacts(city.city.name).currency !== 'THB';
    const ranked = best.map(({ index, dateIndex }) => {
      scoring.begin(index);
      scoring.isFreeOn(dateIndex, null);
      return scoring.scored();
    });
    return { kind: 'ranking', ranked, candidates, rates: converted ? data.exchangeRates() : null };
  }
  const relaxations = FILTER_NAMES.filter((filter) => filters[filter] !== null)
    .map((filter) => ({ filter, activities: countWith({ ...filters, [filter]: null }, scoring, city, query) }))
    .filter(({ activities }) => activities > 0)
    .sort((left, right) => right.activities - left.activities);
  return { kind: 'nothing', relaxations, unfiltered: countWith(NO_FILTERS, scoring, city, query) };
}

const FILTER_NAMES = ['indoor', 'difficulty', 'maxPriceThbMinor', 'categories'] as const;

/** A candidate and its date, by their indexes. */
type Best = { readonly index: number; readonly dateIndex: number; readonly scoreCenti: number };

/** The best candidates, best first, and the number of all that pass. */
function bestWith(filters: Filters, scoring: Scoring, city: CityCandidates, query: RankingQuery) {
  const bounds = new Bounds(city.city.candidates.length);
  forEachPassing(filters, city, query, (index) => {
    scoring.begin(index);
    if (scoring.isFree(filters.maxPriceThbMinor)) bounds.put(index, scoring.highestCenti);
  });
  const best: Best[] = [];
  for (const index of bounds.highestFirst()) {
    const last = best[MAX_RANKED - 1];
    // Neither can those after it: their bounds are lower, or the same with greater indexes.
    if (last !== undefined && !precedes({ index, scoreCenti: bounds.of(index) }, last)) break;
    const found = bestDate(index, filters, scoring, city);
    if (found !== null) insert(best, found);
  }
  return { best, candidates: bounds.size };
}

/** Calls back with the index of each candidate that passes every filter but the price. */
function forEachPassing(
  filters: Filters,
  { city: { columns } }: CityCandidates,
  query: RankingQuery,
  call: (index: number) => void,
): void {
  const { of, examples } = columns.kinds;
  const passing = examples.map((example) => passes(example, filters, query));
  for (let index = 0; index < of.length; index++) if (passing[of[index] as number] === true) call(index);
}

function insert(best: Best[], found: Best): void {
  let place = best.length;
  while (place > 0 && precedes(found, best[place - 1] as Best)) place--;
  best.splice(place, 0, found);
  if (best.length > MAX_RANKED) best.pop();
}

/** Candidates are in the order of their ids. */
function precedes(one: Pick<Best, 'index' | 'scoreCenti'>, other: Best): boolean {
  return one.scoreCenti > other.scoreCenti || (one.scoreCenti === other.scoreCenti && one.index < other.index);
}

function countWith(filters: Filters, scoring: Scoring, city: CityCandidates, query: RankingQuery): number {
  let count = 0;
  forEachPassing(filters, city, query, (index) => {
    scoring.begin(index);
    if (scoring.isFree(filters.maxPriceThbMinor)) count++;
  });
  return count;
}

/** Every filter but the price, which depends on the date. */
function passes(activity: Activity, { indoor, difficulty, categories }: Filters, { place }: RankingQuery): boolean {
  if (activity.exclusiveTo !== null && activity.exclusiveTo !== place.hotel?.id) return false;
  // The filter is for rainy days, so an activity that is partly outdoors does not pass.
  if (indoor === true && activity.setting !== 'indoor') return false;
  if (difficulty !== null && activity.difficulty !== difficulty) return false;
  return categories === null || categories.includes(activity.category);
}

/** Today if the candidate is available, else its date with the highest score; null if no date is available. */
function bestDate(
  index: number,
  { maxPriceThbMinor }: Filters,
  scoring: Scoring,
  { today, dates }: CityCandidates,
): Best | null {
  scoring.begin(index);
  let best: Best | null = null;
  for (let dateIndex = 0; dateIndex < dates.length; dateIndex++) {
    if (!scoring.isFreeOn(dateIndex, maxPriceThbMinor)) continue;
    const { scoreCenti } = scoring;
    if (best === null || scoreCenti > best.scoreCenti) best = { index, dateIndex, scoreCenti };
    if (dates[dateIndex]?.date === today) return best;
  }
  return best;
}
