import type { Estimate } from './ranker.ts';

/** Expected visits at which a candidate is drawn half as often as one without evidence. */
const KNOWN_FROM = 1;

/**
 * Relative probabilities with which an exploring answer lifts each candidate: in proportion to what is not known of it, so
 * that an activity that came late is shown at once, and least of all one that travellers often saw.
 */
export function explorationWeights(candidates: readonly Pick<Estimate, 'expected'>[]): readonly number[] {
  return candidates.map(({ expected }) => KNOWN_FROM / (KNOWN_FROM + Math.max(0, expected)));
}
