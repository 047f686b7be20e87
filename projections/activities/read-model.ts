import type { Activity } from '../../src/domain/activity/activity.ts';

/** A catalogue entry as it stands now. Retired ones stay: old bookings still show their venue. */
export type ActivityDocument = {
  /** What holds: the operator's entry where there is one, else the catalogue's. */
  readonly activity: Activity;
  /** Of the last event of its stream; 0 as first listed. */
  readonly revision: number;
  readonly listed: boolean;
  /** When what holds changed last. ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Null where what holds is the catalogue's. */
  readonly override: Override | null;
};

/** That an operator's entry stands: the last one who changed it, and when (ISO 8601 UTC). */
export type Override = {
  readonly by: string;
  readonly at: string;
  /** What the catalogue's files say meanwhile; null where they do not name the activity. */
  readonly catalogue: Activity | null;
};
