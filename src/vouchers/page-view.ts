import type { CancellationPolicy } from '../domain/activity/activity.ts';
import type { Currency } from '../domain/activity/money.ts';
import type { VoucherDetails } from './details.ts';

/** Whether the voucher is valid for entry. Only a valid voucher has a QR code. Times in ms since the epoch. */
export type VoucherState =
  | { readonly kind: 'valid'; readonly qrText: string }
  | { readonly kind: 'used'; readonly atMs: number }
  | { readonly kind: 'cancelled'; readonly atMs: number; readonly refundMinor: number }
  | { readonly kind: 'expired' };

export type VoucherView = Omit<VoucherDetails, 'guestName'> & {
  /** Null: the page names nobody. */
  readonly guestName: string | null;
  readonly state: VoucherState;
  readonly bookingId: string;
  readonly totalMinor: number;
  /** The discount included in the total; 0 without one. */
  readonly discountMinor: number;
  /** What a cancellation by the guest never refunds; 0 for none. */
  readonly retainedMinor: number;
  readonly currency: Currency;
  readonly cancellation: CancellationPolicy;
  /** The meeting point in degrees; null without a catalogue entry. */
  readonly position: { readonly lat: number; readonly lon: number } | null;
  /** Ten characters that a gate accepts instead of the code; null: none. */
  readonly shortCode: string | null;
  /** The address of this page, without a query. */
  readonly url: string;
  /** The path of the activity's picture; null without a catalogue entry. */
  readonly picture: string | null;
  /** A mail address or URL; null: none. */
  readonly support: string | null;
  /** When the page was made, in ms since the epoch. A saved copy shows it. */
  readonly writtenAtMs: number;
};
