/**
 * Verifies the text of a voucher's QR code offline, as a gate does without a network. It needs only the published keys and
 * the revocation list, fetched earlier, and no Waymark code: copy this file.
 *
 *     curl -s http://127.0.0.1:3000/.well-known/waymark-voucher-keys.json > keys.json
 *     curl -s http://127.0.0.1:3000/api/venue/revocations -H "x-device-key: $DEVICE" > revocations.json
 *     bun examples/check-voucher-token.ts keys.json 'http://…#WM2.…' revocations.json
 *
 * The exit code is 0 to admit, 1 to refuse, and 2 where the gate cannot know.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The answer of `/.well-known/waymark-voucher-keys.json`. */
export type PublishedKeys = { readonly keys: readonly PublishedKey[] };
export type PublishedKey = { readonly kid: string; readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };

/** `date` is the local date of the venue. `validUntil` is exclusive: the voucher expires at this instant. */
export type Voucher = {
  readonly code: string;
  readonly venueId: string;
  readonly date: string;
  readonly validUntil: Date;
  readonly numAdults: number;
  readonly numChildren: number;
  /** The booking's version when the QR code was made; null on vouchers that an earlier release printed. */
  readonly revision: number | null;
};

/** `revoked`: by the hash of a code, the first revision that is right, or null if the booking was cancelled. */
export type RevocationList = {
  readonly venueId: string;
  readonly date: string;
  readonly issuedAt: Date;
  readonly revoked: ReadonlyMap<string, number | null>;
};

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SIGNATURE = /^(\w+\.([0-9A-Z]{8})\..+)\.([0-9A-HJKMNP-TV-Z]{103})$/;
const TOKEN =
  /^WM(?:1|2(?=.*\.\d+$))\.\w{8}\.([0-9A-Z-]+)\.([0-9A-Z-]+)\.(\d{8})\.([0-9A-Z]+)\.(\d+)\+(\d+)(?:\.(\d+))?$/;
const LIST = /^WR1\.\w{8}\.([0-9A-Z-]+)\.(\d{8})\.([0-9A-Z]+)\.([0-9A-Z+-]+)$/;
const LIST_LIFE_MS = 15 * 60_000;

/** The contents of the voucher; null if none of the keys signed this text. A QR code holds the address of the voucher's page, `#` and the token. */
export function checkVoucherToken(scanned: string, keys: PublishedKeys): Voucher | null {
  const text = scanned.trim().replace(/^https?:[^#]*#/i, '');
  // `toUpperCase` maps some non-ASCII letters to ASCII.
  const signed = /^[\w.+-]+$/.test(text) ? signedText(text.toUpperCase(), keys) : null;
  const fields = signed === null ? null : TOKEN.exec(signed);
  if (fields === null) return null;
  const [, code = '', venue = '', day = '', end = '', adults, children, revision] = fields;
  return {
    code,
    venueId: venue.toLowerCase(),
    date: dateOf(day),
    validUntil: timeOf(end),
    numAdults: Number(adults),
    numChildren: Number(children),
    revision: revision === undefined ? null : Number(revision),
  };
}

/** The contents of a revocation list; null if none of the keys signed it. */
export function readRevocations(list: string, keys: PublishedKeys): RevocationList | null {
  const fields = LIST.exec(signedText(list, keys) ?? '');
  if (fields === null) return null;
  const [, venue = '', day = '', issued = '', entries = ''] = fields;
  const revoked = entries === '-' ? [] : entries.split('+').map((entry) => entry.split('-'));
  return {
    venueId: venue.toLowerCase(),
    date: dateOf(day),
    issuedAt: timeOf(issued),
    revoked: new Map(revoked.map(([hash = '', from]) => [hash, from === 'X' ? null : Number(from)])),
  };
}

/**
 * What a gate at this venue shows: green, red, or amber (`ask`: the venue decides, because the gate cannot know). `date` is
 * today's at the venue; the voucher of a date that ends past midnight is valid on the next date too. `list` is that of the
 * voucher's date.
 */
export function verdict(
  voucher: Voucher | null,
  list: RevocationList | null,
  { venueId, date, now }: { readonly venueId: string; readonly date: string; readonly now: Date },
): 'admit' | 'refuse' | 'ask' {
  if (voucher === null || voucher.venueId !== venueId || voucher.date > date || now >= voucher.validUntil)
    return 'refuse';
  const current = list?.venueId === venueId && list.date === voucher.date ? list : null;
  const from = current?.revoked.get(hashOf(voucher.code));
  if (from === null || (from !== undefined && voucher.revision !== null && voucher.revision < from)) return 'refuse';
  // A list from the future: the gate's clock is wrong, so the list's age is unknown.
  const old = current === null || Math.abs(now.getTime() - current.issuedAt.getTime()) > LIST_LIFE_MS;
  return old || (from !== undefined && voucher.revision === null) ? 'ask' : 'admit';
}

/** The text before the signature; null if none of the keys signed it. */
function signedText(text: string, { keys }: PublishedKeys): string | null {
  const [, signed = '', kid, signature = ''] = SIGNATURE.exec(text) ?? [];
  const key = keys.find((candidate) => candidate.kid === kid);
  const bytes = bytesOf(signature);
  if (key === undefined || bytes === null) return null;
  return verify(null, Buffer.from(signed), createPublicKey({ key, format: 'jwk' }), bytes) ? signed : null;
}

/** Decodes base32: 103 characters of 5 bits are the 64 bytes of an Ed25519 signature and 3 zero bits. */
function bytesOf(signature: string): Uint8Array | null {
  const bits = Array.from(signature, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('');
  if (!bits.endsWith('000')) return null;
  return Uint8Array.from({ length: 64 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
}

/** The first 16 bytes of the SHA-256 of a voucher's code as 26 digits of base32. */
function hashOf(code: string): string {
  const bytes = createHash('sha256').update(code).digest().subarray(0, 16);
  const bits = `${Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')}00`;
  return (bits.match(/.{5}/g) ?? []).map((digit) => DIGITS[Number.parseInt(digit, 2)]).join('');
}

function dateOf(day: string): string {
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
}

function timeOf(seconds: string): Date {
  return new Date(Number.parseInt(seconds, 36) * 1000);
}

if (import.meta.main) {
  const [keysFile = 'keys.json', scanned = '', listFile] = process.argv.slice(2);
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  // The files contain the service's answers.
  const keys = read(keysFile) as PublishedKeys;
  const voucher = checkVoucherToken(scanned, keys);
  const answer = listFile === undefined ? null : (read(listFile) as { readonly data: { readonly list: string } });
  const list = answer === null ? null : readRevocations(answer.data.list, keys);
  const { venueId = '', date = '' } = list ?? voucher ?? {};
  const shown = verdict(voucher, list, { venueId, date, now: new Date() });
  process.stdout.write(`${JSON.stringify({ voucher, verdict: shown })}\n`);
  process.exitCode = { admit: 0, refuse: 1, ask: 2 }[shown];
}
