import { type Rewarded, type RewardModel, rewardModel } from './reward-model.ts';

/** A mean with its 95 % interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

/** An answer as the estimators read it. */
export type Weighted = {
  /** Target probability of the logged first activity by its logged probability: the importance weight. */
  readonly weight: number;
  readonly visits: number;
  /** Expected visits of the reward model for the logged first activity. */
  readonly predicted: number;
  /** The same for the target's first activity. */
  readonly expected: number;
};

/** Quantile of the normal distribution for 95 %. */
const Z = 1.96;

/**
 * Each answer with the reward model of the other fold: a model that has seen the answer's own visits would predict them
 * too well (cross-fitting; Chernozhukov et al. 2018).
 */
export function weighted(answers: readonly Rewarded[]): readonly Weighted[] {
  const models = [1, 0].map((fold) => rewardModel(answers.filter((_, index) => index % 2 === fold)));
  return answers.map((answer, index) => weightedBy(models[index % 2] as RewardModel, answer));
}

function weightedBy(model: RewardModel, { sample, visits }: Rewarded): Weighted {
  const { first, travelType, propensity, target } = sample;
  const chosen = target.find((each) => each.first === first)?.probability ?? 0;
  return {
    weight: chosen / propensity,
    visits,
    predicted: model(first, travelType),
    expected: target.reduce((sum, each) => sum + each.probability * model(each.first, travelType), 0),
  };
}

/** The number of equally weighted answers that would be as precise (Kish 1965). */
export function effectiveSample(answers: readonly Weighted[]): number {
  const sum = sumOf(answers, ({ weight }) => weight);
  const squares = sumOf(answers, ({ weight }) => weight ** 2);
  return squares === 0 ? 0 : sum ** 2 / squares;
}

/** Visits per answer as they are. */
export function mean(answers: readonly Weighted[]): Estimate {
  return meanOf(answers.map(({ visits }) => visits));
}

/** Visits per answer of the target: the weighted mean (self-normalised importance sampling). Null without any weight. */
export function selfNormalised(answers: readonly Weighted[]): Estimate | null {
  const weights = sumOf(answers, ({ weight }) => weight);
  if (weights === 0) return null;
  const value = sumOf(answers, ({ weight, visits }) => weight * visits) / weights;
  const squares = sumOf(answers, (each) => each.weight ** 2 * squaredError(each, value));
  return around(value, Math.sqrt(squares) / weights);
}

/** The same by the doubly robust estimator (Dudík, Langford and Li 2011). */
export function doublyRobust(answers: readonly Weighted[]): Estimate {
  return meanOf(answers.map(scoreOf));
}

/** By how many visits per answer the target exceeds the present model, answer by answer. */
export function difference(answers: readonly Weighted[]): Estimate {
  return meanOf(answers.map((answer) => scoreOf(answer) - answer.visits));
}

function scoreOf({ weight, visits, predicted, expected }: Weighted): number {
  return expected + weight * (visits - predicted);
}

function squaredError({ visits }: Weighted, value: number): number {
  return (visits - value) ** 2;
}

function meanOf(values: readonly number[]): Estimate {
  const count = Math.max(1, values.length);
  const value = sumOf(values, (each) => each) / count;
  const squares = sumOf(values, (each) => (each - value) ** 2);
  return around(value, Math.sqrt(squares / Math.max(1, count - 1) / count));
}

function around(value: number, standardError: number): Estimate {
  return { value, low: value - Z * standardError, high: value + Z * standardError };
}

function sumOf<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0);
}
