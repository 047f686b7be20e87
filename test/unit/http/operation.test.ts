import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AnyElysia, Elysia } from 'elysia';
import { Type } from 'typebox';
import { refused } from '../../../src/application/refusal.ts';
import { ROLES } from '../../../src/domain/operator/roles.ts';
import { access } from '../../../src/http/access.ts';
import { answers, finishedAnswers, orBare, otherAnswer, success } from '../../../src/http/answers.ts';
import type { Call } from '../../../src/http/call.ts';
import { describedRoutes } from '../../../src/http/reference/described-routes.ts';
import { openApiDocument } from '../../../src/http/reference/document.ts';
import { documentOf } from '../../../src/http/reference/documents.ts';
import { anyBody, body, optional, path, query, required } from '../../../src/http/schema.ts';
import { date } from '../../support/examples.ts';
import { explainedCodes } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';

const ABOUT = {
  version: '1.2.3',
  publicUrl: 'https://waymark.example',
  webhookTimeoutMs: 30_000,
  today: date('2026-11-21'),
};
const NAMED = { name: 'Door' };
const DETAIL = {
  operationId: 'create_device',
  tags: ['Gate'],
  summary: 'Register a gate device',
  description: 'Its key is shown once.',
};
const DEVICE_PATH = path({ venue_id: 'The `venue_id` of an activity.' });
const DEVICE = answers(Type.Object({ name: Type.String() }), NAMED, ['NOT_FOUND']);
const EXAMPLES = { examples: [NAMED] };

type Told = {
  readonly requestBody: { readonly required?: boolean; readonly content: { readonly 'application/json': object } };
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
};

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** The only operation in the document of an app with one route. */
async function operationOf(app: AnyElysia): Promise<Told> {
  const routes = describedRoutes(app.routes);
  const [name = 'agents'] = routes.map(documentOf);
  const { paths } = await openApiDocument(name, app, routes, ABOUT);
  const [operation] = Object.values(Object(paths)).flatMap((methods) => Object.values(Object(methods)));
  // Its parts are what these tests look at.
  return operation as Told;
}

function plugin() {
  return new Elysia().use(access(service.node.context));
}

function device() {
  return success(NAMED);
}

test('a refusal that the handler does not return changes no answer', async () => {
  const handler = ({ call }: { readonly call: Call }) => {
    call.refuse(refused('NOT_FOUND', 'There is none.'));
    return device();
  };
  const app = plugin().get('/x', handler, { anybody: true, response: DEVICE, detail: DETAIL });
  const answer = await app.handle(new Request('http://localhost/x'));
  expect([answer.status, await answer.json()]).toEqual([200, { success: true, data: NAMED }]);
});

describe('an operation of the API reference', () => {
  const NAME = { name: required(Type.String({ maxLength: 5 }), 'a short name') };

  test('has the body that the route reads: the rule of each field, and null for what may be left out', async () => {
    const many = optional(Type.Boolean({ default: false, description: 'Whether.' }), 'true or false');
    const read = body(Type.Object({ ...NAME, many }, EXAMPLES));
    const { requestBody } = await operationOf(
      plugin().post('/x', device, { operator: true, body: read, response: DEVICE, detail: DETAIL }),
    );
    expect(requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string', maxLength: 5, description: 'A short name.' },
              many: { type: ['boolean', 'null'], default: false, description: 'Whether.' },
            },
            required: ['name'],
            additionalProperties: false,
          },
          example: NAMED,
        },
      },
    });
  });

  test('has the members of an object in it', async () => {
    const place = optional(Type.Object({ city: required(Type.String(), 'a city') }), 'an object');
    const read = body(Type.Object({ place }, EXAMPLES));
    const { requestBody } = await operationOf(
      plugin().post('/x', device, { operator: true, body: read, response: DEVICE, detail: DETAIL }),
    );
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
    expect(requestBody.required).toBeUndefined();
  });

  test('has the same fields as parameters of a query, and the headers it reads', async () => {
    const { parameters } = await operationOf(
      plugin().get('/api/venues/:venue_id/devices', device, {
        positioned: 'bookings',
        operator: true,
        params: DEVICE_PATH,
        query: query(Type.Object(NAME, EXAMPLES)),
        response: DEVICE,
        detail: DETAIL,
      }),
    );
    expect(parameters).toEqual([
      {
        name: 'venue_id',
        in: 'path',
        required: true,
        description: 'The `venue_id` of an activity.',
        schema: { type: 'string' },
      },
      {
        name: 'name',
        in: 'query',
        required: true,
        description: 'A short name.',
        schema: { type: 'string', maxLength: 5 },
        example: NAMED.name,
      },
      expect.objectContaining({ name: 'X-Position', in: 'header' }),
    ]);
  });

  test('has the body of the schema, where the handler checks it', async () => {
    const read = anyBody(Type.Object({ method: Type.String() }, { examples: [{ method: 'ping' }] }));
    const { requestBody } = await operationOf(
      plugin().post('/x', device, { operator: true, body: read, response: DEVICE, detail: DETAIL }),
    );
    expect(requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { method: { type: 'string' } }, required: ['method'] },
          example: { method: 'ping' },
        },
      },
    });
  });

  test('has the media types in which the same can be asked for', async () => {
    const response = orBare(['text/csv'], DEVICE);
    const { responses } = await operationOf(plugin().get('/x', device, { operator: true, response, detail: DETAIL }));
    expect(Object.keys(Object(responses['200']).content)).toEqual(['application/json', 'text/csv']);
  });

  test('has an answer of its own for a status with a code of the use case, which has the common codes of this status too', async () => {
    const response = answers(Type.Object({ name: Type.String() }), NAMED, ['INVALID_CITY']);
    const { responses } = await operationOf(
      plugin().get('/api/x', device, { apiKey: 'webhook', response, detail: DETAIL }),
    );
    expect(Object.keys(responses)).toEqual(['200', '400', 'default']);
    expect(Object(responses['400'])['x-codes']).toEqual(['INVALID_REQUEST', 'INVALID_CITY']);
    const common = Object(responses['default'])['x-codes'];
    expect(common).toContain('INVALID_REQUEST');
    expect(common).not.toContain('INVALID_CITY');
  });

  test('has the answers of another protocol, beside refusals of the same status', async () => {
    const schema = Type.Object({ error: Type.String() });
    const response = {
      ...finishedAnswers('application/json', schema, []),
      202: otherAnswer('Taken.', null),
      400: otherAnswer('Theirs.', schema),
    };
    const read = body(Type.Object(NAME));
    const { responses } = await operationOf(
      plugin().post('/x', () => new Response(), { anybody: true, body: read, response, detail: DETAIL }),
    );
    expect(responses['202']).toEqual({
      description: 'Taken.',
    });
    const theirs = { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] };
    expect(responses['400']).toMatchObject({
      description: expect.stringMatching(/^- `INVALID_REQUEST`: .*\n- Theirs\.$/),
      content: {
        'application/json': {
          schema: {
            anyOf: [{ $ref: '#/components/schemas/Error' }, theirs],
          },
        },
      },
    });
  });

  const DEMANDS = { response: answers(Type.Object({ name: Type.String() }), NAMED, []), detail: DETAIL };
  const ofOperators = (operationId: string) => ({ ...DEMANDS, detail: { ...DETAIL, operationId } });
  type Caller = readonly [string, () => AnyElysia, readonly object[], readonly string[]];
  const CALLERS: readonly Caller[] = [
    ['anybody', () => plugin().get('/x', device, { ...DEMANDS, anybody: true }), [], ['200', '500']],
    [
      'anybody, so many requests from one address',
      () => plugin().get('/x', device, { ...DEMANDS, anybody: { throttle: 'vouchers' } }),
      [],
      ['200', '429', '500'],
    ],
    [
      'device',
      () => plugin().get('/x', device, { ...DEMANDS, device: true }),
      [{ DeviceKey: [] }],
      ['200', '401', '403', '429', '500'],
    ],
    [
      'any key',
      () => plugin().get('/x', device, { ...DEMANDS, apiKey: null }),
      [{ ApiKey: [] }],
      ['200', '401', '403', '429', '500', '503'],
    ],
    [
      'any key, uncounted',
      () => plugin().get('/x', device, { ...DEMANDS, apiKey: { permission: null, uncounted: true } }),
      [{ ApiKey: [] }],
      ['200', '401', '403', '429', '500', '503'],
    ],
    [
      'a key with a permission',
      () => plugin().get('/x', device, { ...DEMANDS, apiKey: 'webhook' }),
      [{ ApiKey: ['webhook'] }],
      ['200', '401', '403', '429', '500', '503'],
    ],
    [
      'an operator of any role',
      () => plugin().get('/x', device, { ...ofOperators('get_activity'), operator: true }),
      ROLES.map((role) => ({ OperatorToken: [role] })),
      ['200', '401', '403', '429', '500', '503'],
    ],
    [
      'a session of the dashboard',
      () => plugin().get('/x', device, { ...DEMANDS, session: true }),
      [{ Session: [] }],
      ['200', '401', '403', '500', '503'],
    ],
    [
      'an admin',
      () => plugin().get('/x', device, { ...ofOperators('create_key'), operator: true }),
      [{ OperatorToken: ['admin'] }],
      ['200', '401', '403', '429', '500', '503'],
    ],
  ];
  test.each(CALLERS)('says who may call, and the refusals of others: %s', async (_caller, app, security, statuses) => {
    const operation = await operationOf(app());
    expect(operation.security).toEqual(security);
    // All failures of these routes are common ones.
    expect(Object.keys(operation.responses)).toEqual(['200', 'default']);
    const { description, headers } = { description: '', headers: {}, ...operation.responses['default'] };
    const failing = new Set(explainedCodes(description).map(({ status }) => String(status)));
    expect(['200', ...failing]).toEqual([...statuses]);
    expect('WWW-Authenticate' in headers).toBe(statuses.includes('401'));
  });
});
