import type { Index } from '../../eventsourcing/projection.ts';
import {
  assertField,
  assertFind,
  assertName,
  type Cursor,
  type Find,
  type Scalar,
} from '../../ports/read-model-store.ts';

/**
 * SQLite orders numbers before text before blobs. Null and missing fields become minus infinity, booleans become blobs;
 * so sort keys have one total order, MongoDB's: nothing, numbers, strings (by code point), booleans; and `true` is not
 * 1. No key is NULL, so that every comparison below is a plain one.
 */
const NOTHING = '-9e999';
const FALSE = new Uint8Array([0]);
const TRUE = new Uint8Array([1]);

/** A value for a `?`. */
export type SqlValue = string | number | Uint8Array;

type Select = { readonly sql: string; readonly bindings: readonly SqlValue[] };

/** `key` is the sort key; NULL if the query has no sort. */
export type FoundRow = { readonly id: string; readonly doc: string; readonly key: SqlValue | null };

type Condition = Select;

/** The fields whose sort keys a table has as columns. Keys of other fields are computed from the documents. */
export type KeyColumns = ReadonlySet<string>;

/** @throws RangeError if the port does not allow the name */
export function tableOf(collection: string): string {
  assertName(collection);
  return `"${collection}"`;
}

/** Before a field's name, in the name of its key column: no field has a column named `id`, `position` or `doc`. */
export const KEY_PREFIX = 'key_';

/** @throws RangeError if the port does not allow the field name */
export function columnOf(field: string): string {
  assertField(field);
  return `${KEY_PREFIX}${field}`;
}

/** A list of texts of a collection's documents, and the field by which documents with one of them are sorted. */
export type List = { readonly field: string; readonly sort: string };

/**
 * The table of a list: an entry for each text of each document, in the order in which a query reads them. SQLite has no
 * index over the elements of a JSON array. No collection's name begins with `_`.
 *
 * @throws RangeError if the port does not allow a name
 */
export function listTableOf(collection: string, { field, sort }: List): string {
  assertName(collection);
  assertField(field);
  assertField(sort);
  return `"_${collection}(${field}[],${sort})"`;
}

/** The sort key of a field's value, as the expression of `keyFrom`. */
export function sortKey(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return typeof value === 'string' || typeof value === 'number' ? value : Number.NEGATIVE_INFINITY;
}

/**
 * The statement that creates an index if missing. Its name contains the fields, `bookings.v1.b1(keyId,createdAt)`, and
 * so cannot be a collection's name. The id comes last, because it breaks ties.
 *
 * @throws RangeError if the port does not allow a field name
 */
export function indexOf(collection: string, fields: Index, columns: KeyColumns): string {
  if (fields.length === 0) throw new RangeError(`an index of ${collection} has no fields`);
  const keys = fields.map((field) => keyOf(field, columns));
  return `CREATE INDEX IF NOT EXISTS "${collection}(${fields.join(',')})" ON ${tableOf(collection)} (${keys.join(', ')}, id)
    WHERE doc IS NOT NULL`;
}

/**
 * The selects of a query, run in order until the page is full; each takes its LIMIT as a last binding. A page after a
 * cursor needs two: rows with the cursor's value, then rows beyond it. A single select would start at the first row
 * with that value again, and page through such rows in quadratic time.
 *
 * @throws RangeError if a limit, name or number is out of bounds
 */
export function selectsOf(collection: string, query: Find, columns: KeyColumns): readonly Select[] {
  assertFind(query);
  const { holds, range, sort, after } = query;
  if (holds !== undefined && sort !== undefined) return selectsOfList(collection, { ...query, holds, sort });
  const key = sort === undefined ? 'NULL' : keyOf(sort.field, columns);
  const ranges = within(range, after === undefined ? undefined : sort, columns);
  const branches = branchesOf(query, columns);
  return partsOf(sort, after, columns).map((part) => {
    const selects = branches.map((equalities) => {
      const conditions = [...equalities, ...ranges, ...part.conditions];
      const clauses = ['doc IS NOT NULL', ...conditions.map(({ sql }) => sql)].join(' AND ');
      const sql = `SELECT id, doc, ${key} AS key FROM ${tableOf(collection)} WHERE ${clauses}`;
      return { sql, bindings: conditions.flatMap(({ bindings }) => bindings) };
    });
    // A union is sorted by its columns, a single select by the expression of an index.
    const order = selects.length > 1 ? part.unionOrder : part.order;
    return {
      sql: `${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT ?`,
      bindings: selects.flatMap(({ bindings }) => bindings),
    };
  });
}

/** The table of a list has the sort keys and ids of the documents in the order of the page. */
function selectsOfList(
  collection: string,
  { holds, sort, after }: Find & Required<Pick<Find, 'holds' | 'sort'>>,
): readonly Select[] {
  const list = listTableOf(collection, { field: holds.field, sort: sort.field });
  return partsOfKey(sort, after, { key: 'sort', id: 'document' }).map(({ conditions, order }) => {
    const all = [{ sql: 'text = ?', bindings: [holds.text] }, ...conditions];
    return {
      sql: `SELECT id, doc, sort AS key FROM ${list} CROSS JOIN ${tableOf(collection)} ON id = document
        WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY ${order} LIMIT ?`,
      bindings: all.flatMap(({ bindings }) => bindings),
    };
  });
}

/**
 * The equalities of each select: one select for each value of the merged field. SQLite merges them in order, each from its
 * own place in an index; it would read all rows of an `IN` before it returns the first. The number of selects is a power of
 * two, so that few statements are prepared. Those without a value end at once by their first condition.
 */
function branchesOf({ where = {}, merge, sort }: Find, columns: KeyColumns): readonly (readonly Condition[])[] {
  const all = Object.entries(where);
  const merged = merge === undefined || sort === undefined ? undefined : where[merge];
  const values = [...new Set([merged ?? []].flat())];
  if (merge === undefined || values.length === 0) return [all.map(([field, value]) => equality(field, value, columns))];
  const others = all.filter(([field]) => field !== merge).map(([field, value]) => equality(field, value, columns));
  return Array.from({ length: 2 ** Math.ceil(Math.log2(values.length)) }, (_, place) => [
    { sql: `? AND ${keyOf(merge, columns)} = ?`, bindings: [Number(place < values.length), sortKey(values[place])] },
    ...others,
  ]);
}

/** The cursor after a row. */
export function cursorOf({ id, key }: FoundRow): Cursor {
  if (key instanceof Uint8Array) return { value: key[0] === 1, id };
  return { value: key === Number.NEGATIVE_INFINITY ? null : key, id };
}

/** The sort key of a field. The planner finds an index only by exactly this expression. */
export function keyOf(field: string, columns: KeyColumns): string {
  const column = columnOf(field);
  if (columns.has(field)) return column;
  return keyFrom(`json_type(doc, '$.${field}')`, `json_extract(doc, '$.${field}')`);
}

/** JSON numbers are doubles here. SQLite would keep an integer beyond 2^53 exactly, unlike the bound value. */
function keyFrom(type: string, value: string): string {
  return `CASE ${type} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'integer' THEN CAST(${value} AS REAL)
    ELSE ifnull(${value}, ${NOTHING}) END`;
}

function equality(field: string, value: Scalar | readonly Scalar[], columns: KeyColumns): Condition {
  const key = keyOf(field, columns);
  if (value === null || typeof value !== 'object') return { sql: `${key} = ?`, bindings: [sortKey(value)] };
  // One JSON text, so that lists of any length use the same statement.
  const keys = `SELECT ${keyFrom('type', 'value')} FROM json_each(?)`;
  return { sql: `${key} IN (${keys})`, bindings: [JSON.stringify(value)] };
}

/**
 * Keys of one type within a range. A `+` hides from the planner the end at which a sorted read without a cursor would
 * start; otherwise it could start there instead of at the cursor. `likely` marks ranges as wide: for a narrow range the
 * planner would check an equality document by document, although an index covers it.
 */
function within(range: Find['range'], sortFromStart: Find['sort'], columns: KeyColumns): Condition[] {
  if (range === undefined) return [];
  const { field, from, to } = range;
  const key = keyOf(field, columns);
  if (from === undefined && to === undefined) return [];
  const numeric = typeof (from ?? to) === 'number';
  const near = sortFromStart?.field === field ? sortFromStart.direction : null;
  const lower = near === 'asc' ? `+(${key})` : key;
  const upper = near === 'desc' ? `+(${key})` : key;
  return [
    from === undefined
      ? { sql: `likely(${lower} ${numeric ? `> ${NOTHING}` : ">= ''"})`, bindings: [] }
      : { sql: `likely(${lower} >= ?)`, bindings: [sortKey(from)] },
    to === undefined
      ? { sql: `likely(${upper} < ${numeric ? "''" : "x''"})`, bindings: [] }
      : { sql: `likely(${upper} < ?)`, bindings: [sortKey(to)] },
  ];
}

/** A part of a page, in the order of the page. */
type Part = { readonly conditions: readonly Condition[]; readonly order: string; readonly unionOrder: string };

function partsOf(sort: Find['sort'], after: Find['after'], columns: KeyColumns): readonly Part[] {
  if (sort !== undefined) return partsOfKey(sort, after, { key: keyOf(sort.field, columns), id: 'id' });
  const conditions = after === undefined ? [] : [{ sql: 'id > ?', bindings: [after.id] }];
  return [{ conditions, order: 'id ASC', unionOrder: 'id ASC' }];
}

function partsOfKey(
  sort: NonNullable<Find['sort']>,
  after: Find['after'],
  { key, id }: { readonly key: string; readonly id: string },
): readonly Part[] {
  const [direction, beyond] = sort.direction === 'desc' ? ['DESC', '<'] : ['ASC', '>'];
  const byId = `${id} ${direction}`;
  const orders = { order: `${key} ${direction}, ${byId}`, unionOrder: `key ${direction}, ${byId}` };
  if (after === undefined) return [{ conditions: [], ...orders }];
  const value = sortKey(after.value);
  const ties = [
    { sql: `${key} = ?`, bindings: [value] },
    { sql: `${id} ${beyond} ?`, bindings: [after.id] },
  ];
  return [
    { conditions: ties, order: byId, unionOrder: byId },
    { conditions: [{ sql: `${key} ${beyond} ?`, bindings: [value] }], ...orders },
  ];
}
