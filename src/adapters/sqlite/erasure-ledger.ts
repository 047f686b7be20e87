import type { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { storedPosition } from '../../eventsourcing/message.ts';
import type { Erasure, ErasureLedger } from '../../ports/erasure-ledger.ts';
import { openAttempts } from './attempts.ts';
import { type Disk, openOnDisk, unlessLocked } from './disk.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';

/**
 * Without a write-ahead log, so that the file alone is complete after each commit. EXTRA: also its directory is synced. The
 * timeout is that of the opening.
 */
const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = DELETE', 'synchronous = EXTRA'];
const PAGE = 500;
/** Sorts after every position and booking. */
const AFTER_ALL: Row = { booking: '', position: '\u{10ffff}', at: '' };

type Row = { readonly booking: string; readonly position: string; readonly at: string };

/**
 * The erasure ledger in a separate SQLite file. Entries that arrive in one turn of the event loop share a commit. While another
 * connection reads the file, the commit is repeated, and no call blocks.
 *
 * @param path the database file, created with its directory if missing
 * @throws StoreUnavailable if the disk is full or another connection keeps the file in use, here and at every call
 */
export function openErasureLedger(path: string): ErasureLedger {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openOnDisk('erasure ledger', path, PRAGMAS, ledgerIn);
}

function ledgerIn(db: Database, disk: Disk): ErasureLedger {
  const { format } = EMBEDDED_POSITIONS;
  // The first entry creates the table: a start without erasures waits for no disk.
  let rows = hasTable(db) ? prepare(db) : null;
  /** By booking. An entry that was given up stays, and is recorded with the next one. */
  let pending = new Map<string, Erasure>();
  const writes = openAttempts('erasure ledger', writePending);
  let open = true;
  // The attempts are repeated instead: SQLite would wait within the call.
  db.run('PRAGMA busy_timeout = 0');

  function assertOpen(): void {
    if (!open) throw new Error('the erasure ledger is closed');
  }

  const insertAll = db.transaction((group: Iterable<Erasure>): ReturnType<typeof prepare> => {
    if (rows === null) createTable(db);
    const { upsert, ...others } = rows ?? prepare(db);
    for (const { booking, position, at } of group) upsert.run(booking, format(position), at);
    return { upsert, ...others };
  });

  /** False if another connection uses the file. */
  function writePending(): boolean {
    const written = disk.write(() => unlessLocked(() => insertAll(pending.values())));
    if (written === null) return false;
    rows = written;
    pending = new Map();
    return true;
  }

  function pageAfter({ position, booking }: Row): Row[] {
    assertOpen();
    return disk.read(() => rows?.page.all(position, booking) ?? []);
  }

  return {
    record(erasure) {
      return new Promise((resolve, reject) => {
        assertOpen();
        pending.set(erasure.booking, erasure);
        writes.request(resolve, reject);
      });
    },
    async of(booking) {
      assertOpen();
      const row = disk.read(() => rows?.select.get(booking) ?? null);
      return row === null ? null : erasureOf(row);
    },
    async *newestFirst() {
      let last: Row | undefined = AFTER_ALL;
      while (last !== undefined) {
        const found = pageAfter(last);
        for (const row of found) yield erasureOf(row);
        last = found.length < PAGE ? undefined : found.at(-1);
      }
    },
    async close() {
      if (!open) return;
      writes.stop();
      open = false;
      db.close(true);
    },
  };
}

function hasTable(db: Database): boolean {
  return db.query("SELECT 1 FROM sqlite_master WHERE name = 'erasures'").get() !== null;
}

function createTable(db: Database): void {
  db.run(`CREATE TABLE erasures (
    booking TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID`);
  db.run('CREATE INDEX erasures_by_position ON erasures (position, booking)');
}

function prepare(db: Database) {
  return {
    upsert: db.prepare<never, [string, string, string]>(
      `INSERT INTO erasures (booking, position, at) VALUES (?, ?, ?)
       ON CONFLICT (booking) DO UPDATE SET position = excluded.position, at = excluded.at
       WHERE position <> excluded.position OR at <> excluded.at`,
    ),
    select: db.prepare<Row, [string]>('SELECT booking, position, at FROM erasures WHERE booking = ?'),
    page: db.prepare<Row, [string, string]>(
      `SELECT booking, position, at FROM erasures WHERE (position, booking) < (?, ?)
       ORDER BY position DESC, booking DESC LIMIT ${PAGE}`,
    ),
  };
}

function erasureOf({ booking, position, at }: Row): Erasure {
  return { booking, position: storedPosition(position, EMBEDDED_POSITIONS), at };
}
