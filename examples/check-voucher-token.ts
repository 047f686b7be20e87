/**
 * Verifies the text of a voucher's QR code offline, as a gate does without a network. It needs only the published keys,
 * fetched earlier, and no Waymark code: copy this file.
 *
 *     curl -s http://127.0.0.1:3000/.well-known/waymark-voucher-keys.json > keys.json
 *     bun examples/check-voucher-token.ts keys.json 'WM1.…'
 */
import { createPublicKey, verify } from 'node:crypto';
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
};

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TOKEN =
  /^(WM1\.([0-9A-Z]{8})\.([0-9A-Z-]+)\.([0-9A-Z-]+)\.(\d{8})\.([0-9A-Z]+)\.(\d+)\+(\d+))\.([0-9A-HJKMNP-TV-Z]{103})$/;

/** The contents of the voucher; null if none of the keys signed this text. */
export function checkVoucherToken(scanned: string, { keys }: PublishedKeys): Voucher | null {
  const text = scanned.trim();
  // `toUpperCase` maps some non-ASCII letters to ASCII.
  const fields = /^[\w.+-]+$/.test(text) ? TOKEN.exec(text.toUpperCase()) : null;
  if (fields === null) return null;
  const [, signed = '', kid, code = '', venue = '', day = '', end = '', adults, children, signature = ''] = fields;
  const key = keys.find((candidate) => candidate.kid === kid);
  const bytes = bytesOf(signature);
  if (key === undefined || bytes === null) return null;
  if (!verify(null, Buffer.from(signed), createPublicKey({ key, format: 'jwk' }), bytes)) return null;
  return {
    code,
    venueId: venue.toLowerCase(),
    date: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`,
    validUntil: new Date(Number.parseInt(end, 36) * 1000),
    numAdults: Number(adults),
    numChildren: Number(children),
  };
}

/** Decodes base32: 103 characters of 5 bits are the 64 bytes of an Ed25519 signature and 3 zero bits. */
function bytesOf(signature: string): Uint8Array | null {
  const bits = Array.from(signature, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('');
  if (!bits.endsWith('000')) return null;
  return Uint8Array.from({ length: 64 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
}

if (import.meta.main) {
  const [keysFile = 'keys.json', scanned = ''] = process.argv.slice(2);
  // The file contains the service's answer.
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as PublishedKeys;
  const voucher = checkVoucherToken(scanned, keys);
  process.stdout.write(`${JSON.stringify(voucher)}\n`);
  process.exitCode = voucher === null ? 1 : 0;
}
