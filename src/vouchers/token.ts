import { type KeyObject, sign, verify } from 'node:crypto';
import { encodeBase32 } from '../domain/base32.ts';
import { isShortCode } from '../domain/booking/voucher-code.ts';
import type { SigningKey } from './signing-key.ts';
import { factsIn, parseToken, TOKEN_PREFIX, type VoucherFacts } from './token-text.ts';

export { scannedText, type VoucherFacts } from './token-text.ts';

type TokenReading =
  | { readonly kind: 'token'; readonly facts: VoucherFacts; readonly kid: string }
  /** The text has the form of a token, but none of the given keys signed it. */
  | { readonly kind: 'bad-signature' }
  | { readonly kind: 'not-a-token' };

/**
 * A voucher's token, about 200 characters, which a gate verifies offline:
 * `WM2.<kid>.<code>.<venue>.<YYYYMMDD>.<exp>.<adults>+<children>.<revision>.<signature>`, where `exp` is the voucher's
 * `valid_until` in seconds since the epoch, base36. The signature is Ed25519 over the ASCII bytes before the last `.`, in base32.
 * @throws RangeError if the token would not parse back to the same facts
 */
export function signToken(facts: VoucherFacts, key: SigningKey): string {
  const text = [
    `${TOKEN_PREFIX}${key.kid}`,
    facts.code,
    facts.venueId.toUpperCase(),
    facts.date.replaceAll('-', ''),
    (facts.validUntilMs / 1000).toString(36).toUpperCase(),
    `${facts.numAdults}+${facts.numChildren}`,
    facts.revision,
  ].join('.');
  const read = factsIn(text);
  if (read === null || !isSame(read.facts, facts)) {
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
  const token = parseToken(text);
  if (token.kind === 'not-a-token') return { kind: 'not-a-token' };
  if (token.kind === 'malformed') return { kind: 'bad-signature' };
  const { kid, facts, signed, signature } = token;
  const key = keys.get(kid);
  if (key === undefined || !verify(null, Buffer.from(signed), key, signature)) return { kind: 'bad-signature' };
  return { kind: 'token', facts, kid };
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
