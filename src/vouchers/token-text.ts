import { decodeBase32 } from '../domain/base32.ts';

/** The facts that a gate reads from a voucher offline. */
export type VoucherFacts = {
  /** `WM-…-…`, of a test booking `WT-…-…`; of `0-9 A-Z -`. */
  readonly code: string;
  /** Of `a-z 0-9 -`. */
  readonly venueId: string;
  /** The booking date at the venue, `YYYY-MM-DD`. */
  readonly date: string;
  /** Ms since the epoch, whole seconds. Exclusive: at this instant the voucher is expired. */
  readonly validUntilMs: number;
  readonly numAdults: number;
  readonly numChildren: number;
  /** The booking's version when the token was made, at most 999,999; null in tokens of earlier releases. */
  readonly revision: number | null;
};

/** The address of a voucher's page, with or without a token. */
const VOUCHER_ADDRESS = /^https?:\/\/[^/#?\s]+(?:\/[^#?\s]*)?\/api\/vouchers\/([^/#?\s]+)[^#\s]*(?:#(.*))?$/i;

/**
 * The token or code in a scanned or typed text: of the address of a voucher's page its token, or its code if it has no
 * token; any other text as it is.
 */
export function scannedText(text: string): string {
  const [, code, token] = VOUCHER_ADDRESS.exec(text.trim()) ?? [];
  // An address that ends with `#` has no token.
  if (token !== undefined && token !== '') return token;
  return code ?? text;
}

/** A token whose signature is not verified yet. */
export type ParsedToken = {
  readonly kind: 'parsed';
  readonly facts: VoucherFacts;
  readonly kid: string;
  /** The signed text; its bytes are ASCII. */
  readonly signed: string;
  readonly signature: Uint8Array;
};

export const TOKEN_PREFIX = 'WM2.';
/** The number of fields by prefix: tokens of earlier releases, on printed vouchers, have no revision. */
const FIELDS: Readonly<Record<string, number>> = { 'WM1.': 8, [TOKEN_PREFIX]: 9 };
/** The signed text. All characters are in the alphanumeric mode of QR codes, and every field has a maximum length. */
const SIGNED =
  /^WM[12]\.([0-9A-Z]{8})\.([0-9A-Z-]{1,80})\.([0-9A-Z-]{1,80})\.(\d{8})\.([0-9A-Z]{1,8})\.(\d{1,3})\+(\d{1,3})(?:\.(\d{1,6}))?$/;

/** The facts of a token's signed text; null for any other text. */
export function factsIn(signed: string): { readonly kid: string; readonly facts: VoucherFacts } | null {
  const fields = SIGNED.exec(signed);
  if (fields === null) return null;
  const [, kid = '', code = '', venue = '', day = '', seconds = '', adults = '', children = '', revision] = fields;
  const facts = {
    code,
    venueId: venue.toLowerCase(),
    date: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`,
    validUntilMs: Number.parseInt(seconds, 36) * 1000,
    numAdults: Number(adults),
    numChildren: Number(children),
    revision: revision === undefined ? null : Number(revision),
  };
  return { kid, facts };
}

/**
 * Parses a scanned text without verifying its signature. Ignores surrounding white space and case. A malformed token is
 * `malformed`; a text without the prefix and its number of fields, such as a voucher code, is `not-a-token`.
 */
export function parseToken(
  text: string,
): ParsedToken | { readonly kind: 'malformed' } | { readonly kind: 'not-a-token' } {
  const token = upperCaseAscii(text.trim());
  if (token.split('.').length !== FIELDS[token.slice(0, TOKEN_PREFIX.length)]) return { kind: 'not-a-token' };
  const signed = token.slice(0, token.lastIndexOf('.'));
  const signature = decodeBase32(token.slice(signed.length + 1));
  const read = factsIn(signed);
  if (read === null || signature === null) return { kind: 'malformed' };
  return { kind: 'parsed', ...read, signed, signature };
}

/** Not `toUpperCase`, which maps some non-ASCII letters to ASCII: `ſ` to S. */
function upperCaseAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
