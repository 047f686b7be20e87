import { type Database, SQLiteError } from 'bun:sqlite';
import { type Engine, StoreUnavailable } from '../../ports/store-unavailable.ts';

/** The disk under a database: it may be full, or fail for a while. */
export type Disk = {
  /** Reads. @throws StoreUnavailable where the disk fails */
  read<T>(work: () => T): T;
  /** Writes: the work undoes what it began where it throws. @throws StoreUnavailable where the disk refuses it */
  write<T>(work: () => T): T;
  /** Whether the last write was taken. Where it was not, the smallest one there is is tried first. */
  writable(): boolean;
};

export function diskOf(db: Database, engine: Engine): Disk {
  let taken = true;
  return {
    read(work) {
      try {
        return work();
      } catch (fault) {
        throw toldByDisk(engine, fault);
      }
    },
    write(work) {
      try {
        const result = work();
        taken = true;
        return result;
      } catch (fault) {
        taken &&= !isOfDisk(fault);
        throw toldByDisk(engine, fault);
      }
    },
    writable() {
      if (taken) return true;
      try {
        // Writes a page even where it changes nothing. Nobody reads it.
        db.run('PRAGMA user_version = 0');
        taken = true;
      } catch (fault) {
        if (!isOfDisk(fault)) throw fault;
      }
      return taken;
    },
  };
}

/** Opens a database, or leaves nothing open. @throws StoreUnavailable where the disk has no room for what that takes */
export function openOnDisk<T>(engine: Engine, open: () => Database, prepare: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = open();
    return prepare(db);
  } catch (fault) {
    db?.close();
    throw toldByDisk(engine, fault);
  }
}

/**
 * Does what can wait, such as moving the write-ahead log into the file: where the disk refuses it, it is done another time.
 * @returns whether it was done
 */
export function whereDiskAllows(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (fault) {
    if (!isOfDisk(fault)) throw fault;
    return false;
  }
}

/** The fault as it is thrown on: StoreUnavailable where it is the disk's. */
export function toldByDisk(engine: Engine, fault: unknown): unknown {
  return isOfDisk(fault) ? new StoreUnavailable(engine, `SQLite: ${fault.message}`, { cause: fault }) : fault;
}

/** No room (ENOSPC is told as FULL), or any other error of the system's calls: a quota, a limit, a device that fails. */
function isOfDisk(fault: unknown): fault is SQLiteError {
  if (!(fault instanceof SQLiteError)) return false;
  return fault.code === 'SQLITE_FULL' || (fault.code?.startsWith('SQLITE_IOERR') ?? false);
}
