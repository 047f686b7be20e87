import { type Refused, refused } from '../application/refusal.ts';
import type { Cursor } from '../ports/read-model-store.ts';

/** Encodes a cursor as an opaque text. */
export function writeCursor(cursor: Cursor | null): string | null {
  return cursor === null ? null : Buffer.from(JSON.stringify([cursor.value, cursor.id])).toString('base64url');
}

export function readCursor(text: string | null): { readonly kind: 'cursor'; readonly cursor: Cursor | null } | Refused {
  if (text === null) return { kind: 'cursor', cursor: null };
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const [value, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
    if (typeof value === 'string' && typeof id === 'string') return { kind: 'cursor', cursor: { value, id } };
  } catch {
    // Refused below.
  }
  return badCursor();
}

/** For a malformed cursor, or a cursor of another list. */
export function badCursor(): Refused {
  return refused(
    'INVALID_REQUEST',
    'cursor must be the next_cursor of an earlier answer; leave it out to begin at the first page.',
  );
}
