import { type BookingId, bookingIdOf, type Mode, modeOf } from '../ids.ts';

const CODE = /^W([MT])-([0-9A-HJKMNP-TV-Z]{20})-[0-9A-HJKMNP-TV-Z]{26}$/;
const CODE_START = /^W([MT])-([0-9A-HJKMNP-TV-Z]{4,20})(?:-[0-9A-HJKMNP-TV-Z]{0,26})?$/;
const START = { live: 'WM', test: 'WT' } as const satisfies Record<Mode, string>;

/**
 * The voucher's code: the booking's id, so that the booking is found without an index, and a secret of 128 bits (26
 * base32 characters), so that a code cannot be guessed from another code or the id. The code of a test booking begins
 * with `WT`, so that an offline gate can tell it from a live one.
 */
export function voucherCode(id: BookingId, secret: string): string {
  return `${START[modeOf(id)]}-${id.slice(id.lastIndexOf('_') + 1).toUpperCase()}-${secret}`;
}

const SHORT_LENGTH = 10;
const SHORT_CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/;

/**
 * The short code of a voucher, which a person types at a gate: the end of its secret, 50 bits. It is not derived from a hash
 * of the code, because gates read that hash in their list of arrivals. Null for a text that is no code.
 */
export function shortCodeOf(code: string): string | null {
  return CODE.test(code) ? code.slice(-SHORT_LENGTH) : null;
}

/** Whether a text has the form of a short code. */
export function isShortCode(text: string): boolean {
  return SHORT_CODE.test(text);
}

/** Whether a code is that of a test booking. */
export function isTestCode(code: string): boolean {
  return code.startsWith(START.test);
}

/**
 * A code or its beginning, of at least 4 characters after `WM-`, in any case, and the beginning of its booking's id; null for
 * another text.
 */
export function codeStart(text: string): { readonly code: string; readonly bookingId: string } | null {
  const code = text.trim().toUpperCase();
  const [, start, part] = CODE_START.exec(code) ?? [];
  if (part === undefined) return null;
  return { code, bookingId: bookingIdOf(start === 'T' ? 'test' : 'live', part.toLowerCase()) };
}

/** The booking id in a code; null if the form is wrong. Does not check the secret. */
export function bookingOfCode(code: string): BookingId | null {
  const [, start, part] = CODE.exec(code) ?? [];
  return part === undefined ? null : bookingIdOf(start === 'T' ? 'test' : 'live', part);
}
