import type { Filter, IndexDescription, ObjectId, Sort } from 'mongodb';
import type { Index } from '../../eventsourcing/projection.ts';
import {
  assertField,
  assertFind,
  assertName,
  type Cursor,
  type Find,
  isName,
  listOf,
  type Scalar,
} from '../../ports/read-model-store.ts';
import { storableName } from './documents.ts';

/** A stored document. A tombstone is not live and has no `doc`. */
export type KeptDocument = {
  readonly _id: string;
  readonly position: string;
  /** First field of every index, so that finds skip tombstones. */
  readonly live: boolean;
  readonly doc?: object;
};

/** `commit` identifies the write when the server's counts do not. Documents of earlier releases have no generation. */
export type WrittenDocument = KeptDocument & { readonly commit: ObjectId; readonly generation?: ObjectId };

/** A part of a page, in the order of the page. */
export type Part = { readonly filter: Filter<KeptDocument>; readonly sort: Sort };

/** Prefix of MongoDB's own collections. */
const RESERVED = 'system.';

export function isMongoName(name: string): boolean {
  return isName(name) && !name.startsWith(RESERVED);
}

/** @throws RangeError if the port does not allow the name, or MongoDB reserves it */
export function assertMongoName(name: string): void {
  assertName(name);
  if (name.startsWith(RESERVED)) throw new RangeError(`${JSON.stringify(name)} is reserved by MongoDB`);
}

/**
 * An index, named by its fields. The id comes last, because it breaks ties.
 *
 * @throws RangeError if the port does not allow a field name
 */
export function indexOf(fields: Index): IndexDescription {
  if (fields.length === 0) throw new RangeError('an index has no fields');
  const list = listOf(fields);
  // MongoDB makes an entry for each element of a list by itself.
  const plain = list === null ? fields : [list.field, list.sort];
  const paths = plain.map((field) => [pathOf(field), 1] as const);
  return { name: plain.join(','), key: Object.fromEntries([['live', 1], ...paths, ['_id', 1]]) };
}

/**
 * The finds of a query, run in order until the page is full. MongoDB compares only values of one type, but sorts values
 * of all types. So a page after a cursor consists of documents with the cursor's value, then those beyond it of the
 * same type, then each following type: each part is a range of one index.
 *
 * @throws RangeError if a limit, name or number is out of bounds
 */
export function partsOf(query: Find): readonly Part[] {
  assertFind(query);
  const { where = {}, holds, range, sort, after } = query;
  const wanted = [
    { live: true },
    ...Object.entries(where).map(([field, value]) => ({ [pathOf(field)]: equality(value) })),
    ...(holds === undefined ? [] : [{ [pathOf(holds.field)]: { $eq: holds.text } }]),
    ...within(range),
  ];
  const direction = sort?.direction === 'desc' ? -1 : 1;
  const beyond = direction === 1 ? '$gt' : '$lt';
  const laterIds = after === undefined ? [] : [{ _id: { [beyond]: after.id } }];
  if (sort === undefined) return [part([...wanted, ...laterIds], { _id: direction })];
  const path = pathOf(sort.field);
  const order = { [path]: direction, _id: direction } as const;
  if (after === undefined) return [part(wanted, order)];
  const ties = { [path]: equality(after.value) };
  const following = stretchesAfter(after.value, beyond).map((stretch) => part([...wanted, { [path]: stretch }], order));
  return [part([...wanted, ties, ...laterIds], { _id: direction }), ...following];
}

/** The cursor after a document. */
export function cursorOf({ _id, doc }: KeptDocument, sort: Find['sort']): Cursor {
  if (sort === undefined) return { value: null, id: _id };
  const value: unknown = new Map(Object.entries(doc ?? {})).get(storableName(sort.field));
  return { value: isScalar(value) ? value : null, id: _id };
}

function part(conditions: readonly Filter<KeptDocument>[], sort: Sort): Part {
  return { filter: { $and: [...conditions] }, sort };
}

function pathOf(field: string): string {
  assertField(field);
  return `doc.${storableName(field)}`;
}

/** In MongoDB null also matches a missing field, as in the port. */
function equality(value: Scalar | readonly Scalar[]): object {
  return value !== null && typeof value === 'object' ? { $in: value } : { $eq: value };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Keys of one type within a range. */
function within(range: Find['range']): Filter<KeptDocument>[] {
  if (range === undefined) return [];
  const { field, from, to } = range;
  const path = pathOf(field);
  return [
    ...(from === undefined ? [] : [{ [path]: { $gte: from } }]),
    ...(to === undefined ? [] : [{ [path]: { $lt: to } }]),
  ];
}

/** A condition for all values of a type, in the port's order: nothing, numbers, strings, booleans. */
const STRETCHES = [{ $eq: null }, { $gte: Number.NEGATIVE_INFINITY }, { $gte: '' }, { $in: [false, true] }] as const;
const TYPES = ['object', 'number', 'string', 'boolean'];

function stretchesAfter(value: Scalar, beyond: '$gt' | '$lt'): object[] {
  const type = TYPES.indexOf(typeof value);
  const ofItsType = value === null ? [] : [{ [beyond]: value }];
  const others = beyond === '$gt' ? STRETCHES.slice(type + 1) : STRETCHES.slice(0, type).toReversed();
  return [...ofItsType, ...others];
}
