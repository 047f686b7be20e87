import type { Database, Statement } from 'bun:sqlite';
import { categoryOf, type StoredEvent } from '../../ports/event-store.ts';
import { eventsOf, numberOf, type Row } from './event-rows.ts';
import type { LogSlice } from './recent-events.ts';

const COLUMNS = 'position, stream, revision, events';

/**
 * The statements by which the log is read in order.
 *
 * @param read what makes events of a row
 */
export function prepareSlices(db: Database, read: typeof eventsOf = eventsOf) {
  const rowsAfter = new Map<string, Statement<Row, [number, number]>>();
  return {
    read,
    /** Only rows of these categories: what a subscription passes over is not even handed to it. */
    rowsAfter(categories: ReadonlySet<string> | null): Statement<Row, [number, number]> {
      const key = categories === null ? '*' : [...categories].join();
      const known = rowsAfter.get(key);
      if (known !== undefined) return known;
      const prepared = db.prepare<Row, [number, number]>(
        `SELECT ${COLUMNS} FROM appends WHERE position > ?${among(categories)} ORDER BY position LIMIT ?`,
      );
      rowsAfter.set(key, prepared);
      return prepared;
    },
    rowAt: db.prepare<Row, [number]>(
      `SELECT ${COLUMNS} FROM appends WHERE position <= ? ORDER BY position DESC LIMIT 1`,
    ),
    /** Asked for often: both parts are found at the end of an index. */
    end: db.prepare<{ position: number }, []>(
      `SELECT max(coalesce((SELECT position + count - 1 FROM appends ORDER BY position DESC LIMIT 1), 0),
                  coalesce((SELECT max(position) FROM erased), 0)) AS position`,
    ),
  };
}

/** Streams are named `{category}-…`, and `.` is the character after `-`. The `+` keeps SQLite on the order of positions. */
function among(categories: ReadonlySet<string> | null): string {
  if (categories === null) return '';
  for (const category of categories) {
    if (!/^[a-z][a-z0-9]*$/.test(category)) throw new RangeError(`"${category}" is no stream category`);
  }
  return ` AND (${[...categories].map((category) => `+stream >= '${category}-' AND +stream < '${category}.'`).join(' OR ')})`;
}

/**
 * Events after a position, in order, at most `limit` of these categories (null: of all).
 *
 * @param end the log's last position, read before: what is appended meanwhile may be in the slice, and is never passed over
 */
export function sliceOfRows(
  statements: Pick<ReturnType<typeof prepareSlices>, 'read' | 'rowsAfter' | 'rowAt'>,
  after: number,
  categories: ReadonlySet<string> | null,
  limit: number,
  end: number,
): LogSlice {
  // The row before may hold events after the position too.
  const before = statements.rowAt.get(after);
  const first = before !== null && (categories === null || categories.has(categoryOf(before.stream))) ? [before] : [];
  const rows = statements.rowsAfter(categories).all(after, limit);
  const events: StoredEvent[] = [];
  let upTo = after;
  for (const event of [...first, ...rows].flatMap(statements.read)) {
    const position = numberOf(event.position);
    if (position <= after) continue;
    if (events.length === limit) return { events, upTo };
    events.push(event);
    upTo = position;
  }
  return { events, upTo: rows.length < limit ? Math.max(upTo, end) : upTo };
}
