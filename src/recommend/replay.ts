import type { ActivityId, LocalDate } from '../domain/activity/activity.ts';
import { fromColumns } from '../domain/recommendation/ranked.ts';
import type { ServedFacts } from '../domain/recommendation/recommendation.ts';
import { type Factors, MODEL, scoreCenti } from '../domain/recommendation/score.ts';

export type Replayed = {
  readonly activityId: ActivityId;
  readonly date: LocalDate;
  /** 0-100, in hundredths. */
  readonly scoreCenti: number;
  readonly factors: Factors;
};

/**
 * Works out an answer again from its context log: what was shown, with the same scores in the same order, because scores
 * are whole numbers that follow from the logged factors, and ties from the ids. Null for the log of other rules than those
 * of this version: its scores would not be these.
 */
export function replay({
  model,
  ranked,
  shown,
}: Pick<ServedFacts, 'model' | 'ranked' | 'shown'>): readonly Replayed[] | null {
  if (model !== MODEL) return null;
  return fromColumns(ranked)
    .map((candidate) => ({ ...candidate, scoreCenti: scoreCenti(candidate.factors) }))
    .sort((left, right) => right.scoreCenti - left.scoreCenti || (left.activityId < right.activityId ? -1 : 1))
    .slice(0, shown);
}
