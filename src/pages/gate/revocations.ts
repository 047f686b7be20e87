import { decodeBase32 } from '../../domain/base32.ts';
import { hexOfBase32, isSignedBy, type Keys } from './signature.ts';

/** A verified revocation list: by hash of code, the revision below which tokens are revoked, or null for all. */
export type Revocations = { readonly issuedAtMs: number; readonly from: Readonly<Record<string, number | null>> };

const FIELDS = /^WR1\.([0-9A-Z]{8})\.([0-9A-Z-]{1,80})\.(\d{8})\.([0-9A-Z]{1,8})\.([0-9A-Z+-]+)$/;

/**
 * Reads a signed revocation list, whose form src/vouchers/revocation-list.ts describes. Null if no known key signed it, or if
 * it is of another venue or date: a phone keeps its earlier list then.
 */
export async function readRevocations(
  list: string,
  { venueId, date, keys }: { readonly venueId: string; readonly date: string; readonly keys: Keys },
): Promise<Revocations | null> {
  const end = list.lastIndexOf('.');
  const signed = list.slice(0, end);
  const signature = decodeBase32(list.slice(end + 1));
  const fields = FIELDS.exec(signed);
  if (fields === null || signature === null) return null;
  const [, kid = '', venue, day, seconds = '', entries = ''] = fields;
  if (venue !== venueId.toUpperCase() || day !== date.replaceAll('-', '')) return null;
  if (!(await isSignedBy(keys, kid, signed, signature))) return null;
  const from: Record<string, number | null> = {};
  for (const entry of entries === '-' ? [] : entries.split('+')) {
    const [hash = '', revision = ''] = entry.split('-');
    from[hexOfBase32(hash)] = revision === 'X' ? null : Number(revision);
  }
  return { issuedAtMs: Number.parseInt(seconds, 36) * 1000, from };
}
