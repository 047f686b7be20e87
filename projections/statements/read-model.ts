import type { Currency } from '../../src/domain/activity/money.ts';
import type { BookingId, KeyId } from '../../src/domain/ids.ts';

/** One charge or refund of a key. Documents are immutable. */
export type StatementItem = {
  readonly kind: 'item';
  readonly keyId: KeyId;
  /** The month of `at`: `YYYY-MM` in UTC. */
  readonly month: string;
  /** When the charge or refund was requested, ISO 8601 UTC. */
  readonly at: string;
  /** Log position as a text. The sort key, because `at` is not monotonic. */
  readonly place: string;
  readonly type: 'charge' | 'refund';
  readonly bookingId: BookingId;
  readonly amountMinor: number;
  readonly currency: Currency;
};

/** The totals of one key, month and currency. */
export type StatementTotal = {
  readonly kind: 'total';
  readonly keyId: KeyId;
  readonly month: string;
  readonly currency: Currency;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
};

export type StatementDocument = StatementItem | StatementTotal;
