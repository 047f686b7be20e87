import { type BookingId, bookingIdOf } from '../ids.ts';

const CODE = /^WM-([0-9A-HJKMNP-TV-Z]{20})-[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The voucher's code: the booking's id, so that the booking is found without an index, and a secret of 128 bits (26
 * base32 characters), so that a code cannot be guessed from another code or the id.
 */
export function voucherCode(id: BookingId, secret: string): string {
  return `WM-${id.slice('bk_'.length).toUpperCase()}-${secret}`;
}

/** The booking id in a code; null if the form is wrong. Does not check the secret. */
export function bookingOfCode(code: string): BookingId | null {
  const part = CODE.exec(code)?.[1];
  return part === undefined ? null : bookingIdOf(part);
}
