import { Database } from 'bun:sqlite';
import type { ReadModelStore, StoredDocument } from '../../ports/read-model-store.ts';
import { createTable, type DocumentTable, openTable } from './read-model-collection.ts';
import { openMarks } from './read-model-marks.ts';
import { indexOf, tableOf } from './read-model-query.ts';

/** Documents that `scan` reads at a time. Between two reads it holds no snapshot, so that the log can be checkpointed. */
const SCAN_DOCUMENTS = 500;

/**
 * The embedded read models: one SQLite file, a table per collection with its documents as JSON text. Any number of
 * processes may have it open, and other tools may read it while they write. A writer waits up to 5 s for another one,
 * then rejects. Calls on a collection that was never ensured, or was dropped, reject: "no such table".
 *
 * @param path the database file, created where missing; `:memory:` for one that ends with the store
 */
export function openReadModelStore(path: string): ReadModelStore {
  const db = new Database(path, { create: true, strict: true });
  tune(db);
  const marks = openMarks(db);
  const tables = new Map<string, DocumentTable>();
  const collectionNames = db.prepare<{ name: string }, []>(
    `SELECT name FROM sqlite_schema
     WHERE type = 'table' AND name GLOB '[a-z]*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
  );
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the read model store is closed');
  }

  function assertName(name: string): void {
    assertOpen();
    tableOf(name);
  }

  function tableFor(collection: string): DocumentTable {
    assertOpen();
    const table = tables.get(collection) ?? openTable(db, collection);
    tables.set(collection, table);
    return table;
  }

  return {
    async ensure(collection, indexes) {
      assertName(collection);
      db.transaction(() => {
        createTable(db, collection);
        for (const fields of indexes) db.run(indexOf(collection, fields));
      }).immediate();
    },
    async load(collection, ids) {
      const table = tableFor(collection);
      const loaded = new Map<string, StoredDocument>();
      db.transaction(() => {
        for (const id of ids) {
          const document = table.get(id);
          if (document !== null) loaded.set(id, document);
        }
      })();
      return loaded;
    },
    async commit(collection, writes, upTo) {
      const table = tableFor(collection);
      const work = db.transaction(() => {
        const missed = writes.filter((write) => !table.write(write)).map(({ id }) => id);
        if (missed.length === 0) marks.advance(collection, upTo);
        return { missed };
      });
      return work.immediate();
    },
    async checkpoint(collection) {
      assertName(collection);
      return marks.checkpoint(collection);
    },
    async find(collection, query) {
      const table = tableFor(collection);
      return db.transaction(() => table.find(query))();
    },
    async *scan(collection) {
      let after: string | null = null;
      do {
        const documents = tableFor(collection).list(after, SCAN_DOCUMENTS);
        yield* documents;
        after = documents.length < SCAN_DOCUMENTS ? null : (documents.at(-1)?.id ?? null);
      } while (after !== null);
    },
    async collections() {
      assertOpen();
      return collectionNames.all().map(({ name }) => name);
    },
    async drop(collection) {
      assertName(collection);
      tables.delete(collection);
      db.transaction(() => {
        db.run(`DROP TABLE IF EXISTS ${tableOf(collection)}`);
        marks.forget(collection);
      }).immediate();
    },
    async pointer(name) {
      assertName(name);
      return marks.pointer(name);
    },
    async movePointer(name, from, to) {
      assertName(name);
      return marks.movePointer(name, from, to);
    },
    async close() {
      if (!open) return;
      open = false;
      // As much as can be without waiting for readers; the last to close the file leaves no log behind anyway.
      db.run('PRAGMA wal_checkpoint(PASSIVE)');
      // With `true` the file is closed now; without, not before the garbage collector has found every statement.
      db.close(true);
    },
  };
}

/**
 * Unlike the event store's, this file needs no fsync per commit: whatever is in it can be folded again. In WAL mode
 * `synchronous=NORMAL` keeps the file consistent through a power loss, which merely takes it back to an older commit:
 * documents, checkpoints, pointers and drops together, so that folding goes on from the checkpoint found there.
 */
function tune(db: Database): void {
  for (const pragma of [
    'busy_timeout = 5000',
    'journal_mode = WAL',
    'synchronous = NORMAL',
    'cache_size = -65536',
    'wal_autocheckpoint = 16000',
    'journal_size_limit = 67108864',
  ]) {
    db.run(`PRAGMA ${pragma}`);
  }
}
