import type { Position, PositionForm } from '../eventsourcing/message.ts';
import type { Index } from '../eventsourcing/projection.ts';
import type { EventPlace } from './event-store.ts';

/** A stored answer. A deleted one stays as a tombstone (`doc: null`) with its position, so that no older event revives it. */
export type StoredDocument = {
  readonly id: string;
  readonly doc: object | null;
  /** The last event applied to it. */
  readonly position: Position;
};

export type DocumentWrite = StoredDocument & {
  /** The position at loading, null if there was no document: the write happens only if it is unchanged. */
  readonly loaded: Position | null;
};

export type Scalar = string | number | boolean | null;

export type Find = {
  /**
   * Top-level fields that must equal a value, or one of several. A missing field equals null. Types are compared too:
   * neither `true` nor '1' equals 1.
   */
  readonly where?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /**
   * The field is a list of texts, and one of them is `text`. Only with a `sort`, and without the other conditions and
   * `merge`; one of the collection's indexes is `['field[]', sort field]`.
   */
  readonly holds?: { readonly field: string; readonly text: string };
  /**
   * Half-open range of one field: `from` is in it, `to` is not. Both have one type, and only values of that type are in the
   * range. Without both there is no condition.
   */
  readonly range?: { readonly field: string; readonly from?: string | number; readonly to?: string | number };
  /**
   * Ascending: null and missing, then numbers, then strings, then false, then true. Strings, ids too, are
   * ordered by code point, as their UTF-8 bytes are, and not as JavaScript's `<` does. Ties are broken by document id in the
   * same direction. Default: by id, ascending.
   */
  readonly sort?: { readonly field: string; readonly direction: 'asc' | 'desc' };
  /**
   * A field of `where` with at most MAX_MERGED values that comes before the sort field in an index: the documents of each
   * value are read in the order of the sort, and merged. Changes no result; without it an engine may read all documents of all
   * values before it returns the first.
   */
  readonly merge?: string;
  /** 1 to MAX_PAGE. */
  readonly limit: number;
  /** `next` of an earlier page of the same query. */
  readonly after?: Cursor;
};

/** Maximum number of documents in a page. */
export const MAX_PAGE = 1_000;

/** Maximum number of values of `Find.merge`. MongoDB merges up to 200 scans of an index. */
export const MAX_MERGED = 32;

/** The sort value (null without a sort) and id of the last document of a page. Plain JSON. */
export type Cursor = { readonly value: Scalar; readonly id: string };

export type Page = {
  readonly items: readonly { readonly id: string; readonly doc: object }[];
  readonly next: Cursor | null;
};

/** What a commit rests on. */
export type Applied = {
  /** The documents were folded from a collection with everything up to here. Default: the start of the log. */
  readonly after?: Position;
  /** The last applied event; null if none was applied since the last commit. */
  readonly lastEvent?: EventPlace | null;
};

/**
 * Documents in named collections. There is no transaction over several documents: each is written under its own position
 * guard, and the checkpoint after all of them.
 *
 * Documents are plain JSON of at most 16 MiB (MongoDB's limit); their strings are well-formed Unicode without U+0000. An
 * engine may reject a larger document with a RangeError, before it writes anything of the commit. A field that queries find
 * or sort by holds a string, a finite number, a boolean, null or nothing; for arrays and objects the result is undefined,
 * except for a list of `Find.holds`, which has strings only.
 * Names of collections and pointers match `^[a-z][a-z0-9_.-]*$`, names of such fields `^[A-Za-z_][A-Za-z0-9_]*$`. A name,
 * limit, range or number out of bounds rejects with a RangeError; after `close` every call rejects. Call `ensure` before
 * `load`, `commit`, `find` and `scan` of a collection: without it engines differ.
 */
export interface ReadModelStore {
  /** The form in which positions are stored: that of the event store whose log is folded. */
  readonly positions: PositionForm;
  /**
   * Creates the collection and its indexes if missing. Idempotent. Empties a collection
   * without a checkpoint first: the position up to which its documents were folded is unknown. As long as it has none, an
   * engine may leave out the indexes, because filling a collection without them is faster: call it again once it is filled.
   */
  ensure(collection: string, indexes: readonly Index[]): Promise<void>;
  load(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>>;
  /**
   * Writes each document whose position is still `loaded`, then advances the checkpoint to `upTo` (never back) and stores
   * the last event. Returns the ids that another writer has changed; if there are any, the checkpoint stays.
   * @throws Error if the checkpoint is before `after`: the collection was lost or dropped, and is to be folded from its
   * checkpoint again
   */
  commit(
    collection: string,
    writes: readonly DocumentWrite[],
    upTo: Position,
    applied?: Applied,
  ): Promise<{ readonly missed: readonly string[] }>;
  checkpoint(collection: string): Promise<Position | null>;
  /** The checkpoints of several collections, with one read. A collection without one is missing. */
  checkpoints(collections: readonly string[]): Promise<ReadonlyMap<string, Position>>;
  /** The last event applied to each of several collections, with one read. One whose last event is unknown is missing. */
  lastEvents(collections: readonly string[]): Promise<ReadonlyMap<string, EventPlace>>;
  find(collection: string, query: Find): Promise<Page>;
  /**
   * Every document of a collection, tombstones included, ordered by id (code points). Not a snapshot: a document written
   * during the scan is yielded as before or as after the write.
   */
  scan(collection: string): AsyncIterable<StoredDocument>;
  /**
   * The ids of documents and tombstones that differ between two collections, in position or content, or that only one has;
   * ordered by id. Not a snapshot, as `scan`.
   */
  differing(left: string, right: string): AsyncIterable<string>;
  /** Names, sorted. */
  collections(): Promise<readonly string[]>;
  /** Drops a collection and its checkpoint. Does nothing if there is none. */
  drop(collection: string): Promise<void>;
  pointer(name: string): Promise<string | null>;
  /** Several pointers, with one read. One that was never set is missing. */
  pointers(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Compare-and-set of a pointer: false if it no longer holds `from`. */
  movePointer(name: string, from: string | null, to: string): Promise<boolean>;
  close(): Promise<void>;
}

/** See `ReadModelStore.commit`. */
export function lostCollection(collection: string): Error {
  return new Error(`${collection} has lost documents since they were folded; it is filled again from its checkpoint`);
}

const COLLECTION_NAME = /^[a-z][a-z0-9_.-]*$/;
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether the port allows the name of a collection or pointer. */
export function isName(name: string): boolean {
  return COLLECTION_NAME.test(name);
}

/** @throws RangeError if the port does not allow the name of a collection or pointer */
export function assertName(name: string): void {
  if (!isName(name))
    throw new RangeError(`${JSON.stringify(name)} is no name: it must match ${COLLECTION_NAME.source}`);
}

/** @throws RangeError if the port does not allow the name of a field that queries find or sort by */
export function assertField(field: string): void {
  if (!FIELD_NAME.test(field))
    throw new RangeError(`${JSON.stringify(field)} is no field name: it must match ${FIELD_NAME.source}`);
}

/** The list and the sort field of an index of a list; null for another index. */
export function listOf(index: Index): { readonly field: string; readonly sort: string } | null {
  const [first = '', sort, ...more] = index;
  if (!first.endsWith('[]')) return null;
  if (sort === undefined || more.length > 0)
    throw new RangeError(`an index of the list ${first} has one more field, not ${index.length - 1}`);
  return { field: first.slice(0, -'[]'.length), sort };
}

/** @throws RangeError if the limit, the range, the number of merged values or a number of the query is out of bounds */
export function assertFind(query: Find): void {
  assertHolds(query);
  const { where = {}, range, merge, limit, after } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new RangeError(`a page holds 1 to ${MAX_PAGE} documents, not ${limit}`);
  const merged = merge === undefined ? null : where[merge];
  if (Array.isArray(merged) && merged.length > MAX_MERGED)
    throw new RangeError(`at most ${MAX_MERGED} values are merged, not ${merged.length}`);
  const { from = null, to = null } = range ?? {};
  if (from !== null && to !== null && typeof from !== typeof to)
    throw new RangeError(`the range of ${range?.field} goes from a ${typeof from} to a ${typeof to}`);
  for (const value of [...Object.values(where).flat(), from, to, after?.value ?? null])
    if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} is no number of JSON`);
}

function assertHolds({ where = {}, holds, range, sort, merge }: Find): void {
  if (holds === undefined) return;
  if (sort === undefined || range !== undefined || merge !== undefined || Object.keys(where).length > 0)
    throw new RangeError(`a query for a text of the list ${holds.field} has a sort and no other condition`);
}
