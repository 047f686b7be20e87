import type { Estimate } from '../../domain/experiment/intervals.ts';
import { difference, doublyRobust, effectiveSample, mean, selfNormalised, weighted } from './estimators.ts';
import { ndcgOf } from './ndcg.ts';
import { type PlaceEstimate, placeCurve } from './place-curve.ts';
import type { Move, Sample, Samples, Turn } from './samples.ts';

/** With a smaller effective sample the intervals are too narrow. */
const LEAST_EFFECTIVE_SAMPLE = 200;
/** The share of the target's first places that the logs need not support. */
const MOST_UNSUPPORTED = 0.05;
const MOST_MOVES = 20;

export type Conclusion = 'more_visits' | 'fewer_visits' | 'no_difference_shown';

/** Estimates for the target: visits per answer, and how many more than now. */
export type Estimates = {
  readonly snips: Estimate;
  readonly doublyRobust: Estimate;
  readonly difference: Estimate;
};

export type Report = {
  readonly answers: number;
  readonly visits: number;
  readonly otherModels: number;
  readonly visitsPerAnswer: Estimate;
  readonly effectiveSample: number;
  /** Answers in which the target's best activity is another one. */
  readonly differing: number;
  /** Of these, answers in which another activity than the best could have been first. */
  readonly differingExplored: number;
  /** The share of the target's first places that the logs support. */
  readonly overlap: number;
  readonly outcome:
    | { readonly kind: 'concluded'; readonly conclusion: Conclusion; readonly estimates: Estimates }
    /** Why the logs cannot support a conclusion, one sentence each. */
    | { readonly kind: 'refused'; readonly reasons: readonly string[] };
  /** Null without a visit. */
  readonly ndcg: { readonly now: number; readonly target: number } | null;
  readonly moves: readonly Move[];
  readonly places: readonly PlaceEstimate[];
};

/** @param turn is awaited often: a report of many answers must not delay requests */
export async function reportOf(samples: Samples, turn: Turn): Promise<Report> {
  const { all, otherModels } = samples;
  const answers = all.map((sample, index) => ({ sample, visits: samples.visitsOf(index).length }));
  const rows = await weighted(answers, turn);
  const differing = all.filter(({ differs }) => differs);
  const support: Support = {
    answers: all.length,
    visits: answers.reduce((sum, { visits }) => sum + visits, 0),
    effectiveSample: effectiveSample(rows),
    differing: differing.length,
    differingExplored: differing.filter(({ explores }) => explores).length,
    overlap: overlapOf(all),
  };
  const reasons = reasonsAgainst(support);
  const snips = selfNormalised(rows);
  const estimates = snips && { snips, doublyRobust: doublyRobust(rows), difference: difference(rows) };
  return {
    ...support,
    otherModels,
    visitsPerAnswer: mean(rows),
    outcome:
      estimates === null || reasons.length > 0
        ? { kind: 'refused', reasons }
        : { kind: 'concluded', conclusion: conclusionOf(estimates.difference), estimates },
    ndcg: await ndcgOf(samples, turn),
    moves: samples.moves(MOST_MOVES),
    places: await placeCurve(samples, turn),
  };
}

type Support = Pick<Report, 'answers' | 'visits' | 'effectiveSample' | 'differing' | 'differingExplored' | 'overlap'>;

function overlapOf(all: readonly Sample[]): number {
  return all.length === 0 ? 0 : all.reduce((sum, { supported }) => sum + supported, 0) / all.length;
}

function reasonsAgainst(support: Support): readonly string[] {
  const { answers, visits, differing, differingExplored, overlap } = support;
  if (answers === 0) return ['There is no logged answer in the span.'];
  const reasons: string[] = [];
  if (visits === 0) reasons.push('No logged answer led to a verified visit that counts.');
  if (differing > 0 && differingExplored === 0)
    reasons.push(
      `The model shows another activity first in ${differing} answers, and the logs explored in none of them: nothing is known of what it would show.`,
    );
  if (overlap < 1 - MOST_UNSUPPORTED)
    reasons.push(
      `${percent(1 - overlap)} of the model's first places were never possible in the logged answers; at most ${percent(MOST_UNSUPPORTED)} may be. Try a model that is nearer to the present one.`,
    );
  if (support.effectiveSample < LEAST_EFFECTIVE_SAMPLE)
    reasons.push(
      `The effective sample is ${Math.floor(support.effectiveSample)} answers; a conclusion needs ${LEAST_EFFECTIVE_SAMPLE}. Take a longer span, or explore more.`,
    );
  return reasons;
}

function conclusionOf({ low, high }: Estimate): Conclusion {
  if (low > 0) return 'more_visits';
  return high < 0 ? 'fewer_visits' : 'no_difference_shown';
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
