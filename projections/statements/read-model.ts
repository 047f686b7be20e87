import type { Currency } from '../../src/domain/activity/money.ts';
import type { BookingId, KeyId } from '../../src/domain/booking/booking.ts';
import type { Position } from '../../src/eventsourcing/message.ts';

/** One amount on the account of a key. A document never changes. */
export type StatementItem = {
  readonly kind: 'item';
  readonly keyId: KeyId;
  /** That of `at`: `YYYY-MM` in UTC. */
  readonly month: string;
  /** When it was asked for, ISO 8601 UTC. */
  readonly at: string;
  /** In the log: what is stored later stands behind all that came before, which `at` does not promise. */
  readonly place: Position;
  readonly type: 'charge' | 'refund';
  readonly bookingId: BookingId;
  readonly amountMinor: number;
  readonly currency: Currency;
};

/** What the items of one key, month and currency come to. */
export type StatementTotal = {
  readonly kind: 'total';
  readonly keyId: KeyId;
  readonly month: string;
  readonly currency: Currency;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
};

export type StatementDocument = StatementItem | StatementTotal;
