import type { BookingId } from '../../src/domain/ids.ts';

/** A booking whose guest was not erased. Times are ms since the epoch. */
export type RetentionDocument = {
  readonly bookingId: BookingId;
  /** End of the booked date. */
  readonly closesAtMs: number;
  /** Cancellation or rejection; null: neither. */
  readonly closedAtMs: number | null;
  /** The verified visit; null: none, or voided. */
  readonly visitedAtMs: number | null;
  /** When the retention of the guest's data begins, as `endedAtMs` of the booking's state. */
  readonly endedAtMs: number;
};
