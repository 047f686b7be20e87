import type { Database } from 'bun:sqlite';
import { categoryOf, type StoredEvent } from '../../ports/event-store.ts';
import { eventsOf, numberOf, type Row } from './event-rows.ts';
import type { LogSlice } from './recent-events.ts';

const COLUMNS = 'position, stream, revision, events';

/** The statements by which the log is read in order. */
export function prepareSlices(db: Database) {
  return {
    rowsAfter: db.prepare<Row, [number, number]>(
      `SELECT ${COLUMNS} FROM appends WHERE position > ? ORDER BY position LIMIT ?`,
    ),
    rowAt: db.prepare<Row, [number]>(
      `SELECT ${COLUMNS} FROM appends WHERE position <= ? ORDER BY position DESC LIMIT 1`,
    ),
    end: db.prepare<{ position: number; erased: number }, []>(
      `SELECT max(coalesce((SELECT position + count - 1 FROM appends ORDER BY position DESC LIMIT 1), 0),
                  coalesce((SELECT max(position) FROM erased), 0)) AS position,
              (SELECT count(*) FROM erased) AS erased`,
    ),
  };
}

/**
 * Events after a position, in order, at most `limit` of these categories (null: of all).
 *
 * @param end the log's last position, read before: what is appended meanwhile may be in the slice, and is never passed over
 */
export function sliceOfRows(
  statements: Pick<ReturnType<typeof prepareSlices>, 'rowsAfter' | 'rowAt'>,
  after: number,
  categories: ReadonlySet<string> | null,
  limit: number,
  end: number,
): LogSlice {
  // The row before may hold events after the position too.
  const before = statements.rowAt.get(after);
  const rows = statements.rowsAfter.all(after, limit);
  const events: StoredEvent[] = [];
  let upTo = after;
  for (const row of before === null ? rows : [before, ...rows]) {
    if (categories !== null && !categories.has(categoryOf(row.stream))) {
      upTo = Math.max(upTo, row.position);
      continue;
    }
    for (const event of eventsOf(row)) {
      const position = numberOf(event.position);
      if (position <= after) continue;
      if (events.length === limit) return { events, upTo };
      events.push(event);
      upTo = position;
    }
  }
  return { events, upTo: rows.length < limit ? Math.max(upTo, end) : upTo };
}
