import type { Activity } from '../../src/domain/activity/activity.ts';

/** The current catalogue entry of an activity. Retired entries stay, because old bookings show their venue. */
export type ActivityDocument = {
  /** The effective entry: the operator's override if there is one, else the catalogue's entry. */
  readonly activity: Activity;
  /** Revision of the stream's last event; 0 when first listed. */
  readonly revision: number;
  readonly listed: boolean;
  /** When the effective entry last changed, ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Null if the effective entry is the catalogue's. */
  readonly override: Override | null;
};

/** An operator's override: who changed it last, and when (ISO 8601 UTC). */
type Override = {
  readonly by: string;
  readonly at: string;
  /** The entry in the catalogue files; null if they do not list the activity. */
  readonly catalogue: Activity | null;
};

/** The entry in the catalogue files, with or without an override; null if the files do not list the activity. */
export function inCatalogue({ activity, listed, override }: ActivityDocument): Activity | null {
  if (override !== null) return override.catalogue;
  return listed ? activity : null;
}
