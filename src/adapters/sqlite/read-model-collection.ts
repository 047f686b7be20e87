import type { Database, Statement } from 'bun:sqlite';
import type { Position } from '../../eventsourcing/message.ts';
import type { DocumentWrite, Find, Page, StoredDocument } from '../../ports/read-model-store.ts';
import { type Binding, cursorOf, type FoundRow, selectsOf, tableOf } from './read-model-query.ts';

/** The table of one collection, and every statement on its documents. All calls are synchronous. */
export type DocumentTable = {
  /** Null where there is no document, not even a tombstone. */
  get(id: string): StoredDocument | null;
  /** False where the position that was loaded no longer stands. */
  write(write: DocumentWrite): boolean;
  find(query: Find): Page;
  /** The next documents in id order, tombstones included: from the first on, or after an id. */
  list(after: string | null, limit: number): readonly StoredDocument[];
};

type Row = { readonly id: string; readonly position: Position; readonly doc: string | null };

/** Creates the table where missing. The rows of documents are too large for one WITHOUT ROWID. */
export function createTable(db: Database, collection: string): void {
  db.run(`CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (
    id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, doc TEXT)`);
}

/**
 * Prepares the statements on a collection. They outlive a change of its indexes, and even its being dropped and made
 * anew by another process: SQLite prepares them again.
 *
 * @throws SQLiteError where there is no such table
 */
export function openTable(db: Database, collection: string): DocumentTable {
  const table = tableOf(collection);
  const byId = db.prepare<Row, [string]>(`SELECT id, position, doc FROM ${table} WHERE id = ?`);
  const insert = db.prepare<never, [string, string, string | null]>(
    `INSERT INTO ${table} (id, position, doc) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  );
  const replace = db.prepare<never, [string, string | null, string, string]>(
    `UPDATE ${table} SET position = ?, doc = ? WHERE id = ? AND position = ?`,
  );
  const firstRows = db.prepare<Row, [number]>(`SELECT id, position, doc FROM ${table} ORDER BY id LIMIT ?`);
  const laterRows = db.prepare<Row, [string, number]>(
    `SELECT id, position, doc FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`,
  );
  /** By their text. Values are bound, so there are as many as the service has kinds of question. */
  const finds = new Map<string, Statement<FoundRow, Binding[]>>();

  function prepared(sql: string): Statement<FoundRow, Binding[]> {
    const statement = finds.get(sql) ?? db.prepare<FoundRow, Binding[]>(sql);
    finds.set(sql, statement);
    return statement;
  }

  return {
    get(id) {
      const row = byId.get(id);
      return row === null ? null : documentOf(row);
    },
    write({ id, position, doc, loaded }) {
      const text = doc === null ? null : JSON.stringify(doc);
      const { changes } = loaded === null ? insert.run(id, position, text) : replace.run(position, text, id, loaded);
      return changes === 1;
    },
    find(query) {
      // One row more than the page tells whether another page follows.
      const rows: FoundRow[] = [];
      for (const { sql, bindings } of selectsOf(collection, query)) {
        rows.push(...prepared(sql).all(...bindings, query.limit + 1 - rows.length));
      }
      const shown = rows.slice(0, query.limit);
      const last = rows.length > query.limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(({ id, doc }) => ({ id, doc: parsed(doc) })),
        next: last === undefined ? null : cursorOf(last),
      };
    },
    list(after, limit) {
      const rows = after === null ? firstRows.all(limit) : laterRows.all(after, limit);
      return rows.map(documentOf);
    },
  };
}

function documentOf({ id, position, doc }: Row): StoredDocument {
  return { id, doc: doc === null ? null : parsed(doc), position };
}

/** The parser of this boundary: a row holds the text that `write` made of an object. */
function parsed(doc: string): object {
  return JSON.parse(doc) as object;
}
