import type { Activity } from '../../src/domain/activity/activity.ts';

/** A catalogue entry as it stands now. Retired ones stay: old bookings still show their venue. */
export type ActivityDocument = {
  readonly activity: Activity;
  /** How often the entry has changed; 0 as first listed. */
  readonly revision: number;
  readonly listed: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};
