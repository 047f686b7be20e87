import { Database, SQLiteError } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../ports/operator-error.ts';
import { translateDiskFault } from './disk.ts';

/** Locks of this process. The garbage collector would close an unreferenced connection and release its lock. */
const held = new Set<Database>();

/** Another process on this machine has the data directory open. */
export class DataDirectoryInUse extends OperatorError {
  constructor(directory: string) {
    super(
      `the data directory ${directory} is in use by another Waymark process; stop that one, or set DATA_DIR to a different directory`,
    );
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Locks the data directory for this process and creates it if missing (mode 700). The lock is an open exclusive SQLite
 * transaction on a separate file, so the operating system releases it however the process ends.
 *
 * @returns a function that releases the lock
 * @throws DataDirectoryInUse; StoreUnavailable if the disk is full
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
    throw translateDiskFault('event store', fault);
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
