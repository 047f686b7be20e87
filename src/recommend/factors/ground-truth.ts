import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import { type Evidence, FEW_VISITS } from '../../domain/recommendation/evidence.ts';
import { EVERYBODY } from '../../domain/recommendation/segments.ts';

/** Prior visit rate: 2 visits per 100 impressions. */
export const EXPECTED_RATE = 0.02;

/**
 * Weight of a level's prior, in impressions: with this many of its own, a level counts as much as the level above it. It
 * is large because one impression counts at up to four levels. At a rate of 2 %, 100 impressions without a visit happen by
 * chance once in eight times and must not remove an activity from the results.
 */
const PRIOR_IMPRESSIONS = 200;

type Counts = Pick<GroundTruthDocument, 'tried' | 'visited'>;

/**
 * The visit rate of an activity among similar travellers, in (0,1). A hierarchical Beta estimate: from the level of all
 * travellers to the most similar segment, each level's rate is a posterior mean whose prior is the rate of the level above:
 * (200 · rate above + visits) / (200 + impressions). With more data a level relies less on its prior. A visit by a similar
 * traveller counts at every shared level, so it weighs more than another visit.
 *
 * @param chain segment levels, widest first; each contains the next
 */
export function visitRate(counts: Counts | undefined, chain: readonly number[]): number {
  let rate = EXPECTED_RATE;
  for (const level of chain) {
    const visited = counts?.visited[level] ?? 0;
    // One impression can lead to two bookings, so there can be more visits than impressions.
    const impressions = Math.max(visited, counts?.tried[level] ?? 0);
    rate = (PRIOR_IMPRESSIONS * rate + visited) / (PRIOR_IMPRESSIONS + impressions);
  }
  return rate;
}

/**
 * The visit rate as a factor in (0,1): rate / (rate + expected rate). No data, or a rate as expected, gives 0.5; twice the
 * expected rate gives 0.67, half of it 0.33. A visit always raises the factor; an impression without a visit never does.
 */
export function groundTruthFactor(counts: Counts | undefined, chain: readonly number[]): number {
  const rate = visitRate(counts, chain);
  return rate / (rate + EXPECTED_RATE);
}

/** Visits and expected visits of the same travel type, of all travellers if the type has few visits. */
export function evidenceOf(counts: Counts | undefined, chain: readonly number[]): Evidence {
  const ofType = chain[1] ?? EVERYBODY;
  const sameType = ofType !== EVERYBODY && (counts?.visited[ofType] ?? 0) >= FEW_VISITS;
  const level = sameType ? ofType : EVERYBODY;
  return { visited: counts?.visited[level] ?? 0, expected: (counts?.tried[level] ?? 0) * EXPECTED_RATE, sameType };
}
