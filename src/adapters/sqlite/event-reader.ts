import { Database } from 'bun:sqlite';
import { START } from '../../eventsourcing/message.ts';
import type { EventFeed } from '../../ports/event-store.ts';
import { whereDiskAllows } from './disk.ts';
import { positionOf } from './event-rows.ts';
import { subscribeTo } from './event-subscription.ts';
import { prepareSlices, sliceOfRows } from './row-slices.ts';

/** How often a reader looks whether the writer, in another thread, has appended. */
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
  const look = (): void => {
    const end = endOfLog();
    if (end === seen) return;
    seen = end;
    for (const wake of wakers) wake();
  };
  const polling = setInterval(() => whereDiskAllows(look), POLL_MS);
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
