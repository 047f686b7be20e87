/** Version of the curve of places, which each event of evidence names. */
export const PLACES = 'places-1';

/** A place is looked at in proportion to k^-0.7. */
const EXPONENT = 0.7;

/**
 * The expected visits of each activity of an answer at usual strength, given that the traveller visited one of them: Luce's
 * choice model, w(k) / Σ w(k_i)·r_i.
 *
 * @param places from 1
 * @param strengths r of each activity; 1 is usual
 */
export function expectedShares(places: readonly number[], strengths: readonly number[]): readonly number[] {
  const weights = places.map((place) => place ** -EXPONENT);
  const whole = weights.reduce((sum, weight, at) => sum + weight * (strengths[at] ?? 1), 0);
  return weights.map((weight) => weight / whole);
}
