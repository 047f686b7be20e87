import { type Refused, refused } from '../application/refusal.ts';
import type { Cursor } from '../ports/read-model-store.ts';

/** Encodes a cursor as an opaque text. */
export function writeCursor(cursor: Cursor | null): string | null {
  return cursor === null ? null : Buffer.from(JSON.stringify([cursor.value, cursor.id])).toString('base64url');
}

/** Null if no cursor was sent: the list begins at its first page. A text must have passed `parseCursor`. */
export function readCursor(text: string | undefined): Cursor | null {
  return text === undefined ? null : parseCursor(text);
}

/** Returns null for a malformed cursor. */
export function parseCursor(text: string): Cursor | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const [value, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
    return typeof value === 'string' && typeof id === 'string' ? { value, id } : null;
  } catch {
    return null;
  }
}

/** For a cursor of another list. */
export function badCursor(): Refused {
  return refused(
    'INVALID_REQUEST',
    'cursor must be the next_cursor of an earlier answer; leave it out to begin at the first page.',
  );
}
