import { type Estimate, Z } from '../../domain/experiment/intervals.ts';
import { type Rewarded, type RewardModel, rewardModel } from './reward-model.ts';
import { SAMPLES_PER_TURN, type Turn } from './samples.ts';

/** An answer as the estimators read it. */
export type Weighted = {
  /** Target probability of the logged first activity by its logged probability: the importance weight. */
  readonly weight: number;
  readonly visits: number;
  /** Expected visits of the reward model for the logged first activity. */
  readonly predicted: number;
  /** The same for the target's first activity. */
  readonly expected: number;
  /** Share of the target's first places that the logs know nothing about. */
  readonly unsupported: number;
};

/**
 * Quantile of Student's t distribution for 95 %, by its expansion about the normal distribution (Abramowitz and Stegun,
 * 26.7.5).
 */
export function quantile(degreesOfFreedom: number): number {
  return Z + (Z ** 3 + Z) / (4 * degreesOfFreedom) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degreesOfFreedom ** 2);
}

/**
 * Each answer with the reward model of the other fold: a model that has seen the answer's own visits would predict them
 * too well (cross-fitting; Chernozhukov et al. 2018).
 */
export async function weighted(answers: readonly Rewarded[], turn: Turn): Promise<readonly Weighted[]> {
  const halves = [1, 0].map((fold) => answers.filter((_, index) => index % 2 === fold));
  const models = await Promise.all(halves.map((half) => rewardModel(half, turn)));
  const rows: Weighted[] = [];
  for (const [index, answer] of answers.entries()) {
    if (index % SAMPLES_PER_TURN === 0) await turn();
    rows.push(weightedBy(models[index % 2] as RewardModel, answer));
  }
  return rows;
}

function weightedBy(model: RewardModel, { sample, visits }: Rewarded): Weighted {
  const { first, travelType, propensity, target, supported } = sample;
  const chosen = target.find((each) => each.first === first)?.probability ?? 0;
  return {
    weight: chosen / propensity,
    visits,
    predicted: model(first, travelType),
    expected: target.reduce((sum, each) => sum + each.probability * model(each.first, travelType), 0),
    unsupported: 1 - supported,
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
  return around(meanOf(answers.map(({ visits }) => visits)), 0);
}

/** Visits per answer of the target: the weighted mean (self-normalised importance sampling). Null without any weight. */
export function selfNormalised(answers: readonly Weighted[]): Estimate | null {
  const weights = sumOf(answers, ({ weight }) => weight);
  if (weights === 0) return null;
  const value = sumOf(answers, ({ weight, visits }) => weight * visits) / weights;
  const errors = answers.map(({ weight, visits }) => weight * (visits - value));
  return around({ value, error: errorOf(errors) / weights }, unknown(answers));
}

/** The same by the doubly robust estimator (Dudík, Langford and Li 2011). */
export function doublyRobust(answers: readonly Weighted[]): Estimate {
  return around(meanOf(answers.map(scoreOf)), unknown(answers));
}

/** By how many visits per answer the target exceeds the present model, answer by answer. */
export function difference(answers: readonly Weighted[]): Estimate {
  return around(meanOf(answers.map((answer) => scoreOf(answer) - answer.visits)), unknown(answers));
}

function scoreOf({ weight, visits, predicted, expected }: Weighted): number {
  return expected + weight * (visits - predicted);
}

/** `error` is half the width of the interval. */
type Mean = { readonly value: number; readonly error: number };

function meanOf(values: readonly number[]): Mean {
  const count = Math.max(1, values.length);
  const value = sumOf(values, (each) => each) / count;
  const correction = Math.sqrt(count / Math.max(1, count - 1));
  return { value, error: (errorOf(values.map((each) => each - value)) / count) * correction };
}

/**
 * Half the width of the interval of a sum of independent terms, of their deviations. If a few large weights make most of
 * the variance, it is known badly: the degrees of freedom are then those of a few terms (Satterthwaite 1946).
 */
function errorOf(deviations: readonly number[]): number {
  const variance = sumOf(deviations, (each) => each ** 2);
  const fourth = sumOf(deviations, (each) => each ** 4);
  return fourth === 0 ? 0 : quantile(variance ** 2 / fourth) * Math.sqrt(variance);
}

/**
 * What the logs cannot tell, in visits per answer: first places without support may lead to no visit, or to twice as many
 * as usual.
 */
function unknown(answers: readonly Weighted[]): number {
  return (
    meanOf(answers.map(({ unsupported }) => unsupported)).value * meanOf(answers.map(({ visits }) => visits)).value
  );
}

function around({ value, error }: Mean, wider: number): Estimate {
  const half = error + wider;
  return { value, low: value - half, high: value + half };
}

function sumOf<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0);
}
