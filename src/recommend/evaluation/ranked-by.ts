import type { ActivityId } from '../../domain/activity/activity.ts';
import { withExponent } from '../../domain/recommendation/ranking-model.ts';
import {
  byScore,
  type Factors,
  precedes,
  scoreCenti,
  WEIGHTS_PERCENT,
  type Weights,
  WHOLE,
} from '../../domain/recommendation/score.ts';

type Candidate = { readonly activityId: ActivityId; readonly factors: Factors };

export type Ranked = Candidate & {
  readonly scoreCenti: number;
  /** The score with ground truth 1, which exploration gives to one candidate. */
  readonly liftedCenti: number;
};

/** The parameters that an evaluation tries. */
export type TargetModel = {
  readonly name: string;
  readonly weights: Weights;
  /** The exponent of the visit rate r in the factor r^power / (r^power + 1). */
  readonly groundTruthPower: number;
  /** The share of answers that explore, in [0,1]. */
  readonly exploration: number;
};

/** By score, equal scores by id, as recommend ranks. */
export function bestFirst(candidates: readonly Candidate[], weights: Weights = WEIGHTS_PERCENT): readonly Ranked[] {
  return candidates
    .map(({ activityId, factors }) => ({
      activityId,
      factors,
      scoreCenti: scoreCenti(factors, weights),
      liftedCenti: scoreCenti({ ...factors, groundTruth: WHOLE }, weights),
    }))
    .sort(byScore);
}

/** Whether exploration shows the candidate first if it lifts it above the best one. */
export function takesFirst({ activityId, liftedCenti }: Ranked, best: Ranked): boolean {
  return precedes({ activityId, scoreCenti: liftedCenti }, best);
}

/** The candidates of a logged answer as a model ranks them. */
export function rankedBy(
  { weights, groundTruthPower }: Pick<TargetModel, 'weights' | 'groundTruthPower'>,
  logged: { readonly ranked: readonly Candidate[]; readonly groundTruthPower: number },
): readonly Ranked[] {
  const exponent = groundTruthPower / logged.groundTruthPower;
  if (exponent === 1) return bestFirst(logged.ranked, weights);
  const candidates = logged.ranked.map(({ activityId, factors }) => ({
    activityId,
    factors: { ...factors, groundTruth: withExponent(factors.groundTruth, exponent) },
  }));
  return bestFirst(candidates, weights);
}

/** An activity and the probability that a model shows it first. */
export type FirstPlace = { readonly activityId: ActivityId; readonly probability: number };

/**
 * The first places of a model that explores; empty without candidates. The draw is even: a log does not hold the
 * probabilities with which another model would draw.
 */
export function firstPlaces(ranked: readonly Ranked[], exploration: number): readonly FirstPlace[] {
  const [best] = ranked;
  if (best === undefined) return [];
  const rivals = exploration === 0 ? [] : ranked.filter((each) => each !== best && takesFirst(each, best));
  const probability = exploration / ranked.length;
  return [
    { activityId: best.activityId, probability: 1 - rivals.length * probability },
    ...rivals.map(({ activityId }) => ({ activityId, probability })),
  ];
}
