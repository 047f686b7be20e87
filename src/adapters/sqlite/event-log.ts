import type { Database } from 'bun:sqlite';
import type { Position } from '../../eventsourcing/message.ts';
import {
  type Checkpoint,
  type CheckpointCheck,
  categoryOf,
  type LogPage,
  type LogRange,
  type NewEvent,
  NO_STREAM,
  type StoredEvent,
  type StreamRead,
} from '../../ports/event-store.ts';
import { ignoringDiskFaults } from './disk.ts';
import { type AppendRow, eventsOf, positionOf } from './event-rows.ts';
import { GenerationCache } from './generation-cache.ts';
import { type LogSlice, RecentEvents } from './recent-events.ts';
import { checkOfRows, pageOfRows, prepareSlices, sliceOfRows } from './row-slices.ts';

const BUSY_TIMEOUT_MS = 5_000;

export const PRAGMAS: readonly string[] = [
  // Applies to new files only. A page of 4 KiB holds two context logs and wastes a quarter of itself; with larger logs
  // half.
  'page_size = 8192',
  'journal_mode = WAL',
  'synchronous = FULL',
  // Erased bytes are overwritten, not only unlinked.
  'secure_delete = ON',
  'cache_size = -8192',
  // In pages. Bounds the log's file when the checkpointer cannot keep up.
  'wal_autocheckpoint = 8000',
  `busy_timeout = ${BUSY_TIMEOUT_MS}`,
];

const CACHED_HEADS = 50_000;
/** Rows deleted with one append, so that the first one to a long stream of an earlier release is not slow. */
const DELETED_PER_APPEND = 100;

/** By category: number of last events that are kept of each stream, in whole appends. Other streams are kept forever. */
export type KeptEvents = Readonly<Record<string, number>>;

/** A stream's last revision; -1 if it has none. */
type Head = { readonly revision: number; readonly erased: boolean };

/**
 * The tables of the embedded event store, and every statement on them. All calls are synchronous. One row holds the
 * events of one append: a booking's three events cost one insertion, a batch of claims too (docs/decisions/0001).
 */
export class EventLog {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #heads = new GenerationCache<string, Head>(CACHED_HEADS);
  readonly #recent: RecentEvents;
  #position: number;
  /** Skips the search in `erased` while it is empty. */
  #anyErased: boolean;
  readonly #keptEvents: KeptEvents;

  constructor(db: Database, keptEvents: KeptEvents = {}) {
    this.#keptEvents = keptEvents;
    db.run(`CREATE TABLE IF NOT EXISTS appends (
      position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, count INTEGER NOT NULL, events TEXT NOT NULL)`);
    db.run('CREATE UNIQUE INDEX IF NOT EXISTS appends_by_stream ON appends (stream, revision)');
    db.run('CREATE TABLE IF NOT EXISTS erased (stream TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID');
    db.run('CREATE INDEX IF NOT EXISTS erased_by_position ON erased (position)');
    this.#db = db;
    this.#statements = prepare(db);
    this.#position = this.#statements.end.get()?.position ?? 0;
    this.#anyErased = this.#statements.anyErased.get() !== null;
    this.#recent = new RecentEvents(this.#position);
  }

  get position(): number {
    return this.#position;
  }

  get head(): Position {
    return positionOf(this.#position);
  }

  /** Runs the work and commits it durably; rolls it back if it throws. */
  transaction<T>(work: () => T): T {
    const before = this.#position;
    this.#statements.begin.run();
    try {
      const result = work();
      this.#statements.commit.run();
      this.#recent.commit();
      return result;
    } catch (fault) {
      if (this.#db.inTransaction) this.#statements.rollback.run();
      this.#position = before;
      this.#recent.rollback();
      this.#heads.clear();
      throw fault;
    }
  }

  headOf(stream: string): Head {
    const cached = this.#heads.get(stream);
    if (cached !== undefined) return cached;
    const row = this.#statements.lastRow.get(stream);
    if (row !== null) return this.#heads.set(stream, { revision: row.revision + row.count - 1, erased: false });
    return this.#heads.set(stream, { revision: NO_STREAM, erased: this.wasErased(stream) });
  }

  wasErased(stream: string): boolean {
    return this.#anyErased && this.#statements.isErased.get(stream) !== null;
  }

  /**
   * Inserts events at a revision and returns the position of the last; returns null, without inserting, if the revision
   * exists. Only inside `transaction`.
   *
   * @param text the events encoded by `encodeEvents`
   */
  insert(stream: string, revision: number, events: readonly NewEvent[], text: string): Position | null {
    const first = this.#position + 1;
    if (this.#statements.insert.run(first, stream, revision, events.length, text).changes === 0) return null;
    this.#position += events.length;
    this.#heads.set(stream, { revision: revision + events.length - 1, erased: false });
    this.#deleteOld(stream, revision + events.length);
    return this.#recent.add(stream, revision, first, events);
  }

  /** How many of a stream's last events are kept; null: all. */
  keptOf(stream: string): number | null {
    return this.#keptEvents[categoryOf(stream)] ?? null;
  }

  /** In the transaction of an append, so the deleted rows are never the last of the log. @param count events so far */
  #deleteOld(stream: string, count: number): void {
    const kept = this.keptOf(stream);
    if (kept !== null && count > kept) this.#statements.deleteOld.run(stream, count - kept, DELETED_PER_APPEND);
  }

  read(stream: string, fromRevision: number, maxCount = Number.POSITIVE_INFINITY): StreamRead {
    const head = this.headOf(stream);
    if (head.erased) return { kind: 'erased' };
    if (head.revision === NO_STREAM) return { kind: 'no-stream' };
    const { wholeStream, rowsOfStream } = this.#statements;
    const rows = fromRevision === 0 ? wholeStream.iterate(stream) : rowsOfStream.iterate(stream, stream, fromRevision);
    const found: StoredEvent[] = [];
    // A row may hold a thousand events: no more rows are read than are needed.
    for (const row of rows) {
      for (const event of eventsOf(row))
        if (event.revision >= fromRevision && found.length < maxCount) found.push(event);
      if (found.length >= maxCount) break;
    }
    return { kind: 'events', events: found, upTo: found.at(-1)?.revision ?? fromRevision - 1 };
  }

  /** Events after a position, in order, at most `limit` of these categories (null: of all categories). */
  after(position: number, categories: ReadonlySet<string> | null, limit: number): LogSlice {
    if (this.#recent.covers(position)) return this.#recent.slice(position, categories, limit, this.#position);
    return sliceOfRows(this.#statements, position, categories, limit, this.#position);
  }

  page(range: LogRange): LogPage {
    return pageOfRows(this.#statements, range);
  }

  check(checkpoint: Checkpoint): CheckpointCheck {
    return checkOfRows(this.#statements, checkpoint, this.#position);
  }

  /**
   * Deletes a stream permanently. Only inside `transaction`; the write-ahead log still holds the bytes afterwards. The
   * erasure uses a position, so that no position is assigned twice after the last events of the log were erased.
   */
  erase(stream: string): void {
    if (this.wasErased(stream)) return;
    this.#db.run('DELETE FROM appends WHERE stream = ?', [stream]);
    this.#db.run('INSERT INTO erased VALUES (?, ?)', [stream, this.#position + 1]);
    this.#position++;
    this.#anyErased = true;
    this.#recent.forget(stream);
    this.#heads.set(stream, { revision: NO_STREAM, erased: true });
  }

  /** Moves the write-ahead log into the file. Returns false at once if another connection uses the log. */
  truncateWal(): boolean {
    this.#db.run('PRAGMA busy_timeout = 0');
    try {
      return this.#statements.truncate.get()?.busy === 0;
    } finally {
      this.#db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  close(): void {
    this.#db.run('PRAGMA synchronous = FULL');
    // SQLite reads the rest of the write-ahead log at the next start.
    ignoringDiskFaults(() => void this.truncateWal());
    this.#db.close(true);
  }
}

function prepare(db: Database) {
  const columns = 'position, stream, revision, events';
  return {
    ...prepareSlices(db),
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    insert: db.prepare('INSERT OR IGNORE INTO appends VALUES (?, ?, ?, ?, ?)'),
    deleteOld: db.prepare<never, [string, number, number]>(
      `DELETE FROM appends WHERE position IN (
         SELECT position FROM appends WHERE stream = ? AND revision + count <= ? ORDER BY revision LIMIT ?)`,
    ),
    lastRow: db.prepare<{ revision: number; count: number }, [string]>(
      'SELECT revision, count FROM appends WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    ),
    // Most reads are of a whole stream; without the search for the first row they cost a third less.
    wholeStream: db.prepare<AppendRow, [string]>(`SELECT ${columns} FROM appends WHERE stream = ? ORDER BY revision`),
    rowsOfStream: db.prepare<AppendRow, [string, string, number]>(
      `SELECT ${columns} FROM appends WHERE stream = ? AND revision >= coalesce(
         (SELECT max(revision) FROM appends WHERE stream = ? AND revision <= ?), 0) ORDER BY revision`,
    ),
    truncate: db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)'),
    anyErased: db.prepare<{ position: number }, []>('SELECT position FROM erased LIMIT 1'),
    isErased: db.prepare<{ position: number }, [string]>('SELECT position FROM erased WHERE stream = ?'),
  };
}
