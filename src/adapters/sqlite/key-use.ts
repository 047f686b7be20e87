import { Database } from 'bun:sqlite';
import type { KeyUse, RequestOutcome, UseOfRun } from '../../ports/key-use.ts';
import { diskOf, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 1000', 'busy_timeout = 5000'];

type Row = { readonly run: string; readonly use: string };

/**
 * Request statistics of keys, in a separate SQLite file: one row per key, day and run of the service.
 *
 * @param path the database file, created where missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openKeyUse(path: string): KeyUse {
  return openOnDisk('usage counters', () => new Database(path, { create: true, strict: true }), useIn);
}

function useIn(db: Database): KeyUse {
  for (const pragma of PRAGMAS) db.run(`PRAGMA ${pragma}`);
  db.run(`CREATE TABLE IF NOT EXISTS key_use (
    key TEXT NOT NULL, day INTEGER NOT NULL, run TEXT NOT NULL, use TEXT NOT NULL, PRIMARY KEY (key, day, run))`);
  const disk = diskOf(db, 'usage counters');
  const read = db.prepare<Row, [string, number]>('SELECT run, use FROM key_use WHERE key = ? AND day = ?');
  const write = db.prepare<never, [string, number, string, string]>(
    'INSERT OR REPLACE INTO key_use (key, day, run, use) VALUES (?, ?, ?, ?)',
  );
  const forget = db.prepare<never, [number]>('DELETE FROM key_use WHERE day < ?');
  const putAll = db.transaction((uses: readonly UseOfRun[]) => {
    for (const { run, key, day, use } of uses) write.run(key, day, run, JSON.stringify([...use]));
  });
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the use of keys is closed');
  };
  return {
    async put(uses) {
      assertOpen();
      disk.write(() => putAll.immediate(uses));
    },
    async of(key, day) {
      assertOpen();
      // Parser: the rows were written above.
      return disk
        .read(() => read.all(key, day))
        .map(({ run, use }) => {
          return { run, key, day, use: new Map(JSON.parse(use) as [string, Record<RequestOutcome, number>][]) };
        });
    },
    async forgetBefore(day) {
      assertOpen();
      disk.write(() => forget.run(day));
    },
    async close() {
      if (!open) return;
      open = false;
      db.close(true);
    },
  };
}
