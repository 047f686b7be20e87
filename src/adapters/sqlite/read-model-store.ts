import type { Database } from 'bun:sqlite';
import { type Position, START } from '../../eventsourcing/message.ts';
import type { Index } from '../../eventsourcing/projection.ts';
import {
  type Applied,
  type DocumentWrite,
  listOf,
  lostCollection,
  type ReadModelStore,
  type StoredDocument,
} from '../../ports/read-model-store.ts';
import { type Disk, ignoringDiskFaults, openOnDisk } from './disk.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';
import { type Checkpoints, openCheckpoints } from './read-model-checkpoints.ts';
import {
  createTable,
  type DocumentTable,
  dropTable,
  keyColumnsOf,
  openTable,
  prepareDifferences,
} from './read-model-collection.ts';
import { indexOf, tableOf } from './read-model-query.ts';
import { openTruncation } from './read-model-truncation.ts';

/**
 * Documents that `scan` reads at a time. Between two reads it holds no snapshot, so that the log can be checkpointed.
 */
const SCAN_DOCUMENTS = 500;
/** Documents that are compared at a time. */
const COMPARED_DOCUMENTS = 2_000;

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Unlike the event store, this file needs no fsync per commit: its contents can be folded again. In WAL mode
 * `synchronous=NORMAL` keeps the file consistent; a power loss only returns it to an older commit, with documents,
 * checkpoints, pointers and drops together, so that folding continues from the checkpoint found there.
 */
const PRAGMAS = [
  `busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'journal_mode = WAL',
  'synchronous = NORMAL',
  // Bytes of a deleted document are overwritten, not only unlinked.
  'secure_delete = ON',
  'cache_size = -8192',
  'wal_autocheckpoint = 16000',
  'journal_size_limit = 67108864',
];

/** The port, and whether its disk accepts writes of this connection. */
export type EmbeddedReadModels = ReadModelStore & Pick<Disk, 'writable'>;

/**
 * The embedded read models: one SQLite file with a table per collection, documents as JSON text. Any number of
 * processes may have it open, and other tools may read it meanwhile. A writer waits up to 5 s for another writer, then
 * rejects. Calls on a collection that was never ensured, or was dropped, reject with "no such table". A commit that deletes
 * a document is soon followed by a truncation of the write-ahead log: then no byte of it is left in the files.
 *
 * @param path the database file, created if missing; `:memory:` for a database that ends with the store
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openReadModelStore(path: string): EmbeddedReadModels {
  return openOnDisk('read models', path, PRAGMAS, readModelsIn);
}

function readModelsIn(db: Database, disk: Disk): EmbeddedReadModels {
  const checkpoints = openCheckpoints(db);
  const schemaVersion = db.prepare<{ schema_version: number }, []>('PRAGMA schema_version');
  const tables = new Map<string, DocumentTable>();
  /** The version of the schema that `tables` belong to. */
  let openedAt = 0;
  const collectionNames = db.prepare<{ name: string }, []>(
    `SELECT name FROM sqlite_schema
     WHERE type = 'table' AND name GLOB '[a-z]*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
  );
  const truncation = openTruncation(db, disk, BUSY_TIMEOUT_MS);
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
    // Any process may have created a table again, with other columns.
    const version = disk.read(() => schemaVersion.get()?.schema_version ?? 0);
    if (version !== openedAt) tables.clear();
    openedAt = version;
    const table = tables.get(collection) ?? openTable(db, collection);
    tables.set(collection, table);
    return table;
  }

  return {
    positions: EMBEDDED_POSITIONS,
    async ensure(collection, indexes) {
      assertName(collection);
      const filled = disk.write(() => ensureCollection(db, checkpoints, collection, indexes).immediate());
      const columns = disk.read(() => keyColumnsOf(db, collection));
      const wanted = indexes.filter(isPlain).map((fields) => indexOf(collection, fields, columns));
      for (const index of filled ? wanted : []) {
        assertOpen();
        disk.write(() => db.run(index));
        await new Promise(setImmediate);
      }
    },
    async load(collection, ids) {
      const table = tableFor(collection);
      const found = disk.read(db.transaction(() => ids.flatMap((id) => table.get(id) ?? [])));
      return new Map(found.map((document) => [document.id, document]));
    },
    async commit(collection, writes, upTo, applied = {}) {
      const work = commitOf(db, checkpoints, tableFor(collection), { collection, writes, upTo, ...applied });
      const outcome = disk.write(() => work.immediate());
      if (writes.some(isDeletion)) truncation.request();
      return outcome;
    },
    async checkpoint(collection) {
      assertName(collection);
      return disk.read(() => checkpoints.checkpoint(collection));
    },
    async checkpoints(collections) {
      assertName(...collections);
      return disk.read(() => valuesOf(collections, (name) => checkpoints.checkpoint(name)));
    },
    async lastEvents(collections) {
      assertName(...collections);
      return disk.read(() => valuesOf(collections, (name) => checkpoints.lastEvent(name)));
    },
    async find(collection, query) {
      const table = tableFor(collection);
      return disk.read(db.transaction(() => table.find(query)));
    },
    scan: (collection) => scanOf(() => tableFor(collection), disk),
    differing: (left, right) => differingOf(() => prepareDifferences(db, left, right), assertOpen, disk),
    async collections() {
      assertOpen();
      return disk.read(() => collectionNames.all().map(({ name }) => name));
    },
    async drop(collection) {
      assertName(collection);
      tables.delete(collection);
      disk.write(() => dropCollection(db, checkpoints, collection).immediate());
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
      truncation.stop();
      // Copies what it can without waiting for readers; the last process that closes the file removes the log.
      ignoringDiskFaults(() => void db.run('PRAGMA wal_checkpoint(PASSIVE)'));
      // `true` closes the file now; otherwise it stays open until the garbage collector has freed every statement.
      db.close(true);
    },
    writable: () => disk.writable(),
  };
}

type Commit = Applied & {
  readonly collection: string;
  readonly writes: readonly DocumentWrite[];
  readonly upTo: Position;
};

function commitOf(db: Database, checkpoints: Checkpoints, table: DocumentTable, commit: Commit) {
  const { collection, writes, upTo, after = START, lastEvent = null } = commit;
  return db.transaction(() => {
    if ((checkpoints.checkpoint(collection) ?? START) < after) throw lostCollection(collection);
    const missed = writes.filter((write) => !table.write(write)).map(({ id }) => id);
    if (missed.length === 0) checkpoints.advance(collection, upTo, lastEvent);
    return { missed };
  });
}

/** Whether the write deletes a document that is stored, as far as the writer knows. */
function isDeletion({ doc, loaded }: DocumentWrite): boolean {
  return doc === null && loaded !== null;
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

async function* differingOf(
  prepare: () => ReturnType<typeof prepareDifferences>,
  assertOpen: () => void,
  disk: Disk,
): AsyncGenerator<string> {
  assertOpen();
  const differences = prepare();
  let after: string | null = null;
  do {
    assertOpen();
    const from: string | null = after;
    const found: ReturnType<typeof differences> = disk.read(() => differences(from, COMPARED_DOCUMENTS));
    yield* found.ids;
    after = found.last;
    await new Promise(setImmediate);
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

/**
 * A collection without a checkpoint gets its indexes once it is filled: each document of `bookings` would otherwise be
 * written to six of them, at random places.
 * @returns whether it has a checkpoint
 */
function ensureCollection(db: Database, checkpoints: Checkpoints, collection: string, indexes: readonly Index[]) {
  return db.transaction(() => {
    const filled = checkpoints.checkpoint(collection) !== null;
    if (!filled) dropTable(db, collection);
    createTable(db, collection, indexes);
    return filled;
  });
}

function dropCollection(db: Database, checkpoints: Checkpoints, collection: string) {
  return db.transaction(() => {
    dropTable(db, collection);
    checkpoints.forget(collection);
  });
}

function isPlain(index: Index): boolean {
  return listOf(index) === null;
}
