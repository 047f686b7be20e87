import { MODEL, WHOLE } from './score.ts';

/**
 * What an experiment may change in a ranking. The weights of the factors are fixed by the specification and no part of it.
 */
export type RankingModel = {
  readonly name: string;
  /** Exponent of the visit ratio r in the factor r^p / (r^p + 1). */
  readonly groundTruthPower: number;
  /** Share of the answers that explore. */
  readonly explorationPercent: number;
};

/** The name of the model in force outside experiments. */
export const DEFAULT_MODEL_NAME = 'default';
/** Above 1, so that a difference in visits weighs enough beside the other factors: 0.89 at twice the usual visits. */
export const GROUND_TRUTH_POWER = 3;

/**
 * The versions of the scoring rules whose scores `scoreCenti` computes, each with the power of its ground truth. They differ in
 * how ground truth is learnt; `weights-1` had r / (r + 1).
 */
export const POWER_OF_MODEL: ReadonlyMap<string, number> = new Map([
  ['weights-1', 1],
  [MODEL, GROUND_TRUTH_POWER],
]);

/** The model of the settings. */
export function defaultModel(explorationPercent: number): RankingModel {
  return { name: DEFAULT_MODEL_NAME, groundTruthPower: GROUND_TRUTH_POWER, explorationPercent };
}

/**
 * A ground-truth factor of the default power under another power, in thousandths. The factor f is that of the ratio
 * r with r³ = f / (1 − f), and the result is r^p / (r^p + 1), written so that 0 and 1 stay 0 and 1.
 */
export function withPower(factorPerMille: number, power: number): number {
  return withExponent(factorPerMille, power / GROUND_TRUTH_POWER);
}

/** The factor x^e / (x^e + 1) for the factor x / (x + 1), both in thousandths. */
export function withExponent(factorPerMille: number, exponent: number): number {
  if (exponent === 1) return factorPerMille;
  const visited = (factorPerMille / WHOLE) ** exponent;
  const not = (1 - factorPerMille / WHOLE) ** exponent;
  return Math.round((visited / (visited + not)) * WHOLE);
}
