import { Database, SQLiteError } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { toldByDisk } from './disk.ts';

/** Locks of this process. A connection that nobody held would be closed by the garbage collector, and its lock with it. */
const held = new Set<Database>();

/** Another process of this machine has the data directory open. */
export class DataDirectoryInUse extends Error {
  constructor(directory: string) {
    super(
      `the data directory ${directory} is in use by another Waymark process; stop that one, or set DATA_DIR to a different directory`,
    );
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Takes the data directory for this process, creating it where missing (mode 700). The lock is SQLite's own, held by an
 * open exclusive transaction on a file beside the data, so the operating system drops it however the process ends.
 *
 * @returns a function that gives the directory back
 * @throws DataDirectoryInUse; StoreUnavailable where the disk is full
 */
export function lockDataDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new Database(join(directory, 'lock'), { create: true });
  try {
    lock.run('PRAGMA journal_mode = DELETE');
    lock.run('BEGIN EXCLUSIVE');
  } catch (fault) {
    lock.close();
    if (fault instanceof SQLiteError && fault.code?.startsWith('SQLITE_BUSY')) throw new DataDirectoryInUse(directory);
    throw toldByDisk('event store', fault);
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
