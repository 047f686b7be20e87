import type { Database } from 'bun:sqlite';
import type { Index } from '../../eventsourcing/projection.ts';
import { listOf } from '../../ports/read-model-store.ts';
import { type KeyColumns, keyOf, type List, listTableOf, type SqlValue, sortKey, tableOf } from './read-model-query.ts';

/** See `listTableOf`. */
const LIST_TABLE = /^_(.+)\((\w+)\[\],(\w+)\)$/;

/** The lists that a collection has tables for. */
export function listsOf(db: Database, collection: string): readonly List[] {
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '_*'`)
    .all();
  return tables.flatMap(({ name }) => {
    const [, of, field = '', sort = ''] = LIST_TABLE.exec(name) ?? [];
    return of === collection ? [{ field, sort }] : [];
  });
}

/** Creates the tables of lists that are missing, with the entries of the documents that exist. */
export function createLists(db: Database, collection: string, indexes: readonly Index[], columns: KeyColumns): void {
  const existing = listsOf(db, collection);
  for (const list of indexes.map(listOf)) {
    if (list === null || existing.some(({ field, sort }) => field === list.field && sort === list.sort)) continue;
    const table = listTableOf(collection, list);
    // No declared type: SQLite converts no value.
    db.run(`CREATE TABLE ${table} (text TEXT NOT NULL, sort NOT NULL, document TEXT NOT NULL,
      PRIMARY KEY (text, sort, document)) WITHOUT ROWID`);
    const documents = tableOf(collection);
    db.run(`INSERT OR IGNORE INTO ${table} SELECT value, ${keyOf(list.sort, columns)}, ${documents}.id
      FROM ${documents}, json_each(doc, '$.${list.field}') WHERE doc IS NOT NULL`);
  }
}

export function dropLists(db: Database, collection: string): void {
  for (const list of listsOf(db, collection)) db.run(`DROP TABLE ${listTableOf(collection, list)}`);
}

/** Replaces a document's entries in the tables of its collection's lists. */
export function prepareLists(db: Database, collection: string) {
  const lists = listsOf(db, collection).map((list) => {
    const table = listTableOf(collection, list);
    return {
      list,
      insert: db.prepare<never, SqlValue[]>(`INSERT OR IGNORE INTO ${table} (text, sort, document) VALUES (?, ?, ?)`),
      remove: db.prepare<never, SqlValue[]>(`DELETE FROM ${table} WHERE text = ? AND sort = ? AND document = ?`),
    };
  });
  return {
    any: lists.length > 0,
    replace(id: string, before: object | null, after: object | null): void {
      for (const { list, insert, remove } of lists) {
        const [old, present] = [entriesOf(before, list), entriesOf(after, list)];
        const stay = old.sort === present.sort ? old.texts.intersection(present.texts) : new Set<string>();
        for (const text of old.texts) if (!stay.has(text)) remove.run(text, old.sort, id);
        for (const text of present.texts) if (!stay.has(text)) insert.run(text, present.sort, id);
      }
    },
  };
}

function entriesOf(doc: object | null, { field, sort }: List): { texts: ReadonlySet<string>; sort: SqlValue } {
  const fields = new Map<string, unknown>(Object.entries(doc ?? {}));
  const texts: unknown = fields.get(field);
  return {
    texts: new Set(Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : []),
    sort: sortKey(fields.get(sort)),
  };
}
