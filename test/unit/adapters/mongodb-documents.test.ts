import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { restored, storable } from '../../../src/adapters/mongodb/documents.ts';
import { JSON_OBJECT } from '../../contract/read-model-store/definition.ts';
import { SEED } from '../../contract/read-model-store/scene.ts';

describe('a document for MongoDB', () => {
  test.each<[doc: object, stored: object]>([
    [
      { city: 'Hue', price: 12.5, tags: ['a', { b: null }], deep: { ok: true } },
      { city: 'Hue', price: 12.5, tags: ['a', { b: null }], deep: { ok: true } },
    ],
    [
      { $set: 1, a$: 2 },
      { '%24set': 1, a$: 2 },
    ],
    [{ 'a.b': { '.': 1 } }, { 'a%2Eb': { '%2E': 1 } }],
    [
      { '': 1, '%': 2, '%25': 3 },
      { '%': 1, '%25': 2, '%2525': 3 },
    ],
    [
      { 'a\0': 1, _bsontype: 'ObjectId', _id: 1 },
      { 'a%00': 1, '%5Fbsontype': 'ObjectId', '%5Fid': 1 },
    ],
    [{ list: [[1, [2]], []] }, { list: [{ '%[]': [1, { '%[]': [2] }] }, { '%[]': [] }] }],
    [{ list: [{ '%[]': 1 }] }, { list: [{ '%25[]': 1 }] }],
  ])('%j is stored as %j', (doc, stored) => {
    expect(storable(doc)).toEqual(stored as ReturnType<typeof storable>);
    expect(restored(storable(doc))).toEqual(doc);
  });

  test('keeps a field __proto__ of JSON.parse', () => {
    const text = '{"__proto__":{"a.b":1},"x":1}';
    expect(JSON.stringify(restored(storable(JSON.parse(text))))).toBe(text);
  });

  test('omits undefined fields, as JSON does', () => {
    expect(storable({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  test.each([{ a: Number.NaN }, { a: Number.POSITIVE_INFINITY }, { a: 1n }, { a: () => 1 }, { a: [undefined] }])(
    'refuses %p, which is no JSON',
    (doc) => {
      expect(() => storable(doc)).toThrow(TypeError);
    },
  );

  test(`has no field name that MongoDB or a compatible server refuses, and converts back unchanged (seed ${SEED})`, () => {
    const names = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...names(inner)])
        : [];
    const property = fc.property(JSON_OBJECT, (doc) => {
      const stored = storable(doc);
      expect(names(stored).filter((name) => /^$|^\$|[.\0]|^_(?:bsontype|id)$/.test(name))).toEqual([]);
      expect(JSON.stringify(restored(stored))).toBe(JSON.stringify(doc));
    });
    fc.assert(property, { seed: SEED, numRuns: 300 });
  });
});
