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

/** @throws RangeError if the port does not allow the name */
export function tableOf(collection: string): string {
  assertName(collection);
  return `"${collection}"`;
}

/**
 * The statement that creates an index if missing. Its name contains the fields, `bookings.v1.b1(keyId,createdAt)`, and
 * so cannot be a collection's name. The id comes last, because it breaks ties.
 *
 * @throws RangeError if the port does not allow a field name
 */
export function indexOf(collection: string, fields: Index): string {
  if (fields.length === 0) throw new RangeError(`an index of ${collection} has no fields`);
  const keys = fields.map(keyOf);
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
export function selectsOf(collection: string, query: Find): readonly Select[] {
  assertFind(query);
  const { where = {}, range, sort, after } = query;
  const key = sort === undefined ? 'NULL' : keyOf(sort.field);
  const wanted = [
    ...Object.entries(where).map(([field, value]) => equality(field, value)),
    ...within(range, after === undefined ? undefined : sort),
  ];
  return partsOf(sort, after).map((part) => {
    const conditions = [...wanted, ...part.conditions];
    const clauses = ['doc IS NOT NULL', ...conditions.map(({ sql }) => sql)].join(' AND ');
    return {
      sql: `SELECT id, doc, ${key} AS key FROM ${tableOf(collection)} WHERE ${clauses} ORDER BY ${part.order} LIMIT ?`,
      bindings: conditions.flatMap(({ bindings }) => bindings),
    };
  });
}

/** The cursor after a row. */
export function cursorOf({ id, key }: FoundRow): Cursor {
  if (key instanceof Uint8Array) return { value: key[0] === 1, id };
  return { value: key === Number.NEGATIVE_INFINITY ? null : key, id };
}

/** The sort key of a field. The planner finds an index only by exactly this expression. */
function keyOf(field: string): string {
  assertField(field);
  return keyFrom(`json_type(doc, '$.${field}')`, `json_extract(doc, '$.${field}')`);
}

/** JSON numbers are doubles here. SQLite would keep an integer beyond 2^53 exactly, unlike the bound value. */
function keyFrom(type: string, value: string): string {
  return `CASE ${type} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'integer' THEN CAST(${value} AS REAL)
    ELSE ifnull(${value}, ${NOTHING}) END`;
}

function bound(value: Scalar): SqlValue {
  if (value === null) return Number.NEGATIVE_INFINITY;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return value;
}

function equality(field: string, value: Scalar | readonly Scalar[]): Condition {
  if (value === null || typeof value !== 'object') return { sql: `${keyOf(field)} = ?`, bindings: [bound(value)] };
  // One JSON text, so that lists of any length use the same statement.
  const keys = `SELECT ${keyFrom('type', 'value')} FROM json_each(?)`;
  return { sql: `${keyOf(field)} IN (${keys})`, bindings: [JSON.stringify(value)] };
}

/**
 * Keys of one type within a range. A `+` hides from the planner the end at which a sorted read without a cursor would
 * start; otherwise it could start there instead of at the cursor. `likely` marks ranges as wide: for a narrow range the
 * planner would check an equality document by document, although an index covers it.
 */
function within(range: Find['range'], sortFromStart: Find['sort']): Condition[] {
  if (range === undefined) return [];
  const { field, from, to } = range;
  const key = keyOf(field);
  if (from === undefined && to === undefined) return [];
  const numeric = typeof (from ?? to) === 'number';
  const near = sortFromStart?.field === field ? sortFromStart.direction : null;
  const lower = near === 'asc' ? `+(${key})` : key;
  const upper = near === 'desc' ? `+(${key})` : key;
  return [
    from === undefined
      ? { sql: `likely(${lower} ${numeric ? `> ${NOTHING}` : ">= ''"})`, bindings: [] }
      : { sql: `likely(${lower} >= ?)`, bindings: [bound(from)] },
    to === undefined
      ? { sql: `likely(${upper} < ${numeric ? "''" : "x''"})`, bindings: [] }
      : { sql: `likely(${upper} < ?)`, bindings: [bound(to)] },
  ];
}

/** A part of a page, in the order of the page. */
type Part = { readonly conditions: readonly Condition[]; readonly order: string };

function partsOf(sort: Find['sort'], after: Find['after']): readonly Part[] {
  const [direction, beyond] = sort?.direction === 'desc' ? ['DESC', '<'] : ['ASC', '>'];
  const byId = `id ${direction}`;
  const laterIds: readonly Condition[] = after === undefined ? [] : [{ sql: `id ${beyond} ?`, bindings: [after.id] }];
  if (sort === undefined) return [{ conditions: laterIds, order: byId }];
  const key = keyOf(sort.field);
  const byKey = `${key} ${direction}, ${byId}`;
  if (after === undefined) return [{ conditions: [], order: byKey }];
  const value = bound(after.value);
  return [
    { conditions: [{ sql: `${key} = ?`, bindings: [value] }, ...laterIds], order: byId },
    { conditions: [{ sql: `${key} ${beyond} ?`, bindings: [value] }], order: byKey },
  ];
}
