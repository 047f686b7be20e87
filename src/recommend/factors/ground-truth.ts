import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';

/** The rate of visits that is expected where nothing is known: two of a hundred showings. */
export const EXPECTED_RATE = 0.02;

/**
 * How many showings a level needs of its own to count as much as the level above it. A showing to somebody alike counts at
 * up to four levels, so this is large: a hundred showings without a visit, which chance alone brings once in eight times
 * where two of a hundred visit, must not be the end of an activity.
 */
const PRIOR_SHOWINGS = 200;

type Counts = Pick<GroundTruthDocument, 'tried' | 'visited'>;

/**
 * How often showing an activity to travellers like this one led to a visit, in (0,1). From everybody to those most alike,
 * each level's rate is the mean of a Beta posterior whose prior is the rate of the level above, worth `PRIOR_SHOWINGS`
 * showings: (200 · rate above + visits) / (200 + showings). So a level speaks for itself as it comes to be known, and a
 * visit by somebody alike, which is counted at every level they share, weighs more than one by somebody else.
 *
 * @param chain levels, the widest first, each within the one before
 */
export function visitRate(counts: Counts | undefined, chain: readonly number[]): number {
  let rate = EXPECTED_RATE;
  for (const level of chain) {
    const visited = counts?.visited[level] ?? 0;
    // One showing may lead to two bookings, and so to more visits than showings.
    const tried = Math.max(visited, counts?.tried[level] ?? 0);
    rate = (PRIOR_SHOWINGS * rate + visited) / (PRIOR_SHOWINGS + tried);
  }
  return rate;
}

/**
 * The visit rate as a factor in (0,1): rate / (rate + expected rate). So 0.5 means that nothing is known, or that what is
 * known is as expected; twice as many visits as expected give 0.67, half as many 0.33. One more visit always raises it, one
 * more showing without a visit never does.
 */
export function groundTruthFactor(counts: Counts | undefined, chain: readonly number[]): number {
  const rate = visitRate(counts, chain);
  return rate / (rate + EXPECTED_RATE);
}
