import type { ActivityId } from '../../src/domain/activity/activity.ts';

/**
 * How an activity fared with travellers, one number for each level of likeness (domain/recommendation/segments.ts): how
 * often recommend showed it, and how often it was visited, proven by a scan. A document never grows.
 */
export type GroundTruthDocument = {
  readonly activityId: ActivityId;
  /** Showings, and visits that no showing led to. */
  readonly tried: readonly number[];
  readonly visited: readonly number[];
};
