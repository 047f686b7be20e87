import { Database } from 'bun:sqlite';
import type { EventFeed } from '../../ports/event-store.ts';
import { EMBEDDED_POSITIONS, positionOf } from './event-rows.ts';
import { subscribeTo } from './event-subscription.ts';
import { checkOfRows, prepareSlices, sliceOfRows } from './row-slices.ts';

/** Poll interval for appends of the writer in another thread. */
const POLL_MS = 10;

/**
 * Follows the log of an embedded event store that another thread of this process writes.
 *
 * @param path the database file; the writer has opened it before
 */
export function openEventReader(path: string): EventFeed & { close(): void } {
  const db = new Database(path, { create: false, readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  const statements = prepareSlices(db);
  const endOfLog = (): number => statements.end.get()?.position ?? 0;
  const wakers = new Set<() => void>();
  const closing = new AbortController();
  let seen = endOfLog();
  const moved = (): boolean => {
    try {
      const end = endOfLog();
      if (end === seen) return false;
      seen = end;
      return true;
    } catch {
      // A timer cannot throw to a caller: wake the subscribers, whose next read throws the fault.
      return true;
    }
  };
  const polling = setInterval(() => {
    if (moved()) for (const wake of wakers) wake();
  }, POLL_MS);
  const log = {
    get position(): number {
      return endOfLog();
    },
    after: (position: number, categories: ReadonlySet<string> | null, limit: number) =>
      sliceOfRows(statements, position, categories, limit, endOfLog()),
  };
  return {
    positions: EMBEDDED_POSITIONS,
    subscribe: (options) => subscribeTo(log, { wakers, closing: closing.signal }, options),
    async head() {
      return positionOf(endOfLog());
    },
    async check(checkpoint) {
      return checkOfRows(statements, checkpoint, endOfLog());
    },
    close() {
      clearInterval(polling);
      closing.abort();
      db.close();
    },
  };
}
