import type { BookedPrice, VoucherDetails } from './details.ts';

/** Whether the voucher is valid for entry. Only a valid voucher has a QR code. Times in ms since the epoch. */
export type VoucherState =
  | { readonly kind: 'valid'; readonly qrText: string }
  | { readonly kind: 'used'; readonly atMs: number }
  | { readonly kind: 'cancelled'; readonly atMs: number; readonly refundMinor: number }
  | { readonly kind: 'expired' };

export type VoucherView = Omit<VoucherDetails, 'guestName'> &
  BookedPrice & {
    /** Null: the page names nobody. */
    readonly guestName: string | null;
    readonly state: VoucherState;
    readonly bookingId: string;
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
