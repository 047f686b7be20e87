import type { Database, Statement } from 'bun:sqlite';
import { storedPosition } from '../../eventsourcing/message.ts';
import type { Index } from '../../eventsourcing/projection.ts';
import { type DocumentWrite, type Find, listOf, type Page, type StoredDocument } from '../../ports/read-model-store.ts';
import { EMBEDDED_POSITIONS } from './event-rows.ts';
import { createLists, dropLists, prepareLists } from './read-model-lists.ts';
import {
  columnOf,
  cursorOf,
  type FoundRow,
  KEY_PREFIX,
  type KeyColumns,
  type SqlValue,
  selectsOf,
  sortKey,
  tableOf,
} from './read-model-query.ts';

const { format } = EMBEDDED_POSITIONS;

export type DocumentTable = ReturnType<typeof openTable>;

type Row = { readonly id: string; readonly position: string; readonly doc: string | null };

/**
 * Creates the table, and those of its lists, if missing. Document rows are too large for WITHOUT ROWID. The sort keys of the indexed fields are columns
 * before the document: an index over them is created, and kept, without parsing documents. They have no declared type, so
 * that SQLite converts no value.
 */
export function createTable(db: Database, collection: string, indexes: readonly Index[]): void {
  const fields = indexes.filter((index) => listOf(index) === null).flat();
  const keys = [...new Set(fields)].map((field) => `, ${columnOf(field)} NOT NULL`);
  db.run(`CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (
    id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL${keys.join('')}, doc TEXT)`);
  createLists(db, collection, indexes, keyColumnsOf(db, collection));
}

/** Drops the table, and those of its lists, if there is one. */
export function dropTable(db: Database, collection: string): void {
  db.run(`DROP TABLE IF EXISTS ${tableOf(collection)}`);
  dropLists(db, collection);
}

/** The key columns of a table. One that an earlier release created has none; its indexes are over expressions. */
export function keyColumnsOf(db: Database, collection: string): KeyColumns {
  const columns = db.query<{ name: string }, []>(`PRAGMA table_info(${tableOf(collection)})`).all();
  return new Set(columns.flatMap(({ name }) => (name.startsWith(KEY_PREFIX) ? [name.slice(KEY_PREFIX.length)] : [])));
}

/**
 * The table of one collection, and every statement on its documents. All calls are synchronous. The statements stay valid
 * if its indexes change: SQLite prepares them again. They do not if it is created again with other columns.
 *
 * @throws SQLiteError if the table does not exist
 */
export function openTable(db: Database, collection: string) {
  const table = tableOf(collection);
  const columns = keyColumnsOf(db, collection);
  const fields = [...columns];
  const names = fields.map((field) => `, ${columnOf(field)}`).join('');
  const byId = db.prepare<Row, [string]>(`SELECT id, position, doc FROM ${table} WHERE id = ?`);
  const insert = db.prepare<never, (SqlValue | null)[]>(
    `INSERT INTO ${table} (doc, id, position${names}) VALUES (?, ?, ?${', ?'.repeat(fields.length)}) ON CONFLICT (id) DO NOTHING`,
  );
  const replace = db.prepare<never, (SqlValue | null)[]>(
    `UPDATE ${table} SET doc = ?, position = ?${fields.map((field) => `, ${columnOf(field)} = ?`).join('')}
     WHERE id = ? AND position = ?`,
  );
  const lists = prepareLists(db, collection);
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
      const at = format(position);
      const keys = fields.map((field) => sortKey((doc as Readonly<Record<string, unknown>> | null)?.[field]));
      const before = lists.any && loaded !== null ? (byId.get(id)?.doc ?? null) : null;
      const { changes } =
        loaded === null ? insert.run(text, id, at, ...keys) : replace.run(text, at, ...keys, id, format(loaded));
      if (lists.any && changes === 1) lists.replace(id, before === null ? null : parsed(before), doc);
      return changes === 1;
    },
    find(query: Find): Page {
      // One row beyond the page shows whether another page follows.
      const rows: FoundRow[] = [];
      for (const { sql, bindings } of selectsOf(collection, query, columns)) {
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

/**
 * The ids that differ after an id, or from the first on, up to `limit` documents of either table further. `last` is where to
 * go on. Both parts look up the other table by id.
 */
export function prepareDifferences(db: Database, left: string, right: string) {
  const [first, later] = [prepareSlice(db, left, right, '>='), prepareSlice(db, left, right, '>')];
  return (after: string | null, limit: number) => (after === null ? first('', limit) : later(after, limit));
}

function prepareSlice(db: Database, left: string, right: string, after: '>' | '>=') {
  const [ours, theirs] = [tableOf(left), tableOf(right)];
  const slice = (table: string): string =>
    `(SELECT id, position, doc FROM ${table} WHERE id ${after} $after ORDER BY id LIMIT $limit)`;
  const end = db.prepare<{ last: string | null; count: number }, [Slice]>(
    `SELECT min(last) AS last, max(count) AS count FROM (
       SELECT max(id) AS last, count(*) AS count FROM ${slice(ours)}
       UNION ALL SELECT max(id), count(*) FROM ${slice(theirs)}) WHERE count = $limit`,
  );
  const ids = db.prepare<{ id: string }, [Slice & { readonly $last: string | null }]>(
    `SELECT a.id FROM ${slice(ours)} a LEFT JOIN ${theirs} b ON b.id = a.id
       WHERE ($last IS NULL OR a.id <= $last) AND (b.id IS NULL OR a.position <> b.position OR a.doc IS NOT b.doc)
     UNION ALL SELECT b.id FROM ${slice(theirs)} b LEFT JOIN ${ours} a ON a.id = b.id
       WHERE ($last IS NULL OR b.id <= $last) AND a.id IS NULL
     ORDER BY 1`,
  );
  return ($after: string, $limit: number): { readonly ids: readonly string[]; readonly last: string | null } => {
    const slices = { $after, $limit };
    // Null if both slices reach the end of their table.
    const last = end.get(slices)?.last ?? null;
    return { ids: ids.all({ ...slices, $last: last }).map(({ id }) => id), last };
  };
}

type Slice = { readonly $after: string; readonly $limit: number };

function documentOf({ id, position, doc }: Row): StoredDocument {
  return { id, doc: doc === null ? null : parsed(doc), position: storedPosition(position, EMBEDDED_POSITIONS) };
}

/** Parser: `write` serialized an object. */
function parsed(doc: string): object {
  return JSON.parse(doc) as object;
}
