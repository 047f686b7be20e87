import { type Database, SQLiteError } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import type { Snapshot, SnapshotStore } from '../../ports/snapshot-store.ts';
import { type Disk, openOnDisk } from './disk.ts';

const PRAGMAS = ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 1000', 'busy_timeout = 5000'];

type Row = Snapshot & { readonly savedAtMs: number };

/**
 * Snapshots in a separate SQLite file, which may be deleted while no process uses it.
 *
 * @param path the database file, created if missing, and created again if it is not a database
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openSnapshotStore(path: string): SnapshotStore {
  try {
    return openOnDisk('snapshots', path, PRAGMAS, snapshotsIn);
  } catch (fault) {
    if (!isDamaged(fault)) throw fault;
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    return openOnDisk('snapshots', path, PRAGMAS, snapshotsIn);
  }
}

function snapshotsIn(db: Database, disk: Disk): SnapshotStore {
  db.run(`CREATE TABLE IF NOT EXISTS snapshots (
    stream TEXT NOT NULL, version INTEGER NOT NULL, revision INTEGER NOT NULL, eventId TEXT NOT NULL,
    digest TEXT NOT NULL, savedAtMs INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (stream, version)) WITHOUT ROWID`);
  const load = db.prepare<Snapshot, [string, number]>(
    'SELECT stream, version, revision, eventId, state, digest FROM snapshots WHERE stream = ? AND version = ?',
  );
  const save = db.prepare<never, [Row]>(
    `INSERT INTO snapshots (stream, version, revision, eventId, digest, savedAtMs, state)
       VALUES ($stream, $version, $revision, $eventId, $digest, $savedAtMs, $state)
     ON CONFLICT (stream, version) DO UPDATE SET revision = excluded.revision, eventId = excluded.eventId,
       digest = excluded.digest, savedAtMs = excluded.savedAtMs, state = excluded.state
       WHERE excluded.revision > snapshots.revision`,
  );
  const remove = db.prepare<never, [string, number, string]>(
    'DELETE FROM snapshots WHERE stream = ? AND version = ? AND digest = ?',
  );
  const removeBefore = db.prepare<never, [number]>('DELETE FROM snapshots WHERE savedAtMs < ?');
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the snapshots are closed');
  };
  return {
    async load(stream, version) {
      assertOpen();
      return disk.read(() => load.get(stream, version));
    },
    async save(snapshot, savedAtMs) {
      assertOpen();
      disk.write(() => save.run({ ...snapshot, savedAtMs }));
    },
    async remove({ stream, version, digest }) {
      assertOpen();
      disk.write(() => remove.run(stream, version, digest));
    },
    async removeBefore(savedAtMs) {
      assertOpen();
      disk.write(() => removeBefore.run(savedAtMs));
    },
    async close() {
      if (!open) return;
      open = false;
      db.close(true);
    },
  };
}

function isDamaged(fault: unknown): boolean {
  return fault instanceof SQLiteError && (fault.code === 'SQLITE_NOTADB' || fault.code === 'SQLITE_CORRUPT');
}
