import type { Position } from '../eventsourcing/message.ts';
import type { Index } from '../eventsourcing/projection.ts';

/** A stored answer. A deleted one stays as a tombstone (`doc: null`) with its position, so that nothing older revives it. */
export type StoredDocument = {
  readonly id: string;
  readonly doc: object | null;
  /** The last event applied to it. */
  readonly position: Position;
};

export type DocumentWrite = StoredDocument & {
  /** The position that was loaded, null where there was no document: the write happens only if it still stands. */
  readonly loaded: Position | null;
};

export type Scalar = string | number | boolean | null;

export type Find = {
  /**
   * Fields (top level) that must equal a value, or one of several; null is also the value of a field that is not there.
   * Types are told apart: neither `true` nor '1' is 1.
   */
  readonly where?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /**
   * Half-open range of one field: `from` is in it, `to` is not. Both are of one type, and only values of that type are
   * in the range. Without either it is no condition.
   */
  readonly range?: { readonly field: string; readonly from?: string | number; readonly to?: string | number };
  /**
   * Ascending: null and missing, then numbers, then strings, then false, then true. Strings, ids too, stand in the order
   * of their code points, which is that of their UTF-8 bytes and not that of JavaScript's `<`. Ties are broken by
   * document id in the same direction. Default: by id, ascending.
   */
  readonly sort?: { readonly field: string; readonly direction: 'asc' | 'desc' };
  /** 1 to 1,000. */
  readonly limit: number;
  /** A `next` of an earlier answer to the same question. */
  readonly after?: Cursor;
};

/** The sort value (null where the question names no sort) and id of the last document of a page. Plain JSON. */
export type Cursor = { readonly value: Scalar; readonly id: string };

export type Page = {
  readonly items: readonly { readonly id: string; readonly doc: object }[];
  readonly next: Cursor | null;
};

/**
 * Documents in named collections. No multi-document transaction is promised: documents are written one by one under
 * their position guard, the checkpoint after them.
 *
 * Documents are plain JSON, their strings well-formed Unicode without U+0000, and hold at most 16 MiB, MongoDB's limit:
 * an engine may reject a larger one with a RangeError, before it writes anything of its commit. A field that is found or
 * sorted by holds a string, a finite number, a boolean, null or nothing in every document; what an array or an object
 * there would match is not said. Names of collections and pointers match `^[a-z][a-z0-9_.-]*$`, those of such fields `^[A-Za-z_][A-Za-z0-9_]*$`. A name, limit,
 * range or number beyond these bounds rejects with a RangeError; after `close` every call rejects. Documents are loaded,
 * committed, found and scanned only in a collection that was ensured: elsewhere engines differ.
 */
export interface ReadModelStore {
  /** Creates the collection and its indexes where missing. Idempotent. */
  ensure(collection: string, indexes: readonly Index[]): Promise<void>;
  load(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>>;
  /**
   * Writes each document whose `loaded` position still stands, then advances the checkpoint to `upTo` (never back).
   * Returns the ids that missed, because another writer was there; if there are any, the checkpoint stays.
   */
  commit(
    collection: string,
    writes: readonly DocumentWrite[],
    upTo: Position,
  ): Promise<{ readonly missed: readonly string[] }>;
  checkpoint(collection: string): Promise<Position | null>;
  find(collection: string, query: Find): Promise<Page>;
  /**
   * Every document of a collection, tombstones included, in id order (code points): for comparing two builds. Not of one
   * moment: a document written meanwhile is seen as it was or as it is.
   */
  scan(collection: string): AsyncIterable<StoredDocument>;
  /** Names, sorted. */
  collections(): Promise<readonly string[]>;
  /** Drops a collection and its checkpoint. Nothing happens where there is none. */
  drop(collection: string): Promise<void>;
  pointer(name: string): Promise<string | null>;
  /** Compare-and-set of a pointer: false where it no longer holds `from`. */
  movePointer(name: string, from: string | null, to: string): Promise<boolean>;
  close(): Promise<void>;
}
