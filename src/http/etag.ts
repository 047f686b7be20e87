import { type Refused, refused } from '../application/refusal.ts';

/** A booking's version as a strong entity tag. Background work does not change it. */
export function etagOf({ version }: { readonly version: number }): string {
  return `"${version}"`;
}

/**
 * The versions that `If-Match` names; null if any version matches. A malformed tag matches no booking, and a weak tag
 * never matches (RFC 9110, 13.1.1).
 */
export function ifMatch(
  headers: globalThis.Headers,
): { readonly kind: 'versions'; readonly versions: readonly number[] | null } | Refused {
  const header = headers.get('if-match')?.trim();
  if (header === undefined || header === '*') return { kind: 'versions', versions: null };
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.some((tag) => !/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    return refused(
      'INVALID_REQUEST',
      'The header If-Match is not an entity tag; send the ETag of the booking as it came, with its quotes.',
    );
  }
  return {
    kind: 'versions',
    versions: tags.flatMap((tag) => (/^"\d{1,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : [])),
  };
}
