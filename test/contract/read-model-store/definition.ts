import fc from 'fast-check';
import type { Json } from '../../../src/eventsourcing/message.ts';
import type { Find, Page, Scalar } from '../../../src/ports/read-model-store.ts';

/** A document with fields that queries can use; null for a tombstone. */
export type TestDocument = { readonly id: string; readonly doc: Readonly<Record<string, Scalar>> | null };

/** The result of a query without cursor and limit, straight from the port's definition. */
export function answerByDefinition(
  documents: readonly TestDocument[],
  query: Omit<Find, 'limit' | 'after'>,
): Page['items'] {
  const { where = {}, range, sort } = query;
  const valueOf = (doc: object, field: string): Scalar =>
    new Map<string, Scalar>(Object.entries(doc)).get(field) ?? null;
  const found = documents.flatMap(({ id, doc }) => (doc === null ? [] : [{ id, doc }]));
  return found
    .filter(({ doc }) => Object.entries(where).every(([field, wanted]) => oneOf(valueOf(doc, field), wanted)))
    .filter(({ doc }) => range === undefined || within(valueOf(doc, range.field), range))
    .sort((left, right) => {
      const bySort =
        sort === undefined ? 0 : compareValues(valueOf(left.doc, sort.field), valueOf(right.doc, sort.field));
      return (bySort || byId(left, right)) * (sort?.direction === 'desc' ? -1 : 1);
    });
}

/** By code point, which is the order of UTF-8 bytes. */
function compareStrings(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

export function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return compareStrings(left.id, right.id);
}

const TYPES_IN_ORDER = ['object', 'number', 'string', 'boolean'];

function compareValues(left: Scalar, right: Scalar): number {
  const byType = TYPES_IN_ORDER.indexOf(typeof left) - TYPES_IN_ORDER.indexOf(typeof right);
  if (byType !== 0) return byType;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  const [ours, theirs] = [Number(left), Number(right)];
  return ours < theirs ? -1 : Number(ours > theirs);
}

function oneOf(value: Scalar, wanted: Scalar | readonly Scalar[]): boolean {
  return [wanted].flat().includes(value);
}

function within(value: Scalar, { from, to }: NonNullable<Find['range']>): boolean {
  const end = from ?? to;
  if (end === undefined) return true;
  if (typeof value !== typeof end) return false;
  return (from === undefined || compareValues(value, from) >= 0) && (to === undefined || compareValues(value, to) < 0);
}

/** Any characters but U+0000, which not every store supports. */
const TEXT = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\0', ''));
/** Never minus zero, which JSON lacks. */
const NUMBER = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0);

/** Includes names with a meaning for an engine. */
const NAME = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '$', '$set', 'a.b', '.', '%', '%2E', '%[]', '_id', '_bsontype', '0', 'é'),
  },
  { weight: 1, arbitrary: TEXT },
);

export const JSON_OBJECT: fc.Arbitrary<object> = fc.letrec<{ value: Json; object: Record<string, Json> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    NUMBER,
    TEXT,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(NAME, tie('value'), { maxKeys: 6, noNullPrototype: true }),
})).object;

/** Limits of doubles and of 64-bit integers. */
const ODD_NUMBERS = [0.1 + 0.2, 2 ** 53, 2 ** 62, 2 ** 63, -(2 ** 63), 1e20, 1e21, 5e-324, Number.MAX_VALUE];
export const VALUES: fc.Arbitrary<Scalar[]> = fc.uniqueArray(
  fc.oneof(NUMBER, fc.constantFrom(...ODD_NUMBERS), TEXT, fc.constantFrom<Scalar[]>(null, true, false)),
  { minLength: 1, maxLength: 30, size: 'max' },
);

/** Mostly a few values, so that many documents tie. */
const SCALAR: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Scalar[]>(null, true, false, 0, 1, -1.5, '', '1', 'a', 'é', '\uffee', '😀') },
  { weight: 1, arbitrary: NUMBER },
  { weight: 1, arbitrary: TEXT },
);
const FIELD = fc.constantFrom('a', 'b', 'c');
const FIELDS = fc.dictionary(FIELD, SCALAR, { maxKeys: 3, noNullPrototype: true });

export const DOCUMENTS: fc.Arbitrary<TestDocument[]> = fc.uniqueArray(
  fc.record({
    id: fc.oneof(fc.constantFrom('a', 'b', 'é', '\uffee', '😀'), fc.stringMatching(/^[a-z0-9]{1,3}$/), TEXT),
    doc: fc.option(FIELDS, { freq: 8 }),
  }),
  { selector: ({ id }) => id, maxLength: 40, size: 'max' },
);

const WHERE = fc.dictionary(FIELD, fc.oneof(SCALAR, fc.array(SCALAR, { maxLength: 3 })), {
  maxKeys: 2,
  noNullPrototype: true,
});
const ENDS = fc.oneof(
  fc.record({ from: NUMBER, to: NUMBER }, { requiredKeys: [] }),
  fc.record({ from: TEXT, to: TEXT }, { requiredKeys: [] }),
  fc.constantFrom({ from: 0 }, { to: 1 }, { from: 'a' }, { to: '😀' }),
);
const RANGE = fc.tuple(FIELD, ENDS).map(([field, ends]) => ({ field, ...ends }));
const SORT = fc.record({ field: FIELD, direction: fc.constantFrom('asc', 'desc') });

/** Any part but the limit may be missing. */
export const QUESTION: fc.Arbitrary<Find> = fc.record(
  { where: WHERE, range: RANGE, sort: SORT, merge: FIELD, limit: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: ['limit'] },
);
