import type { Database, Statement } from 'bun:sqlite';
import type { Position } from '../../eventsourcing/message.ts';
import {
  type Checkpoint,
  type CheckpointCheck,
  categoryOf,
  type LogPage,
  type LogRange,
  type StoredEvent,
} from '../../ports/event-store.ts';
import { type AppendRow, EMBEDDED_POSITIONS, eventsOf, positionOf } from './event-rows.ts';
import type { LogSlice } from './recent-events.ts';

const COLUMNS = 'position, stream, revision, events';
/** Minimum number of rows to read at a time. */
const MIN_ROWS = 64;

/**
 * The statements that read the log in order.
 */
export function prepareSlices(db: Database) {
  const rowsAfter = new Map<string, Statement<AppendRow, [number, number]>>();
  return {
    /** Only rows of these categories; SQLite skips the others. */
    rowsAfter(categories: ReadonlySet<string> | null): Statement<AppendRow, [number, number]> {
      const key = categories === null ? '*' : [...categories].join();
      const known = rowsAfter.get(key);
      if (known !== undefined) return known;
      const prepared = db.prepare<AppendRow, [number, number]>(
        `SELECT ${COLUMNS} FROM appends WHERE position > ?${among(categories)} ORDER BY position LIMIT ?`,
      );
      rowsAfter.set(key, prepared);
      return prepared;
    },
    rowsBefore: db.prepare<AppendRow, [number, number]>(
      `SELECT ${COLUMNS} FROM appends WHERE position < ? ORDER BY position DESC LIMIT ?`,
    ),
    rowAt: db.prepare<AppendRow, [number]>(
      `SELECT ${COLUMNS} FROM appends WHERE position <= ? ORDER BY position DESC LIMIT 1`,
    ),
    /** Runs often: both parts are at the end of an index. */
    end: db.prepare<{ position: number }, []>(
      `SELECT max(coalesce((SELECT position + count - 1 FROM appends ORDER BY position DESC LIMIT 1), 0),
                  coalesce((SELECT max(position) FROM erased), 0)) AS position`,
    ),
  };
}

/** Streams are named `{category}-…`, and `.` follows `-` in ASCII. The `+` makes SQLite use the index of positions. */
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
 * @param end the log's last position, read before the slice: later appends may be in the slice, and are never skipped
 */
export function sliceOfRows(
  statements: Pick<ReturnType<typeof prepareSlices>, 'rowsAfter' | 'rowAt'>,
  after: number,
  categories: ReadonlySet<string> | null,
  limit: number,
  end: number,
): LogSlice {
  // The previous row may contain events after the position.
  const before = statements.rowAt.get(after);
  const rowsAfter = statements.rowsAfter(categories);
  let rows = before !== null && (categories === null || categories.has(categoryOf(before.stream))) ? [before] : [];
  const events: StoredEvent[] = [];
  let upTo = after;
  for (let ended = false; ; ) {
    for (const row of rows) {
      for (const event of eventsOf(row)) {
        if (event.position <= after) continue;
        if (events.length === limit) return { events, upTo };
        events.push(event);
        upTo = event.position;
      }
    }
    if (ended) return { events, upTo: Math.max(upTo, end) };
    const missing = limit - events.length;
    if (missing === 0) return { events, upTo };
    // A row holds one event or several: the next slice would read those beyond the limit again.
    const count = Math.min(missing, Math.max(Math.ceil(missing / 2), MIN_ROWS));
    rows = rowsAfter.all(upTo, count);
    ended = rows.length < count;
  }
}

/** See `EventStore.readLog`. A row of other categories counts as one event and is not parsed. */
export function pageOfRows(
  statements: Pick<ReturnType<typeof prepareSlices>, 'rowsAfter' | 'rowsBefore' | 'rowAt'>,
  { direction, from, categories, limit }: LogRange,
): LogPage {
  const forwards = direction === 'forwards';
  if (forwards && from === 'end') return { events: [], next: null };
  const place = from === 'end' ? Number.MAX_SAFE_INTEGER : from;
  // The row of the position may hold later events.
  const before = forwards ? statements.rowAt.get(place) : null;
  const rows = forwards ? statements.rowsAfter(null).all(place, limit) : statements.rowsBefore.all(place, limit);
  const events: StoredEvent[] = [];
  let next = place;
  for (const row of before === null ? rows : [before, ...rows]) {
    const wanted = categories.includes(categoryOf(row.stream)) ? eventsOf(row) : [];
    for (const event of forwards ? wanted : wanted.toReversed()) {
      if (forwards ? event.position <= place : event.position >= place) continue;
      if (events.length === limit) return { events, next: positionOf(next) };
      events.push(event);
      next = event.position;
    }
    next = forwards ? Math.max(next, row.position) : row.position;
  }
  return { events, next: rows.length < limit ? null : positionOf(next) };
}

/** See `EventStore.check`. @param end the log's last position */
export function checkOfRows(
  statements: Pick<ReturnType<typeof prepareSlices>, 'rowAt'>,
  { position, lastEvent }: Checkpoint,
  end: number,
): CheckpointCheck {
  if (position > end) return { kind: 'beyond-end', reason: beyondEnd(position, end) };
  if (lastEvent === null) return { kind: 'in-log' };
  const row = statements.rowAt.get(lastEvent.position);
  const found = row === null ? undefined : eventsOf(row).find((event) => event.position === lastEvent.position);
  // A missing event was erased.
  if (found === undefined || found.id === lastEvent.id) return { kind: 'in-log' };
  const reason = `the log holds event ${found.id} at ${EMBEDDED_POSITIONS.format(found.position)}, where event ${lastEvent.id} was applied`;
  return { kind: 'not-in-log', reason };
}

/** Why a position is not in the log. @param end the log's last position */
export function beyondEnd(position: Position, end: number): string {
  const { format } = EMBEDDED_POSITIONS;
  return `the log ends at ${end === 0 ? 'its start' : format(positionOf(end))}, before ${format(position)}`;
}
