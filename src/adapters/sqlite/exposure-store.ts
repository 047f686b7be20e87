import type { Database } from 'bun:sqlite';
import type { ExposureEntry, ExposureStore } from '../../ports/exposure-store.ts';
import { type Disk, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 1000', 'busy_timeout = 5000'];

/** `entries` as JSON. */
type Row = { readonly version: number; readonly entries: string };

/**
 * The exposure of keys, in a separate SQLite file: one row per limit of a key.
 *
 * @param path the database file, created if missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openExposureStore(path: string): ExposureStore {
  return openOnDisk('usage counters', path, PRAGMAS, exposureIn);
}

function exposureIn(db: Database, disk: Disk): ExposureStore {
  db.run(`CREATE TABLE IF NOT EXISTS exposure (
    counter TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, entries TEXT NOT NULL)`);
  const select = db.prepare<Row, [string]>('SELECT version, entries FROM exposure WHERE counter = ?');
  const insert = db.prepare<never, [string, string]>(
    'INSERT INTO exposure (counter, version, entries) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
  );
  const update = db.prepare<never, [string, string, number]>(
    'UPDATE exposure SET version = version + 1, entries = ? WHERE counter = ? AND version = ?',
  );
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the exposure store is closed');
  };
  return {
    async read(counter) {
      assertOpen();
      const row = disk.read(() => select.get(counter));
      if (row === null) return { entries: [], version: null };
      // Parser: `replace` wrote the row.
      return { entries: JSON.parse(row.entries) as ExposureEntry[], version: String(row.version) };
    },
    async replace(counter, before, entries) {
      assertOpen();
      const text = JSON.stringify(entries);
      const { changes } = disk.write(() =>
        before === null ? insert.run(counter, text) : update.run(text, counter, Number(before)),
      );
      return changes === 0 ? null : String(Number(before ?? 0) + 1);
    },
    async close() {
      if (!open) return;
      open = false;
      db.close(true);
    },
  };
}
