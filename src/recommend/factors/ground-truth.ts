import { EVERYBODY, type Sums, type SumsOfSpans } from '../../../projections/groundtruth/read-model.ts';
import type { Fade } from '../../domain/learning/fading.ts';
import { GROUND_TRUTH_POWER } from '../../domain/recommendation/ranking-model.ts';

/**
 * Weight of what is assumed, in expected visits: with this many of its own, a sum counts as much as the wider one. Chosen in
 * the synthetic city, like GROUND_TRUTH_POWER: docs/decisions/0078.
 */
const PRIOR = 2;

/** The factor without evidence. */
export const USUAL = 0.5;

/**
 * How often travellers visited an activity, compared with how often its places in the answers led to expect: 1 is as often,
 * 2 twice as often. An estimate in three steps, (visits + 2 · ratio assumed) / (expected visits + 2): lasting of all
 * travellers, assuming 1; lasting of the travel type, assuming that of all; recent of the type, assuming its lasting one.
 * Each is the mean of a gamma distribution whose prior is the step before.
 *
 * @param sum index of the travel type's sum
 * @param fade what the stored sums are multiplied by
 */
export function visitRatio({ recent, lasting }: SumsOfSpans, sum: number, fade: Fade): number {
  const ratio = ({ visited, expected }: Sums, at: number, faded: number, assumed: number): number =>
    ratioOf((visited[at] ?? 0) * faded, (expected[at] ?? 0) * faded, assumed);
  const all = ratio(lasting, EVERYBODY, fade.lasting, 1);
  return ratio(recent, sum, fade.recent, ratio(lasting, sum, fade.lasting, all));
}

/** The ratio as a factor in (0,1), r³ / (r³ + 1): 0.5 as often as expected, 0.89 at twice, 0.11 at half as often. */
export function factorOfRatio(ratioOfVisits: number): number {
  const strength = ratioOfVisits ** GROUND_TRUTH_POWER;
  return strength / (strength + 1);
}

export function groundTruthFactor(sums: SumsOfSpans, sum: number, fade: Fade): number {
  return factorOfRatio(visitRatio(sums, sum, fade));
}

/** One step of the estimate. A withdrawn visit can leave a rounding error below 0. */
export function ratioOf(visits: number, expected: number, assumed: number): number {
  return (Math.max(0, visits) + PRIOR * assumed) / (Math.max(0, expected) + PRIOR);
}
