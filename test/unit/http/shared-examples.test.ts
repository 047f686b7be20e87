import { describe, expect, test } from 'bun:test';
import type { Json } from '../../../src/http/reference/json-schema.ts';
import { shareExamples } from '../../../src/http/reference/shared-examples.ts';

const KEY = { $ref: '#/components/schemas/Key' };
const NEW_KEY = { $ref: '#/components/schemas/NewKey' };
const ADA = { id: 'key_1', name: 'Ada' };
const BOB = { id: 'key_2', name: 'Bob' };

/** The path of one operation that answers with JSON. */
function path(schema: Json, example?: unknown): Json {
  const content = { schema, ...(example === undefined ? {} : { example }) };
  return { get: { responses: { '200': { description: 'Success.', content: { 'application/json': content } } } } };
}

function shared(paths: Json) {
  const text = { type: 'string' };
  const key = { type: 'object', properties: { id: text, name: text } };
  const secret = { type: 'object', properties: { secret: text } };
  const components = new Map<string, Json>([
    ['Key', key],
    ['NewKey', { allOf: [KEY, secret] }],
    ['KeyOrNothing', { anyOf: [KEY, { type: 'null' }] }],
  ]);
  const result = shareExamples(paths, components);
  const exampleOf = (name: string) => components.get(name)?.['example'];
  return { paths: result, components, exampleOf };
}

describe('the example of an answer', () => {
  test('stands at its component, for all answers with the same', () => {
    const { paths, exampleOf } = shared({ '/a': path(KEY, ADA), '/b': path(KEY, ADA) });
    expect(paths).toEqual({ '/a': path(KEY), '/b': path(KEY) });
    expect(exampleOf('Key')).toEqual(ADA);
  });

  test('stays if it differs from that which most answers have', () => {
    const { paths, exampleOf } = shared({ '/a': path(KEY, BOB), '/b': path(KEY, ADA), '/c': path(KEY, ADA) });
    expect(paths).toEqual({ '/a': path(KEY, BOB), '/b': path(KEY), '/c': path(KEY) });
    expect(exampleOf('Key')).toEqual(ADA);
  });

  test('is composed of the examples of its members', () => {
    const list: Json = {
      properties: { success: { const: true }, data: { properties: { items: { type: 'array', items: KEY } } } },
    };
    const { paths } = shared({ '/a': path(list, { success: true, data: { items: [ADA] } }), '/b': path(KEY, ADA) });
    expect(paths).toEqual({ '/a': path(list), '/b': path(KEY) });
  });

  test('stays if a member has no example, or the list has other items', () => {
    const counted: Json = { properties: { key: KEY, count: { type: 'integer' } } };
    const list: Json = { type: 'array', items: KEY };
    const paths = { '/a': path(counted, { key: ADA, count: 1 }), '/b': path(list, [ADA, BOB]) };
    const { paths: result, exampleOf } = shared(paths);
    expect(result).toEqual(paths);
    expect(exampleOf('Key')).toBeUndefined();
  });

  test('of a component with a base has only the members that differ: tools merge both', () => {
    const { components, exampleOf } = shared({ '/a': path(KEY, ADA), '/b': path(NEW_KEY, { ...ADA, secret: 's' }) });
    expect(exampleOf('Key')).toEqual(ADA);
    expect(components.get('NewKey')).toEqual({
      allOf: [KEY, { type: 'object', properties: { secret: { type: 'string' } }, example: { secret: 's' } }],
    });
  });

  test('of a union is that of its first member', () => {
    const union = { $ref: '#/components/schemas/KeyOrNothing' };
    const { paths, exampleOf } = shared({ '/a': path(union, ADA) });
    expect(paths).toEqual({ '/a': path(union) });
    expect([exampleOf('Key'), exampleOf('KeyOrNothing')]).toEqual([ADA, undefined]);
  });
});
