import { Database } from 'bun:sqlite';
import { START } from '../../eventsourcing/message.ts';
import type { EventFeed, StoredEvent } from '../../ports/event-store.ts';
import { eventsOf, positionOf } from './event-rows.ts';
import { subscribeTo } from './event-subscription.ts';
import { prepareSlices, sliceOfRows } from './row-slices.ts';

/** How often a reader looks whether the writer, in another thread, has appended. */
const POLL_MS = 10;

/** At least so many of the rows read last are remembered, at most twice as many. */
const REMEMBERED_ROWS = 1_000;

/**
 * Follows the log of an embedded event store that another thread of this process writes.
 *
 * @param path the database file; the writer has opened it before
 */
export function openEventReader(path: string): EventFeed & { close(): void } {
  const db = new Database(path, { create: false, readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  const statements = prepareSlices(db, readOnce());
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
      // A timer has nobody to throw at. Whoever waits is woken, meets the fault where it reads, and knows what to do.
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
    subscribe({ after, categories, maxBatch = 1_000, lingerMs = 0, signal }) {
      const following = {
        after,
        categories: categories === undefined ? null : new Set(categories),
        maxBatch,
        lingerMs,
        wakers,
      };
      return subscribeTo(log, { ...following, signal: AbortSignal.any([signal, closing.signal]) });
    },
    async head() {
      const end = endOfLog();
      return end === 0 ? START : positionOf(end);
    },
    close() {
      clearInterval(polling);
      closing.abort();
      db.close();
    },
  };
}

/** Projections follow the log side by side, and ask for the same rows one after the other: each row is parsed once. */
function readOnce(): typeof eventsOf {
  let younger = new Map<number, StoredEvent[]>();
  let older = new Map<number, StoredEvent[]>();
  return (row) => {
    const known = younger.get(row.position) ?? older.get(row.position);
    if (known !== undefined) return known;
    if (younger.size >= REMEMBERED_ROWS) {
      older = younger;
      younger = new Map();
    }
    const events = eventsOf(row);
    younger.set(row.position, events);
    return events;
  };
}
