import type { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { storedPosition } from '../../eventsourcing/message.ts';
import type { Erasure, ErasureLedger } from '../../ports/erasure-ledger.ts';
import { type Disk, openOnDisk } from './disk.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';

/** Without a write-ahead log, so that the file alone is complete after each commit. EXTRA: also its directory is synced. */
const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = DELETE', 'synchronous = EXTRA'];
const PAGE = 500;
/** Sorts after every position and booking. */
const AFTER_ALL: Row = { booking: '', position: '\u{10ffff}', at: '' };

type Row = { readonly booking: string; readonly position: string; readonly at: string };
type Pending = { readonly erasure: Erasure; readonly resolve: () => void; readonly reject: (fault: unknown) => void };

/**
 * The erasure ledger in a separate SQLite file. Entries that arrive in one turn of the event loop share a commit.
 *
 * @param path the database file, created with its directory if missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openErasureLedger(path: string): ErasureLedger {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openOnDisk('erasure ledger', path, PRAGMAS, ledgerIn);
}

function ledgerIn(db: Database, disk: Disk): ErasureLedger {
  const { format } = EMBEDDED_POSITIONS;
  // The first entry creates the table: a start without erasures waits for no disk.
  let rows = hasTable(db) ? prepare(db) : null;
  let pending: Pending[] = [];
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the erasure ledger is closed');
  }

  const insertAll = db.transaction((group: readonly Pending[]): ReturnType<typeof prepare> => {
    if (rows === null) createTable(db);
    const { upsert, ...others } = rows ?? prepare(db);
    for (const { erasure } of group) upsert.run(erasure.booking, format(erasure.position), erasure.at);
    return { upsert, ...others };
  });

  function flush(): void {
    const group = pending;
    pending = [];
    if (group.length === 0) return;
    try {
      rows = disk.write(() => insertAll(group));
      for (const { resolve } of group) resolve();
    } catch (fault) {
      for (const { reject } of group) reject(fault);
    }
  }

  function pageAfter({ position, booking }: Row): Row[] {
    assertOpen();
    return disk.read(() => rows?.page.all(position, booking) ?? []);
  }

  return {
    record(erasure) {
      return new Promise((resolve, reject) => {
        assertOpen();
        if (pending.push({ erasure, resolve, reject }) === 1) setImmediate(flush);
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
      flush();
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
       ON CONFLICT (booking) DO UPDATE SET position = excluded.position, at = excluded.at`,
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
