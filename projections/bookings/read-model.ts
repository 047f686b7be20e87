import type { ActivityId, LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Currency } from '../../src/domain/activity/money.ts';
import type { BookingStatus } from '../../src/domain/booking/state.ts';
import type { BookingId, Fingerprint, KeyId } from '../../src/domain/ids.ts';

/** A booking for lists and searches. Personal data is stored in guest streams only. */
export type BookingDocument = {
  readonly bookingId: BookingId;
  readonly keyId: KeyId;
  readonly status: BookingStatus;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
  readonly currency: Currency;
  readonly voucherCode: string | null;
  /** Keyed fingerprint of the caller's reference; null for none, and after the guest was erased. */
  readonly reference: Fingerprint | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly verifiedAt: string | null;
};
