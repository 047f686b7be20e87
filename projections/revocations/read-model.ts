import type { LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { BookingId } from '../../src/domain/ids.ts';

/** A booking that is, or was, for this date, and whose earlier vouchers are no longer right for it. */
export type RevocationDocument = {
  readonly venueId: VenueId;
  readonly date: LocalDate;
  readonly bookingId: BookingId;
  /** A voucher of an earlier version has another date or other guests; null if only the cancellation revoked it. */
  readonly revision: number | null;
  readonly cancelled: boolean;
};
