import type { ActivityId, VenueId } from '../../src/domain/activity/activity.ts';
import type { Visit } from '../../src/domain/booking/events.ts';
import type { BookingId } from '../../src/domain/ids.ts';

/** A recorded visit, voided or not. */
export type DeviceVisit = Pick<
  Visit,
  'command' | 'deviceId' | 'gate' | 'verifiedAtMs' | 'reportedAtMs' | 'uploadedSequence'
> & {
  readonly bookingId: BookingId;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly disputed: boolean;
  /** ISO 8601 UTC; null: it counts. */
  readonly voidedAt: string | null;
  /** The operator's reason for the void. */
  readonly reason: string | null;
};
