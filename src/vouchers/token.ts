import { type KeyObject, sign, verify } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../domain/base32.ts';
import { isShortCode } from '../domain/booking/voucher-code.ts';
import type { SigningKey } from './signing-key.ts';

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

type TokenReading =
  | { readonly kind: 'token'; readonly facts: VoucherFacts; readonly kid: string }
  /** The text has the form of a token, but none of the given keys signed it. */
  | { readonly kind: 'bad-signature' }
  | { readonly kind: 'not-a-token' };

const PREFIX = 'WM2.';
/** The number of fields by prefix: tokens of earlier releases, on printed vouchers, have no revision. */
const FIELDS: Readonly<Record<string, number>> = { 'WM1.': 8, [PREFIX]: 9 };
/** The signed text. All characters are in the alphanumeric mode of QR codes, and every field has a maximum length. */
const SIGNED =
  /^WM[12]\.([0-9A-Z]{8})\.([0-9A-Z-]{1,80})\.([0-9A-Z-]{1,80})\.(\d{8})\.([0-9A-Z]{1,8})\.(\d{1,3})\+(\d{1,3})(?:\.(\d{1,6}))?$/;

/**
 * A voucher's token, about 200 characters, which a gate verifies offline:
 * `WM2.<kid>.<code>.<venue>.<YYYYMMDD>.<exp>.<adults>+<children>.<revision>.<signature>`, where `exp` is the voucher's
 * `valid_until` in seconds since the epoch, base36. The signature is Ed25519 over the ASCII bytes before the last `.`, in base32.
 * @throws RangeError if the token would not parse back to the same facts
 */
export function signToken(facts: VoucherFacts, key: SigningKey): string {
  const text = [
    `${PREFIX}${key.kid}`,
    facts.code,
    facts.venueId.toUpperCase(),
    facts.date.replaceAll('-', ''),
    (facts.validUntilMs / 1000).toString(36).toUpperCase(),
    `${facts.numAdults}+${facts.numChildren}`,
    facts.revision,
  ].join('.');
  const fields = SIGNED.exec(text);
  if (fields === null || !isSame(factsOf(fields), facts)) {
    throw new RangeError(`a voucher token cannot encode these facts: venue "${facts.venueId}", date "${facts.date}"`);
  }
  return signText(text, key);
}

/** The text, a dot, and the Ed25519 signature over its bytes, in base32. */
export function signText(text: string, { privateKey }: SigningKey): string {
  return `${text}.${encodeBase32(sign(null, Buffer.from(text), privateKey))}`;
}

/**
 * Parses and verifies a scanned text. Ignores surrounding white space and case. `keys` maps kids to published keys. A
 * malformed token, an unknown key and a wrong signature all give `bad-signature`. A text without the prefix and its number of
 * fields, such as a voucher code, gives `not-a-token`.
 */
export function readToken(text: string, keys: ReadonlyMap<string, KeyObject>): TokenReading {
  const token = upperCaseAscii(text.trim());
  if (token.split('.').length !== FIELDS[token.slice(0, PREFIX.length)]) return { kind: 'not-a-token' };
  const signed = token.slice(0, token.lastIndexOf('.'));
  const signature = decodeBase32(token.slice(signed.length + 1));
  const fields = SIGNED.exec(signed);
  const kid = fields?.[1] ?? '';
  const key = keys.get(kid);
  if (fields === null || signature === null || key === undefined) return { kind: 'bad-signature' };
  if (!verify(null, Buffer.from(signed), key, signature)) return { kind: 'bad-signature' };
  return { kind: 'token', facts: factsOf(fields), kid };
}

/** The address of a voucher's page, with or without a token. */
const VOUCHER_ADDRESS = /^https?:\/\/[^/#?\s]+\/api\/vouchers\/([^/#?\s]+)[^#\s]*(?:#(.*))?$/i;

/**
 * The token or code in a scanned or typed text: of the address of a voucher's page its token, or its code if it has no
 * token; any other text as it is.
 */
export function scannedText(text: string): string {
  const [, code, token] = VOUCHER_ADDRESS.exec(text.trim()) ?? [];
  return token || code || text;
}

/**
 * Normalizes a typed short code: ignores case, spaces, dashes and full-width forms, and reads O as 0, I and L as 1. Null for
 * a text of another form.
 */
export function normalizeShortCode(text: string): string | null {
  const typed = compact(text).replaceAll('O', '0').replace(/[IL]/g, '1');
  return isShortCode(typed) ? typed : null;
}

/**
 * Normalizes a typed voucher code to the form in which it was issued. Ignores case, spaces, dashes and full-width forms, and
 * reads O as 0, I and L as 1. Returns any other text trimmed and in upper case.
 */
export function normalizeCode(text: string): string {
  const typed = text.trim().toUpperCase();
  const parts = /^(W[MT])([0-9A-Z]{20})([0-9A-Z]{26})$/.exec(compact(text));
  if (parts === null) return typed;
  const digits = parts.slice(2).map((part) => part.replaceAll('O', '0').replace(/[IL]/g, '1'));
  return digits.some((part) => part.includes('U')) ? typed : `${parts[1]}-${digits.join('-')}`;
}

/** In upper case, without spaces and dashes. */
function compact(text: string): string {
  const typed = text.trim().toUpperCase().normalize('NFKC');
  return typed.replace(/[\s\p{Dash_Punctuation}\p{Format}_\u2212\u30FC]/gu, '');
}

/** Not `toUpperCase`, which maps some non-ASCII letters to ASCII: `ſ` to S. */
function upperCaseAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function factsOf(fields: RegExpExecArray): VoucherFacts {
  const [, , code = '', venue = '', day = '', seconds = '', adults = '', children = '', revision] = fields;
  return {
    code,
    venueId: venue.toLowerCase(),
    date: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`,
    validUntilMs: Number.parseInt(seconds, 36) * 1000,
    numAdults: Number(adults),
    numChildren: Number(children),
    revision: revision === undefined ? null : Number(revision),
  };
}

function isSame(read: VoucherFacts, given: VoucherFacts): boolean {
  return (
    read.code === given.code &&
    read.venueId === given.venueId &&
    read.date === given.date &&
    read.validUntilMs === given.validUntilMs &&
    read.numAdults === given.numAdults &&
    read.numChildren === given.numChildren &&
    read.revision === given.revision
  );
}
