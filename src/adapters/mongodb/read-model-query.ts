import type { Filter, IndexDescription, Sort } from 'mongodb';
import type { Position } from '../../eventsourcing/message.ts';
import type { Index } from '../../eventsourcing/projection.ts';
import type { Cursor, Find, Scalar } from '../../ports/read-model-store.ts';
import { storableName } from './documents.ts';

const MAX_LIMIT = 1_000;
const COLLECTION_NAME = /^(?!system\.)[a-z][a-z0-9_.-]*$/;
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A stored document. A tombstone is not live and has no `doc`. */
export type KeptDocument = {
  readonly _id: string;
  readonly position: Position;
  /** First field of every index, so that finds skip tombstones. */
  readonly live: boolean;
  readonly doc?: object;
};

/** A part of a page, in the order of the page. */
export type Part = { readonly filter: Filter<KeptDocument>; readonly sort: Sort };

/** @throws RangeError if the port does not allow the name, or MongoDB reserves it */
export function assertName(collection: string): void {
  if (!COLLECTION_NAME.test(collection)) {
    throw new RangeError(`${JSON.stringify(collection)} is no name: it must match ${COLLECTION_NAME.source}`);
  }
}

export function isName(collection: string): boolean {
  return COLLECTION_NAME.test(collection);
}

/**
 * An index, named by its fields. The id comes last, because it breaks ties.
 *
 * @throws RangeError if the port does not allow a field name
 */
export function indexOf(fields: Index): IndexDescription {
  if (fields.length === 0) throw new RangeError('an index has no fields');
  const paths = fields.map((field) => [pathOf(field), 1] as const);
  return { name: fields.join(','), key: Object.fromEntries([['live', 1], ...paths, ['_id', 1]]) };
}

/**
 * The finds of a query, run in order until the page is full. MongoDB compares only values of one type, but sorts values
 * of all types. So a page after a cursor consists of documents with the cursor's value, then those beyond it of the
 * same type, then each following type: each part is a range of one index.
 *
 * @throws RangeError if a limit, name or number is out of bounds
 */
export function partsOf({ where = {}, range, sort, limit, after }: Find): readonly Part[] {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RangeError(`a page holds 1 to ${MAX_LIMIT} documents, not ${limit}`);
  }
  const wanted = [
    { live: true },
    ...Object.entries(where).map(([field, value]) => ({ [pathOf(field)]: equality(value) })),
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
  if (!FIELD_NAME.test(field)) {
    throw new RangeError(`${JSON.stringify(field)} is no field name: it must match ${FIELD_NAME.source}`);
  }
  return `doc.${storableName(field)}`;
}

/** In MongoDB null also matches a missing field, as in the port. */
function equality(value: Scalar | readonly Scalar[]): object {
  return isList(value) ? { $in: value.map(plain) } : { $eq: plain(value) };
}

function isList(value: Scalar | readonly Scalar[]): value is readonly Scalar[] {
  return Array.isArray(value);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function plain<T extends Scalar>(value: T): T {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} is no number of JSON`);
  return value;
}

/** Keys of one type within a range. */
function within(range: Find['range']): Filter<KeptDocument>[] {
  if (range === undefined) return [];
  const { field, from, to } = range;
  const path = pathOf(field);
  if (from !== undefined && to !== undefined && typeof from !== typeof to) {
    throw new RangeError(`the range of ${field} goes from a ${typeof from} to a ${typeof to}`);
  }
  const ends = [
    ...(from === undefined ? [] : [{ [path]: { $gte: plain(from) } }]),
    ...(to === undefined ? [] : [{ [path]: { $lt: plain(to) } }]),
  ];
  return ends;
}

/** A condition for all values of a type, in the port's order: nothing, numbers, strings, booleans. */
const STRETCHES = [{ $eq: null }, { $gte: Number.NEGATIVE_INFINITY }, { $gte: '' }, { $in: [false, true] }] as const;
const TYPES = ['object', 'number', 'string', 'boolean'];

function stretchesAfter(value: Scalar, beyond: '$gt' | '$lt'): object[] {
  const type = TYPES.indexOf(typeof value);
  const ofItsType = value === null ? [] : [{ [beyond]: plain(value) }];
  const others = beyond === '$gt' ? STRETCHES.slice(type + 1) : STRETCHES.slice(0, type).toReversed();
  return [...ofItsType, ...others];
}
