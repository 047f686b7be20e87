import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { HoldId, KeyId, Mode } from '../../src/domain/ids.ts';

/** A hold that was neither used nor released. */
export type HoldDocument = {
  readonly holdId: HoldId;
  /** Null: held by a release that did not record it. */
  readonly keyId: KeyId | null;
  readonly mode: Mode;
  readonly activityId: ActivityId;
  readonly date: LocalDate;
  readonly guests: number;
  /** ISO 8601 UTC, exclusive. */
  readonly expiresAt: string;
};
