import { TRAVEL_TYPES, type TravelType } from '../../src/domain/activity/vocabulary.ts';
import { placeWeight } from '../../src/domain/learning/places.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import type { Asked, Ranker, SyntheticVisit } from './ranker.ts';

/** No ground truth: what the other factors achieve. */
export function constantRanker(activities: number): Ranker {
  const estimates = Array.from({ length: activities }, () => ({ factor: 0.5, ratio: 1, expected: 0 }));
  return { estimate: () => estimates, visited: () => {} };
}

/** The formula of `weights-1`: impressions and visits, all travellers, then the travel type, each with 200 impressions. */
export function formerRanker(activities: number): Ranker {
  const PRIOR = 200;
  const USUAL_RATE = 0.02;
  const tried = countsOf(activities);
  const visited = countsOf(activities);
  const add = (counts: readonly number[][], index: number, levels: readonly number[]): void => {
    for (const level of levels) addTo(counts, index, level, 1);
  };
  return {
    estimate: ({ travelType }) =>
      tried.map((counts, index) => {
        let rate = USUAL_RATE;
        for (const level of [0, levelOf(travelType)]) {
          const visits = visited[index]?.[level] ?? 0;
          rate = (PRIOR * rate + visits) / (PRIOR + Math.max(visits, counts[level] ?? 0));
        }
        return { factor: rate / (rate + USUAL_RATE), ratio: rate / USUAL_RATE, expected: 0 };
      }),
    shown({ travelType }, shown) {
      for (const index of shown) add(tried, index, [0, levelOf(travelType)]);
    },
    visited({ activity, travelType, answer }) {
      if (answer === null) add(tried, activity, [0]);
      add(visited, activity, answer === null ? [0] : [0, levelOf(travelType)]);
    },
  };
}

/** How a formula that was compared with the present one differs from it. */
export type Alternative = {
  readonly halfLifeDays: number;
  /** A second sum with this half-life is what is assumed where the first has little evidence. */
  readonly slowHalfLifeDays: number | null;
  readonly prior: number;
  readonly power: number;
  /** `choice`: of the answers that led to a visit. `showings`: of all answers, at the running rate of the travel type. */
  readonly expectedFrom: 'choice' | 'showings';
  /** Above 0: expects more of an activity that was shown among weak ones, by this power of their ratios. */
  readonly strengths?: number;
  /** Between everybody and the activity: the category among travellers of the type. */
  readonly categories?: readonly number[];
};

/** Weight of the usual rate in the running rate of a travel type, in considered places. */
const PRIOR_PLACES = 50;
const USUAL_RATE = 0.03;
const STRONGEST = 4;
/** Keeps the weights of short half-lives within a double. */
const REFERENCE_MS = Date.parse('2026-06-01T00:00:00Z');

export function alternativeRanker(activities: number, alternative: Alternative): Ranker {
  const { halfLifeDays, slowHalfLifeDays, prior, power, expectedFrom, strengths = 0, categories } = alternative;
  const fast = new FadingSums(activities, halfLifeDays, prior, categories);
  const slow = slowHalfLifeDays === null ? null : new FadingSums(activities, slowHalfLifeDays, prior, categories);
  const rates = new FadingSums(1, halfLifeDays, PRIOR_PLACES, undefined);
  const add = (index: number, level: number, atMs: number, [visits, expected]: readonly [number, number]): void => {
    fast.add(index, level, atMs, [visits, expected]);
    slow?.add(index, level, atMs, [visits, expected]);
  };
  return {
    estimate({ travelType, nowMs }) {
      const level = levelOf(travelType);
      return Array.from({ length: activities }, (_, index) => {
        const assumed = slow === null ? null : slow.ratio(index, level, nowMs, null);
        const ratio = fast.ratio(index, level, nowMs, assumed);
        const strength = ratio ** power;
        return { factor: strength / (strength + 1), ratio, expected: (slow ?? fast).expected(index, level, nowMs) };
      });
    },
    shown({ travelType, nowMs }: Asked, shown) {
      if (expectedFrom === 'choice') return;
      const level = levelOf(travelType);
      const rate = rates.ratio(0, level, nowMs, 1) * USUAL_RATE;
      shown.forEach((index, at) => {
        const weight = placeWeight(at + 1);
        rates.add(0, level, nowMs, [0, weight * USUAL_RATE]);
        add(index, level, nowMs, [0, weight * rate]);
      });
    },
    visited({ activity, travelType, atMs, answer }: SyntheticVisit) {
      if (answer === null) return add(activity, 0, atMs, [1, 0.25]);
      const level = levelOf(travelType);
      add(activity, level, atMs, [1, 0]);
      if (expectedFrom === 'showings') return rates.add(0, level, atMs, [1, 0]);
      const ratioAt = (at: number): number =>
        Math.min(STRONGEST, Math.max(1 / STRONGEST, answer.ratios[at] ?? 1)) ** strengths;
      const whole = answer.shown.reduce((sum, _, at) => sum + placeWeight(at + 1) * ratioAt(at), 0);
      answer.shown.forEach((index, at) => add(index, level, atMs, [0, placeWeight(at + 1) / whole]));
    },
  };
}

/** Visits and expected visits by activity and travel type; level 0 is a traveller of unknown type. */
class FadingSums {
  readonly #visits: number[][];
  readonly #expected: number[][];
  readonly #halfLifeMs: number;
  readonly #prior: number;
  readonly #categories: readonly number[] | undefined;

  constructor(activities: number, halfLifeDays: number, prior: number, categories: readonly number[] | undefined) {
    this.#visits = countsOf(activities);
    this.#expected = countsOf(activities);
    this.#halfLifeMs = halfLifeDays * DAY_MS;
    this.#prior = prior;
    this.#categories = categories;
  }

  add(index: number, level: number, atMs: number, [visits, expected]: readonly [number, number]): void {
    const weight = 2 ** ((atMs - REFERENCE_MS) / this.#halfLifeMs);
    addTo(this.#visits, index, level, visits * weight);
    addTo(this.#expected, index, level, expected * weight);
  }

  /** @param assumed null: estimated from the travellers of all types */
  ratio(index: number, level: number, nowMs: number, assumed: number | null): number {
    const fade = 2 ** ((REFERENCE_MS - nowMs) / this.#halfLifeMs);
    const of = (visits: number, expected: number, before: number): number =>
      (visits * fade + this.#prior * before) / (expected * fade + this.#prior);
    const all = (counts: readonly number[] = []): number => counts.reduce((sum, count) => sum + count, 0);
    const wider =
      assumed ?? of(all(this.#visits[index]), all(this.#expected[index]), this.#ofCategory(index, level, of));
    return of(this.#visits[index]?.[level] ?? 0, this.#expected[index]?.[level] ?? 0, wider);
  }

  expected(index: number, level: number, nowMs: number): number {
    return (this.#expected[index]?.[level] ?? 0) * 2 ** ((REFERENCE_MS - nowMs) / this.#halfLifeMs);
  }

  #ofCategory(index: number, level: number, of: (visits: number, expected: number, before: number) => number): number {
    const categories = this.#categories;
    if (categories === undefined) return 1;
    const ofCategory = (counts: readonly (readonly number[])[]): number =>
      counts.reduce((sum, levels, at) => sum + (categories[at] === categories[index] ? (levels[level] ?? 0) : 0), 0);
    return of(ofCategory(this.#visits), ofCategory(this.#expected), 1);
  }
}

function countsOf(activities: number): number[][] {
  return Array.from({ length: activities }, () => Array.from({ length: 1 + TRAVEL_TYPES.length }, () => 0));
}

function addTo(counts: readonly number[][], index: number, level: number, amount: number): void {
  const levels = counts[index];
  if (levels !== undefined) levels[level] = (levels[level] ?? 0) + amount;
}

function levelOf(travelType: TravelType): number {
  return 1 + TRAVEL_TYPES.indexOf(travelType);
}
