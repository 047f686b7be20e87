import type { Database } from 'bun:sqlite';
import type { CountedRun, RequestOutcome, RequestStatisticsStore } from '../../ports/request-statistics.ts';
import { type Disk, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 1000', 'busy_timeout = 5000'];

/** `use`: the counts as JSON. */
type Row = { readonly run: string; readonly use: string };

/**
 * Request statistics of keys, in a separate SQLite file: one row per key, day and run of the service, and one per key.
 *
 * @param path the database file, created if missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openRequestStatisticsStore(path: string): RequestStatisticsStore {
  return openOnDisk('usage counters', path, PRAGMAS, statisticsIn);
}

function statisticsIn(db: Database, disk: Disk): RequestStatisticsStore {
  db.run(`CREATE TABLE IF NOT EXISTS key_use (
    key TEXT NOT NULL, day INTEGER NOT NULL, run TEXT NOT NULL, use TEXT NOT NULL, PRIMARY KEY (key, day, run))`);
  db.run('CREATE TABLE IF NOT EXISTS key_last_use (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL)');
  const read = db.prepare<Row, [string, number]>('SELECT run, use FROM key_use WHERE key = ? AND day = ?');
  const write = db.prepare<never, [string, number, string, string]>(
    'INSERT OR REPLACE INTO key_use (key, day, run, use) VALUES (?, ?, ?, ?)',
  );
  const readLast = db.prepare<{ readonly at_ms: number }, [string]>('SELECT at_ms FROM key_last_use WHERE key = ?');
  const writeLast = db.prepare<never, [string, number]>(
    'INSERT INTO key_last_use (key, at_ms) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)',
  );
  const forget = db.prepare<never, [number]>('DELETE FROM key_use WHERE day < ?');
  const putAll = db.transaction((counted: readonly CountedRun[]) => {
    for (const { run, key, day, counts, lastAtMs } of counted) {
      write.run(key, day, run, JSON.stringify([...counts]));
      writeLast.run(key, lastAtMs);
    }
  });
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the request statistics are closed');
  };
  return {
    async put(counted) {
      assertOpen();
      disk.write(() => putAll.immediate(counted));
    },
    async of(keys, day) {
      assertOpen();
      const rows = disk.read(() => keys.flatMap((key) => read.all(key, day).map((row) => ({ key, ...row }))));
      // Parser: `put` wrote the rows.
      const parsed = (use: string) => new Map(JSON.parse(use) as [string, Record<RequestOutcome, number>][]);
      return rows.map(({ key, run, use }) => ({ run, key, day, counts: parsed(use) }));
    },
    async lastUses(keys) {
      assertOpen();
      const rows = disk.read(() => keys.map((key) => [key, readLast.get(key)?.at_ms ?? null] as const));
      return new Map(rows.flatMap(([key, atMs]) => (atMs === null ? [] : [[key, atMs] as const])));
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
