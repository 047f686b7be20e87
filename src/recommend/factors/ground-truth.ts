import { EVERYBODY, type Sums } from '../../../projections/groundtruth/read-model.ts';

/**
 * Weight of what is assumed before there is evidence, in expected visits. With this many of its own, a travel type counts
 * as much as all travellers. Chosen in the synthetic city: docs/decisions/0078.
 */
const PRIOR = 3;

/** Above 1, so that a difference in visits weighs enough beside the other factors. Chosen in the synthetic city. */
const POWER = 3;

/** The factor without evidence. */
export const USUAL = 0.5;

/**
 * How often travellers visited an activity, compared with how often its places in the answers led to expect: 1 is as often,
 * 2 twice as often. A gamma-Poisson estimate in two steps, (visits + 3 · ratio assumed) / (expected visits + 3): first of
 * all travellers, assuming 1; then of the travel type, assuming that of all.
 *
 * @param sum index of the travel type's sum
 * @param fade what a stored sum is multiplied by
 */
export function visitRatio({ visited, expected }: Sums, sum: number, fade: number): number {
  const all = ratio(visited[EVERYBODY] ?? 0, expected[EVERYBODY] ?? 0, fade, 1);
  return ratio(visited[sum] ?? 0, expected[sum] ?? 0, fade, all);
}

/** The ratio as a factor in (0,1), r³ / (r³ + 1): 0.5 as often as expected, 0.89 at twice, 0.11 at half as often. */
export function factorOfRatio(ratio: number): number {
  const strength = ratio ** POWER;
  return strength / (strength + 1);
}

export function groundTruthFactor(sums: Sums, sum: number, fade: number): number {
  return factorOfRatio(visitRatio(sums, sum, fade));
}

/** A withdrawn visit can leave a rounding error below 0. */
function ratio(visited: number, expected: number, fade: number, assumed: number): number {
  return (Math.max(0, visited * fade) + PRIOR * assumed) / (Math.max(0, expected * fade) + PRIOR);
}
