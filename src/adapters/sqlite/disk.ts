import { Database, SQLiteError } from 'bun:sqlite';
import { type Engine, StoreUnavailable } from '../../ports/store-unavailable.ts';

/** The disk of a database, which may be full or fail for a while. */
export type Disk = {
  /** Runs a read. @throws StoreUnavailable if the disk fails, or another connection has locked the file */
  read<T>(work: () => T): T;
  /** Runs a write, which must roll back if it throws. @throws StoreUnavailable if the disk refuses it, or another connection has locked the file */
  write<T>(work: () => T): T;
  /** Whether the disk accepts writes. After a failed write, tries a minimal write first. */
  writable(): boolean;
};

function diskOf(db: Database, engine: Engine): Disk {
  let taken = true;
  return {
    read(work) {
      try {
        return work();
      } catch (fault) {
        throw translateDiskFault(engine, fault);
      }
    },
    write(work) {
      try {
        const result = work();
        taken = true;
        return result;
      } catch (fault) {
        taken &&= !isDiskFault(fault);
        throw translateDiskFault(engine, fault);
      }
    },
    writable() {
      if (taken) return true;
      try {
        // Writes a page even if the value is unchanged; nothing reads it.
        db.run('PRAGMA user_version = 0');
        taken = true;
      } catch (fault) {
        if (!isDiskFault(fault)) throw fault;
      }
      return taken;
    },
  };
}

/**
 * Opens a database file, created if missing, and closes it if the preparation fails.
 * @throws StoreUnavailable if the disk is full
 */
export function openOnDisk<T>(
  engine: Engine,
  path: string,
  pragmas: readonly string[],
  prepare: (db: Database, disk: Disk) => T,
): T {
  let db: Database | undefined;
  try {
    db = new Database(path, { create: true, strict: true });
    for (const pragma of pragmas) db.run(`PRAGMA ${pragma}`);
    return prepare(db, diskOf(db, engine));
  } catch (fault) {
    db?.close();
    throw translateDiskFault(engine, fault);
  }
}

/**
 * Runs optional work, such as moving the write-ahead log into the file, and ignores faults of the disk.
 * @returns whether the work succeeded
 */
export function ignoringDiskFaults(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (fault) {
    if (!isDiskFault(fault)) throw fault;
    return false;
  }
}

/** Null, with nothing done, if another connection has locked the file. */
export function unlessLocked<T>(work: () => T): T | null {
  try {
    return work();
  } catch (fault) {
    if (!isLocked(fault)) throw fault;
    return null;
  }
}

/** Translates faults of the disk, and locks of other connections, to StoreUnavailable; returns other faults unchanged. */
export function translateDiskFault(engine: Engine, fault: unknown): unknown {
  return isDiskFault(fault) || isLocked(fault)
    ? new StoreUnavailable(engine, `SQLite: ${fault.message}`, { cause: fault })
    : fault;
}

function isLocked(fault: unknown): fault is SQLiteError {
  return fault instanceof SQLiteError && (fault.code?.startsWith('SQLITE_BUSY') ?? false);
}

/** No space (SQLite reports ENOSPC as FULL), or another system call error: a quota, a limit, a failing device. */
function isDiskFault(fault: unknown): fault is SQLiteError {
  if (!(fault instanceof SQLiteError)) return false;
  return fault.code === 'SQLITE_FULL' || (fault.code?.startsWith('SQLITE_IOERR') ?? false);
}
