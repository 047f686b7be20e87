import type { BookingId } from './booking.ts';

const CODE = /^WM-([0-9A-HJKMNP-TV-Z]{20})-[0-9A-HJKMNP-TV-Z]{26}$/;

/** A booking's id from the 20 base32 characters that make it one. */
export function bookingId(part: string): BookingId {
  return `bk_${part.toLowerCase()}` as BookingId;
}

/** A text as a booking id, null where it has not the form of one. */
export function parseBookingId(text: string): BookingId | null {
  return /^bk_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as BookingId) : null;
}

/**
 * The voucher's code: the booking's id, so that it is found without a look-up, and a secret of 128 bits (26 base32
 * characters), so that no code can be guessed from another or from the id.
 */
export function voucherCode(id: BookingId, secret: string): string {
  return `WM-${id.slice('bk_'.length).toUpperCase()}-${secret}`;
}

/** The booking that a code speaks of, null where the text has not the form of a code. The secret is not checked here. */
export function bookingOfCode(code: string): BookingId | null {
  const part = CODE.exec(code)?.[1];
  return part === undefined ? null : bookingId(part);
}
