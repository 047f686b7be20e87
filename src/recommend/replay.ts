import type { ActivityId, LocalDate } from '../domain/activity/activity.ts';
import { fromColumns } from '../domain/recommendation/ranked.ts';
import type { ServedFacts } from '../domain/recommendation/recommendation.ts';
import { type Factors, MODEL, scoreCenti } from '../domain/recommendation/score.ts';

type ReplayedCandidate = {
  readonly activityId: ActivityId;
  readonly date: LocalDate;
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
  readonly factors: Factors;
};

/**
 * Recomputes an answer from its context log: the shown activities with the same scores in the same order. This is exact,
 * because scores are integers computed from the logged factors, and ids break ties. Null for a log of another scoring model.
 */
export function replay({
  model,
  ranked,
  shown,
}: Pick<ServedFacts, 'model' | 'ranked' | 'shown'>): readonly ReplayedCandidate[] | null {
  if (model !== MODEL) return null;
  return fromColumns(ranked)
    .map((candidate) => ({ ...candidate, scoreCenti: scoreCenti(candidate.factors) }))
    .sort((left, right) => right.scoreCenti - left.scoreCenti || (left.activityId < right.activityId ? -1 : 1))
    .slice(0, shown);
}
