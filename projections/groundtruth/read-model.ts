import type { ActivityId } from '../../src/domain/activity/activity.ts';

/**
 * How often recommend showed an activity and how often guests visited it (verified by a voucher scan). Each list has one
 * count per segment level (domain/recommendation/segments.ts).
 */
export type GroundTruthDocument = {
  readonly activityId: ActivityId;
  /** Impressions, plus visits that no recommendation led to. */
  readonly tried: readonly number[];
  readonly visited: readonly number[];
};
