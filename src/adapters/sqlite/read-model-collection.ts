import type { Database, Statement } from 'bun:sqlite';
import { storedPosition } from '../../eventsourcing/message.ts';
import type { DocumentWrite, Find, Page, StoredDocument } from '../../ports/read-model-store.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';
import { cursorOf, type FoundRow, type SqlValue, selectsOf, tableOf } from './read-model-query.ts';

const { format } = EMBEDDED_POSITIONS;

export type DocumentTable = ReturnType<typeof openTable>;

type Row = { readonly id: string; readonly position: string; readonly doc: string | null };

/** Creates the table if missing. Document rows are too large for WITHOUT ROWID. */
export function createTable(db: Database, collection: string): void {
  db.run(`CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (
    id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, doc TEXT)`);
}

/**
 * The table of one collection, and every statement on its documents. All calls are synchronous. The statements stay valid
 * if its indexes change, or if another process drops and recreates it: SQLite prepares them again.
 *
 * @throws SQLiteError if the table does not exist
 */
export function openTable(db: Database, collection: string) {
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
  /** By text. Values are bound, so the number of statements is the number of query shapes. */
  const finds = new Map<string, Statement<FoundRow, SqlValue[]>>();

  function prepared(sql: string): Statement<FoundRow, SqlValue[]> {
    const statement = finds.get(sql) ?? db.prepare<FoundRow, SqlValue[]>(sql);
    finds.set(sql, statement);
    return statement;
  }

  return {
    /** Null if there is neither a document nor a tombstone. */
    get(id: string): StoredDocument | null {
      const row = byId.get(id);
      return row === null ? null : documentOf(row);
    },
    /** Returns false if the stored position differs from the loaded one. */
    write({ id, position, doc, loaded }: DocumentWrite): boolean {
      const text = doc === null ? null : JSON.stringify(doc);
      const [at, before] = [format(position), loaded === null ? null : format(loaded)];
      const { changes } = before === null ? insert.run(id, at, text) : replace.run(at, text, id, before);
      return changes === 1;
    },
    find(query: Find): Page {
      // One row beyond the page shows whether another page follows.
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
    /** The next documents in id order, including tombstones, after an id or from the first on. */
    list(after: string | null, limit: number): readonly StoredDocument[] {
      const rows = after === null ? firstRows.all(limit) : laterRows.all(after, limit);
      return rows.map(documentOf);
    },
  };
}

function documentOf({ id, position, doc }: Row): StoredDocument {
  return { id, doc: doc === null ? null : parsed(doc), position: storedPosition(position, EMBEDDED_POSITIONS) };
}

/** Parser: `write` serialized an object. */
function parsed(doc: string): object {
  return JSON.parse(doc) as object;
}
