import { describe, expect, test } from 'bun:test';
import { type TSchema, Type } from 'typebox';
import { jsonSchema } from '../../../src/http/reference/json-schema.ts';

function converted(schema: TSchema) {
  return jsonSchema(schema, new Map());
}

describe('a schema in the API reference', () => {
  test.each<[string, TSchema, object]>([
    ['or null has a second type', Type.Union([Type.Integer(), Type.Null()]), { type: ['integer', 'null'] }],
    ['of texts is an enum', Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['of listed texts is one too', Type.Enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [
      'of texts or null says so twice',
      Type.Union([Type.Enum(['a']), Type.Null()]),
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'of one text or null is an enum',
      Type.Union([Type.Literal('a'), Type.Null()]),
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'with names of any kind has further properties',
      Type.Record(Type.String(), Type.Boolean()),
      { type: 'object', additionalProperties: { type: 'boolean' } },
    ],
    [
      'with a rule in code keeps the rest',
      Type.Refine(Type.String({ maxLength: 3 }), () => true),
      { type: 'string', maxLength: 3 },
    ],
  ])('%s', (_what, schema, expected) => {
    expect(converted(schema)).toEqual({ ...expected });
  });

  test('with a name stands once, and is referred to', () => {
    const components = new Map();
    const price = Type.Object({ amount: Type.Number() }, { $id: 'Price' });
    const schema = Type.Object({ now: price, before: Type.Union([price, Type.Null()]) });
    const $ref = '#/components/schemas/Price';
    expect(jsonSchema(schema, components)).toEqual({
      type: 'object',
      required: ['now', 'before'],
      properties: { now: { $ref }, before: { anyOf: [{ $ref }, { type: 'null' }] } },
    });
    expect([...components]).toEqual([
      ['Price', { type: 'object', required: ['amount'], properties: { amount: { type: 'number', format: 'double' } } }],
    ]);
  });

  test('cannot have the name of another one', () => {
    const components = new Map();
    jsonSchema(Type.String({ $id: 'Code' }), components);
    expect(() => jsonSchema(Type.Number({ $id: 'Code' }), components)).toThrow('two schemas are called Code');
  });
});
