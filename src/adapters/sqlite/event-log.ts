import type { Database } from 'bun:sqlite';
import { type Cause, type Position, START } from '../../eventsourcing/message.ts';
import {
  categoryOf,
  MAX_APPEND_BYTES,
  type NewEvent,
  NO_STREAM,
  type StoredEvent,
  type StreamRead,
} from '../../ports/event-store.ts';

/** Stream heads kept in memory, in two generations of at most so many, so that most appends need no look-up. */
const CACHED_HEADS = 50_000;
/** Events kept in memory for subscriptions that follow live, so that each is parsed at most once. */
const RECENT_EVENTS = 16_384;
const POSITION_WIDTH = 16;

type Head = { readonly revision: number; readonly erased: boolean };
/** An event inside a row: the cause is left out where it is that of the event before it. */
type RowEvent = { id: string; type: string; data: object; cause?: Cause };
/** An event in memory, with what subscriptions ask of it worked out once for all of them. */
type Recent = { readonly event: StoredEvent; readonly category: string; readonly position: number };
type Row = { position: number; stream: string; revision: number; events: string };

export type LogSlice = { readonly events: readonly StoredEvent[]; readonly upTo: number };

/** The tables of the embedded event store, and every statement on them. All calls are synchronous. */
export type EventLog = {
  transaction<T>(work: () => T): T;
  headOf(stream: string): Head;
  /**
   * Inserts events at a revision and returns the position of the last; null, without inserting, where the revision is
   * taken. Only inside `transaction`.
   */
  insert(stream: string, revision: number, events: readonly NewEvent[], text: string): Position | null;
  /** True where nothing is known in memory of the stream, and it was not erased: most likely it does not exist. */
  unheardOf(stream: string): boolean;
  read(stream: string, fromRevision: number): StreamRead;
  /** Events after a position, in order, those of other categories skipped but counted in `upTo`. */
  after(position: number, categories: ReadonlySet<string> | null, limit: number): LogSlice;
  lastPosition(): number;
  head(): Position;
  erase(stream: string): void;
  close(): void;
};

/**
 * One row per append rather than per event: a booking's three events cost one insertion. A row holds consecutive
 * revisions and consecutive positions, and its keys are those of its first event.
 */
export function openEventLog(db: Database): EventLog {
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'secure_delete = ON',
    'cache_size = -65536',
    'wal_autocheckpoint = 4000',
    'busy_timeout = 5000',
  ]) {
    db.run(`PRAGMA ${pragma}`);
  }
  db.run(`CREATE TABLE IF NOT EXISTS appends (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, count INTEGER NOT NULL, events TEXT NOT NULL)`);
  db.run('CREATE UNIQUE INDEX IF NOT EXISTS appends_by_stream ON appends (stream, revision)');
  db.run('CREATE TABLE IF NOT EXISTS erased (stream TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID');

  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const insertRow = db.prepare('INSERT OR IGNORE INTO appends VALUES (?, ?, ?, ?, ?)');
  const lastRow = db.prepare<{ revision: number; count: number }, [string]>(
    'SELECT revision, count FROM appends WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  );
  const rowsOfStream = db.prepare<Row, [string, string, number]>(
    `SELECT position, stream, revision, events FROM appends WHERE stream = ? AND revision >= coalesce(
       (SELECT max(revision) FROM appends WHERE stream = ? AND revision <= ?), 0) ORDER BY revision`,
  );
  const rowsAfter = db.prepare<Row, [number, number]>(
    'SELECT position, stream, revision, events FROM appends WHERE position > ? ORDER BY position LIMIT ?',
  );
  const rowAt = db.prepare<Row, [number]>(
    'SELECT position, stream, revision, events FROM appends WHERE position <= ? ORDER BY position DESC LIMIT 1',
  );
  const isErased = db.prepare<{ position: number }, [string]>('SELECT position FROM erased WHERE stream = ?');
  const end = db
    .query<{ position: number }, []>(
      `SELECT max(coalesce((SELECT position + count - 1 FROM appends ORDER BY position DESC LIMIT 1), 0),
                  coalesce((SELECT max(position) FROM erased), 0)) AS position`,
    )
    .get();

  let heads = new Map<string, Head>();
  let olderHeads = new Map<string, Head>();
  let erasedStreams = db.query<{ count: number }, []>('SELECT count(*) AS count FROM erased').get()?.count ?? 0;
  let position = end?.position ?? 0;
  let recent: Recent[] = [];
  /** `recent` holds every event after this position. */
  let recentAfter = position;
  let inserted: Recent[] = [];

  function headOf(stream: string): Head {
    const cached = heads.get(stream) ?? olderHeads.get(stream);
    if (cached !== undefined) return cached;
    const row = lastRow.get(stream);
    const head: Head =
      row !== null
        ? { revision: row.revision + row.count - 1, erased: false }
        : { revision: NO_STREAM, erased: wasErased(stream) };
    return remember(stream, head);
  }

  function remember(stream: string, head: Head): Head {
    if (heads.size >= CACHED_HEADS) {
      olderHeads = heads;
      heads = new Map();
    }
    heads.set(stream, head);
    return head;
  }

  function wasErased(stream: string): boolean {
    return erasedStreams > 0 && isErased.get(stream) !== null;
  }

  function keepRecent(): void {
    for (const added of inserted) recent.push(added);
    inserted = [];
    if (recent.length <= RECENT_EVENTS * 2) return;
    const dropped = recent.length - RECENT_EVENTS;
    recentAfter = (recent[dropped - 1] as Recent).position;
    recent = recent.slice(dropped);
  }

  function sliceOfRecent(after: number, categories: ReadonlySet<string> | null, limit: number): LogSlice {
    const events: StoredEvent[] = [];
    let index = firstAfter(recent, after);
    let upTo = after;
    for (; index < recent.length && events.length < limit; index++) {
      const { event, category, position: at } = recent[index] as Recent;
      upTo = at;
      if (categories === null || categories.has(category)) events.push(event);
    }
    return { events, upTo: index >= recent.length ? Math.max(upTo, position) : upTo };
  }

  function sliceOfRows(after: number, categories: ReadonlySet<string> | null, limit: number): LogSlice {
    const first = rowAt.get(after);
    const rows = rowsAfter.all(after, limit);
    const events: StoredEvent[] = [];
    let upTo = after;
    for (const row of first === null ? rows : [first, ...rows]) {
      if (categories !== null && !categories.has(categoryOf(row.stream))) {
        upTo = Math.max(upTo, row.position);
        continue;
      }
      for (const event of eventsOf(row)) {
        const at = numberOf(event.position);
        if (at <= after) continue;
        if (events.length === limit) return { events, upTo };
        events.push(event);
        upTo = at;
      }
    }
    return { events, upTo: rows.length < limit ? Math.max(upTo, position) : upTo };
  }

  return {
    transaction(work) {
      begin.run();
      const before = position;
      try {
        const result = work();
        commit.run();
        keepRecent();
        return result;
      } catch (fault) {
        if (db.inTransaction) rollback.run();
        position = before;
        inserted = [];
        heads = new Map();
        olderHeads = new Map();
        throw fault;
      }
    },
    headOf,
    unheardOf: (stream) => !heads.has(stream) && !olderHeads.has(stream) && !wasErased(stream),
    insert(stream, revision, events, text) {
      if (insertRow.run(position + 1, stream, revision, events.length, text).changes === 0) return null;
      const category = categoryOf(stream);
      for (let index = 0; index < events.length; index++) {
        const { id, type, data, cause } = events[index] as NewEvent;
        const at = { stream, revision: revision + index, position: positionOf(++position) };
        inserted.push({ event: { id, type, data, cause, ...at }, category, position });
      }
      remember(stream, { revision: revision + events.length - 1, erased: false });
      return positionOf(position);
    },
    read(stream, fromRevision) {
      const head = headOf(stream);
      if (head.erased) return { kind: 'erased' };
      if (head.revision === NO_STREAM) return { kind: 'no-stream' };
      const events = rowsOfStream.all(stream, stream, fromRevision).flatMap(eventsOf);
      return {
        kind: 'events',
        events: fromRevision === 0 ? events : events.filter((event) => event.revision >= fromRevision),
      };
    },
    after(after, categories, limit) {
      return after >= recentAfter ? sliceOfRecent(after, categories, limit) : sliceOfRows(after, categories, limit);
    },
    lastPosition: () => position,
    head: () => (position === 0 ? START : positionOf(position)),
    erase(stream) {
      if (wasErased(stream)) return;
      db.transaction(() => {
        db.run('DELETE FROM appends WHERE stream = ?', [stream]);
        db.run('INSERT INTO erased VALUES (?, ?)', [stream, position + 1]);
      })();
      position++;
      erasedStreams++;
      recent = recent.filter(({ event }) => event.stream !== stream);
      remember(stream, { revision: NO_STREAM, erased: true });
      // What was erased must not live on in the write-ahead log either.
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    close() {
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close(true);
    },
  };
}

/** Fixed width, so that the order of the texts is the order of the log. */
export function positionOf(position: number): Position {
  return String(position).padStart(POSITION_WIDTH, '0') as Position;
}

export function numberOf(position: Position): number {
  return position === START ? 0 : Number(position);
}

/**
 * The text that a row keeps for an append.
 * @throws RangeError where it is over the port's limit
 */
export function encodeEvents(stream: string, events: readonly NewEvent[]): string {
  let before: Cause | null = null;
  const text = JSON.stringify(
    events.map(({ id, type, data, cause }): RowEvent => {
      const event: RowEvent = cause === before ? { id, type, data } : { id, type, data, cause };
      before = cause;
      return event;
    }),
  );
  if (text.length * 3 > MAX_APPEND_BYTES && Buffer.byteLength(text) > MAX_APPEND_BYTES) {
    throw new RangeError(
      `an append of ${Buffer.byteLength(text)} bytes to ${stream} is over the limit of ${MAX_APPEND_BYTES}`,
    );
  }
  return text;
}

function eventsOf(row: Row): StoredEvent[] {
  let cause: Cause | undefined;
  // The parser of this boundary: a row holds what `encodeEvents` wrote.
  return (JSON.parse(row.events) as RowEvent[]).map((event, index) => {
    cause = event.cause ?? cause;
    return {
      id: event.id,
      type: event.type,
      data: event.data,
      cause: cause as Cause,
      stream: row.stream,
      revision: row.revision + index,
      position: positionOf(row.position + index),
    };
  });
}

/** The index of the first event after a position; the events are in order. */
function firstAfter(events: readonly Recent[], after: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as Recent).position > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
