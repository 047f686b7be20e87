import type { Currency } from '../../src/domain/activity/money.ts';
import type { ChangedBy } from '../../src/domain/booking/changed-by.ts';
import type { BookingSummary } from '../../src/domain/booking/summary.ts';
import type { Fingerprint } from '../../src/domain/ids.ts';

/** A booking as lists show it, apart from its guest, whose data only the read model `guests` repeats. */
export type BookingDocument = BookingSummary &
  ChangedBy & {
    /** Of the present voucher; null without one. */
    readonly shortCode: string | null;
    readonly chargedMinor: number;
    readonly refundedMinor: number;
    /** Of all amounts. */
    readonly currency: Currency;
    /** Keyed fingerprint of the caller's reference; null for none, and after the guest was erased. */
    readonly reference: Fingerprint | null;
  };
