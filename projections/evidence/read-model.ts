import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { BookingId, DeviceId, KeyId, LogId } from '../../src/domain/ids.ts';

/** A visit from which the ranking learns. */
export type CreditedVisit = {
  readonly bookingId: BookingId;
  readonly activityId: ActivityId;
  readonly keyId: KeyId | null;
  readonly deviceId: DeviceId | null;
  /** Ms since the epoch. */
  readonly verifiedAtMs: number;
  /** The id of its stream, `evidence-{id}`. */
  readonly evidenceId: LogId | BookingId;
};
