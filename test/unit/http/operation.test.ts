import { describe, expect, test } from 'bun:test';
import { Type } from 'typebox';
import { CREATE_DEVICE, VERIFY } from '../../../src/http/declarations/venues.ts';
import type { Declaration } from '../../../src/http/endpoint.ts';
import { type Fields, form, optional, required } from '../../../src/http/form.ts';
import { operationOf } from '../../../src/http/reference/operation.ts';

type Told = {
  readonly requestBody: { readonly required: boolean; readonly content: { readonly 'application/json': object } };
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
};

function told(method: string, path: string, declaration: Declaration, fields: Fields | null): Told {
  const shape = fields === null ? null : form(fields);
  // Its parts are what these tests look at.
  return operationOf({ method, path, declaration, form: shape }, new Map()) as Told;
}

describe('an operation of the API reference', () => {
  const NAME = { name: required(Type.String({ maxLength: 5 }), 'a short name') };

  test('has the body that its form reads: the rule of each field, and null for what may be left out', () => {
    const { requestBody } = told('POST', '/x', CREATE_DEVICE, {
      ...NAME,
      many: optional(Type.Boolean({ default: false, description: 'Whether.' }), 'true or false'),
    });
    expect(requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string', maxLength: 5, description: 'A short name.' },
              many: { type: ['boolean', 'null'], default: false, description: 'Whether. True or false.' },
            },
            required: ['name'],
          },
          example: { name: 'Door' },
        },
      },
    });
  });

  test('has the members of an object in it', () => {
    const { requestBody } = told('POST', '/x', VERIFY, {
      place: optional(Type.Object({}), 'an object'),
      'place.city': required(Type.String(), 'a city'),
    });
    expect(requestBody.content['application/json']).toMatchObject({
      schema: {
        properties: {
          place: {
            type: ['object', 'null'],
            description: 'An object.',
            properties: { city: { type: 'string', description: 'A city.' } },
            required: ['city'],
          },
        },
      },
    });
    expect(requestBody.required).toBe(false);
  });

  test('has the same fields as parameters of a query, and the headers it reads', () => {
    const declaration = { ...CREATE_DEVICE, headers: ['x-position'] } as const;
    const { parameters } = told('GET', '/api/venues/{venue_id}/devices', declaration, NAME);
    expect(parameters).toEqual([
      {
        name: 'venue_id',
        in: 'path',
        required: true,
        description: CREATE_DEVICE.params.venue_id,
        schema: { type: 'string' },
      },
      {
        name: 'name',
        in: 'query',
        required: true,
        description: 'A short name.',
        schema: { type: 'string', maxLength: 5 },
        example: 'Door',
      },
      expect.objectContaining({ name: 'X-Position', in: 'header', required: false }),
    ]);
  });

  test('has the body that is declared, where it is not the fields of its form', () => {
    const body = Type.Object({ method: Type.String() });
    const declaration = { ...CREATE_DEVICE, body, example: { method: 'ping' } } as const;
    expect(told('POST', '/x', declaration, NAME).requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { method: { type: 'string' } }, required: ['method'] },
          example: { method: 'ping' },
        },
      },
    });
  });

  test('has the media types in which the same can be asked for', () => {
    const answer = { ...CREATE_DEVICE.answer, bare: ['text/csv'] } as const;
    const { responses } = told('GET', '/x', { ...CREATE_DEVICE, answer }, NAME);
    expect(Object.keys(Object(responses['200']).content)).toEqual(['application/json', 'text/csv']);
  });

  test('has the answers of another protocol, beside refusals of the same status', () => {
    const { id, tag, summary, description } = CREATE_DEVICE;
    const schema = Type.Object({ error: Type.String() });
    const others = { 202: { description: 'Taken.', schema: null }, 400: { description: 'Theirs.', schema } };
    const answer = { media: 'application/json', schema, others } as const;
    const declaration = { by: 'anybody', id, tag, summary, description, answer, refusals: [] } as const;
    const { responses } = told('POST', '/x', declaration, NAME);
    expect(responses['202']).toEqual({
      description: 'Taken.',
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
        'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
      },
    });
    const theirs = { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] };
    expect(responses['400']).toMatchObject({
      description: expect.stringMatching(/^- `INVALID_REQUEST`: .*\n- Theirs\.$/),
      content: {
        'application/json': {
          schema: {
            anyOf: [
              {
                allOf: [
                  { $ref: '#/components/schemas/Error' },
                  { properties: { code: { enum: ['INVALID_REQUEST'] } } },
                ],
              },
              theirs,
            ],
          },
        },
      },
    });
  });

  const CALLERS: readonly (readonly [Partial<Declaration>, readonly object[], readonly string[]])[] = [
    [{ by: 'anybody' }, [], ['200', '500']],
    [{ by: 'device' }, [{ DeviceKey: [] }], ['200', '401', '500']],
    [{ by: 'key', permission: null }, [{ ApiKey: [] }], ['200', '401', '403', '429', '500', '503']],
    [{ by: 'key', permission: null, uncounted: true }, [{ ApiKey: [] }], ['200', '401', '403', '500', '503']],
    [{ by: 'key', permission: 'webhook' }, [{ ApiKey: ['webhook'] }], ['200', '401', '403', '429', '500', '503']],
    [
      { by: 'operator', least: 'analyst' },
      [{ AdminToken: [] }, { AnalystToken: [] }],
      ['200', '401', '429', '500', '503'],
    ],
    [{ by: 'operator', least: 'admin' }, [{ AdminToken: [] }], ['200', '401', '403', '429', '500', '503']],
  ];
  test.each(CALLERS)('says who may call, and what others are told: %j', (access, security, statuses) => {
    const { id, tag, summary, description, answer } = CREATE_DEVICE;
    const declaration = { id, tag, summary, description, answer, refusals: [], ...access } as Declaration;
    const operation = told('GET', '/x', declaration, null);
    expect(operation.security).toEqual(security);
    expect(Object.keys(operation.responses)).toEqual([...statuses]);
    const asking = statuses.filter((status) => 'WWW-Authenticate' in Object(operation.responses[status]).headers);
    expect(asking).toEqual(statuses.filter((status) => status === '401'));
  });
});
