import type { Database } from 'bun:sqlite';
import { START } from '../../eventsourcing/message.ts';
import type { Index } from '../../eventsourcing/projection.ts';
import { lostCollection, type ReadModelStore, type StoredDocument } from '../../ports/read-model-store.ts';
import { type Disk, ignoringDiskFaults, openOnDisk } from './disk.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';
import { type Checkpoints, openCheckpoints } from './read-model-checkpoints.ts';
import { createTable, type DocumentTable, openTable } from './read-model-collection.ts';
import { indexOf, tableOf } from './read-model-query.ts';

/**
 * Documents that `scan` reads at a time. Between two reads it holds no snapshot, so that the log can be checkpointed.
 */
const SCAN_DOCUMENTS = 500;

/**
 * Unlike the event store, this file needs no fsync per commit: its contents can be folded again. In WAL mode
 * `synchronous=NORMAL` keeps the file consistent; a power loss only returns it to an older commit, with documents,
 * checkpoints, pointers and drops together, so that folding continues from the checkpoint found there.
 */
const PRAGMAS = [
  'busy_timeout = 5000',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'cache_size = -65536',
  'wal_autocheckpoint = 16000',
  'journal_size_limit = 67108864',
];

/** The port, and whether its disk accepts writes of this connection. */
export type EmbeddedReadModels = ReadModelStore & Pick<Disk, 'writable'>;

/**
 * The embedded read models: one SQLite file with a table per collection, documents as JSON text. Any number of
 * processes may have it open, and other tools may read it meanwhile. A writer waits up to 5 s for another writer, then
 * rejects. Calls on a collection that was never ensured, or was dropped, reject with "no such table".
 *
 * @param path the database file, created if missing; `:memory:` for a database that ends with the store
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openReadModelStore(path: string): EmbeddedReadModels {
  return openOnDisk('read models', path, PRAGMAS, readModelsIn);
}

function readModelsIn(db: Database, disk: Disk): EmbeddedReadModels {
  const checkpoints = openCheckpoints(db);
  const tables = new Map<string, DocumentTable>();
  const collectionNames = db.prepare<{ name: string }, []>(
    `SELECT name FROM sqlite_schema
     WHERE type = 'table' AND name GLOB '[a-z]*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
  );
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the read model store is closed');
  }

  function assertName(...names: readonly string[]): void {
    assertOpen();
    for (const name of names) tableOf(name);
  }

  function tableFor(collection: string): DocumentTable {
    assertOpen();
    const table = tables.get(collection) ?? openTable(db, collection);
    tables.set(collection, table);
    return table;
  }

  return {
    positions: EMBEDDED_POSITIONS,
    async ensure(collection, indexes) {
      assertName(collection);
      disk.write(() => ensureCollection(db, checkpoints, collection, indexes).immediate());
    },
    async load(collection, ids) {
      const table = tableFor(collection);
      const loaded = new Map<string, StoredDocument>();
      const work = db.transaction(() => {
        for (const id of ids) {
          const document = table.get(id);
          if (document !== null) loaded.set(id, document);
        }
      });
      disk.read(work);
      return loaded;
    },
    async commit(collection, writes, upTo, { after = START, lastEvent = null } = {}) {
      const table = tableFor(collection);
      const work = db.transaction(() => {
        if ((checkpoints.checkpoint(collection) ?? START) < after) throw lostCollection(collection);
        const missed = writes.filter((write) => !table.write(write)).map(({ id }) => id);
        if (missed.length === 0) checkpoints.advance(collection, upTo, lastEvent);
        return { missed };
      });
      return disk.write(() => work.immediate());
    },
    async checkpoint(collection) {
      assertName(collection);
      return disk.read(() => checkpoints.checkpoint(collection));
    },
    async checkpoints(collections) {
      assertName(...collections);
      return disk.read(() => valuesOf(collections, (name) => checkpoints.checkpoint(name)));
    },
    async lastEvent(collection) {
      assertName(collection);
      return disk.read(() => checkpoints.lastEvent(collection));
    },
    async find(collection, query) {
      const table = tableFor(collection);
      return disk.read(db.transaction(() => table.find(query)));
    },
    scan: (collection) => scanOf(() => tableFor(collection), disk),
    async collections() {
      assertOpen();
      return disk.read(() => collectionNames.all().map(({ name }) => name));
    },
    async drop(collection) {
      assertName(collection);
      tables.delete(collection);
      const work = db.transaction(() => {
        db.run(`DROP TABLE IF EXISTS ${tableOf(collection)}`);
        checkpoints.forget(collection);
      });
      disk.write(() => work.immediate());
    },
    async pointer(name) {
      assertName(name);
      return disk.read(() => checkpoints.pointer(name));
    },
    async pointers(names) {
      assertName(...names);
      return disk.read(() => valuesOf(names, (name) => checkpoints.pointer(name)));
    },
    async movePointer(name, from, to) {
      assertName(name);
      return disk.write(() => checkpoints.movePointer(name, from, to));
    },
    async close() {
      if (!open) return;
      open = false;
      // Copies what it can without waiting for readers; the last process that closes the file removes the log.
      ignoringDiskFaults(() => void db.run('PRAGMA wal_checkpoint(PASSIVE)'));
      // `true` closes the file now; otherwise it stays open until the garbage collector has freed every statement.
      db.close(true);
    },
    writable: () => disk.writable(),
  };
}

async function* scanOf(table: () => DocumentTable, disk: Disk): AsyncGenerator<StoredDocument> {
  let after: string | null = null;
  do {
    const [documents, from] = [table(), after];
    const found: readonly StoredDocument[] = disk.read(() => documents.list(from, SCAN_DOCUMENTS));
    yield* found;
    after = found.length < SCAN_DOCUMENTS ? null : (found.at(-1)?.id ?? null);
  } while (after !== null);
}

/** Those that have a value. */
function valuesOf<Value>(
  names: readonly string[],
  valueOf: (name: string) => Value | null,
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>();
  for (const name of names) {
    const value = valueOf(name);
    if (value !== null) values.set(name, value);
  }
  return values;
}

function ensureCollection(db: Database, checkpoints: Checkpoints, collection: string, indexes: readonly Index[]) {
  return db.transaction(() => {
    createTable(db, collection);
    if (checkpoints.checkpoint(collection) === null) db.run(`DELETE FROM ${tableOf(collection)}`);
    for (const fields of indexes) db.run(indexOf(collection, fields));
  });
}
