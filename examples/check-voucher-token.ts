/**
 * Checks the text of a voucher's QR code without asking the service, as a gate without a network does. It needs the
 * published keys, fetched while there was one, and nothing of Waymark: copy it.
 *
 *     curl -s http://127.0.0.1:3000/.well-known/waymark-voucher-keys.json > keys.json
 *     bun examples/check-voucher-token.ts keys.json 'WM1.…'
 */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What `/.well-known/waymark-voucher-keys.json` answers. */
export type PublishedKeys = { readonly keys: readonly (JsonWebKey & { readonly kid: string })[] };

/** `date` is the day at the venue, `validUntil` the first instant that is too late. */
export type Voucher = {
  readonly code: string;
  readonly venueId: string;
  readonly date: string;
  readonly validUntil: Date;
  readonly numAdults: number;
  readonly numChildren: number;
};

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What the voucher says, null where none of the keys signed this very text. */
export function checkVoucherToken(scanned: string, { keys }: PublishedKeys): Voucher | null {
  const token = scanned.trim();
  const fields = /^(WM1\.(\w{8})\.([\w-]+)\.([\w-]+)\.(\d{8})\.(\w+)\.(\d+)\+(\d+))\.(\w{103})$/i.exec(token);
  const [, signed = '', kid, code, venue, day, end, adults, children, signature = ''] = fields ?? [];
  const key = keys.find((candidate) => candidate.kid === kid?.toUpperCase());
  const bytes = signatureOf(signature.toUpperCase());
  if (key === undefined || bytes === null || !code || !venue || !day || !end) return null;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  if (!verify(null, Buffer.from(signed.toUpperCase()), publicKey, bytes)) return null;
  return {
    code: code.toUpperCase(),
    venueId: venue.toLowerCase(),
    date: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`,
    validUntil: new Date(Number.parseInt(end, 36) * 1000),
    numAdults: Number(adults),
    numChildren: Number(children),
  };
}

/** 103 characters of five bits are the 64 bytes of an Ed25519 signature and three bits that must be zero. */
function signatureOf(text: string): Uint8Array | null {
  if (![...text].every((character) => ALPHABET.includes(character))) return null;
  const bits = [...text].map((character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('');
  const bytes = Array.from({ length: 64 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
  return bits.endsWith('000') ? Uint8Array.from(bytes) : null;
}

if (import.meta.main) {
  const [keysFile = 'keys.json', token = ''] = process.argv.slice(2);
  // The service's own answer.
  const voucher = checkVoucherToken(token, JSON.parse(readFileSync(keysFile, 'utf8')) as PublishedKeys);
  process.stdout.write(`${JSON.stringify(voucher)}\n`);
  process.exitCode = voucher === null ? 1 : 0;
}
