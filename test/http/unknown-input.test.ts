import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Endpoint, endpointsOf, type Schema } from '../support/endpoints.ts';
import { headOf } from '../support/log-of-service.ts';
import { connectTo } from '../support/mcp.ts';
import { fullReference } from '../support/reference.ts';
import { A_WISH, openService, type Service } from '../support/service.ts';
import { type Refusal, readAnswer } from '../support/service-answers.ts';

let service: Service;
let endpoints: readonly Endpoint[];
beforeAll(async () => {
  service = await openService();
  endpoints = await endpointsOf(await fullReference((path) => service.send(path)), service);
});
afterAll(() => service.stop());

/** Sends the request; nothing is stored. @returns its refusal */
async function refusalOf({ method, path, credentials }: Endpoint, query: string, body?: object): Promise<Refusal> {
  const before = await headOf(service);
  const json = body && { body: JSON.stringify(body), headers: { ...credentials, 'content-type': 'application/json' } };
  const answer = await readAnswer(await service.send(`${path}${query}`, { method, headers: credentials, ...json }));
  expect(await headOf(service), `${method} ${path}`).toEqual(before);
  return answer.refusal;
}

/** The body with a member `unnamed` in each of its objects in turn, by the path of that member. */
function withUnnamed(schema: Schema, example: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (schema.readOnly === true) return [];
  if (schema.items !== undefined) return withUnnamed(schema.items, {}, `${path}[0]`).map(([at, item]) => [at, [item]]);
  const { properties } = schema;
  if (properties === undefined) return [];
  const members = (typeof example === 'object' ? example : {}) as Readonly<Record<string, unknown>>;
  const inner = Object.entries(properties).flatMap(([name, of]) =>
    withUnnamed(of, members[name] ?? {}, path === '' ? name : `${path}.${name}`).map(
      ([at, value]) => [at, { ...members, [name]: value }] as const,
    ),
  );
  return [[path === '' ? 'unnamed' : `${path}.unnamed`, { ...members, unnamed: 1 }], ...inner];
}

/** All object schemas in a body. */
function objectsIn(schema: Schema): readonly Schema[] {
  const { properties = {}, items, readOnly } = schema;
  if (readOnly === true) return [];
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])].flatMap(objectsIn);
  return schema.properties === undefined ? inner : [schema, ...inner];
}

describe('every operation of the API', () => {
  test('refuses an unknown query parameter, and stores nothing', async () => {
    expect(endpoints.length).toBeGreaterThan(50);
    for (const operation of endpoints) {
      const { status, code, error, details } = await refusalOf(operation, '?unnamed=1');
      expect<readonly unknown[]>([operation.name, status, code]).toEqual([operation.name, 400, 'INVALID_REQUEST']);
      expect(error).toStartWith('unknown parameter "unnamed"; ');
      expect(details).toStartWith(error);
      const inherited = await refusalOf(operation, '?__proto__=1&utm_source=mail&toString=1');
      expect(inherited.details).toMatch(/^unknown parameter "__proto__".* unknown parameter "toString"/);
      expect(inherited.details).not.toContain('utm_source');
    }
  });

  test('refuses a query parameter that is given twice, and stores nothing', async () => {
    let parameters = 0;
    for (const operation of endpoints) {
      for (const name of operation.parameters) {
        const { code, details } = await refusalOf(operation, `?${name}=1&${name}=1`);
        expect<readonly unknown[]>([operation.name, name, code]).toEqual([operation.name, name, 'INVALID_REQUEST']);
        expect(details).toContain(`parameter "${name}" is given twice; send it once.`);
        parameters += 1;
      }
    }
    expect(parameters).toBeGreaterThan(40);
  });

  test('refuses an unknown member of its body, in every object, and stores nothing', async () => {
    let members = 0;
    for (const operation of endpoints.filter(({ method }) => method !== 'GET')) {
      const { schema, example = {} } = operation.body ?? { schema: { properties: {} } };
      for (const [path, body] of withUnnamed(schema, example)) {
        const { status, code, error, details } = await refusalOf(operation, '', body as object);
        expect<readonly unknown[]>([operation.name, path, status, code, error]).toEqual([
          operation.name,
          path,
          400,
          'INVALID_REQUEST',
          expect.stringContaining(`unknown field "${path}"; `),
        ]);
        expect(details).toStartWith(error);
        members += 1;
      }
    }
    expect(members).toBeGreaterThan(40);
  });

  test('says so in the schema of its body, for every object', () => {
    const open = endpoints.flatMap(({ name, body }) =>
      (body === null ? [] : objectsIn(body.schema))
        .filter(({ additionalProperties }) => additionalProperties !== false)
        .map((schema) => [name, schema]),
    );
    expect(open).toEqual([]);
  });
});

describe('a booking', () => {
  test.each([
    [{ dryRun: true }, 'unknown field "dryRun"; did you mean "dry_run"?'],
    [{ 'dry-run': true }, 'unknown field "dry-run"; did you mean "dry_run"?'],
    [{ adults: 2, num_adults: undefined }, 'unknown field "adults"; did you mean "num_adults"?'],
    [{ date: '2026-11-22' }, 'unknown field "date"; did you mean "booking_date"?'],
    [{ email: 'ada@example.com' }, 'unknown field "email"; did you mean "user_email"?'],
    [{ guests: 2 }, 'unknown field "guests"; did you mean "num_adults"?'],
  ])('with %j is refused, and not kept under its Idempotency-Key', async (change, sentence) => {
    const before = await service.events();
    const { refusal } = await service.book(change, { 'idempotency-key': 'refused-once' });
    expect([refusal.status, refusal.code, refusal.error]).toEqual([400, 'INVALID_REQUEST', sentence]);
    expect(refusal.details).toStartWith(sentence);
    expect(await service.events()).toEqual(before);
    const valid = await service.book({ dry_run: true }, { 'idempotency-key': 'refused-once' });
    expect(valid.status).toBe(200);
  });

  test('with members named like inherited ones is refused, without effects', async () => {
    const body = `{"__proto__":{"num_adults":9},"constructor":1,${JSON.stringify(A_WISH).slice(1)}`;
    const headers = { ...service.key, 'content-type': 'application/json' };
    const answer = await readAnswer(await service.send('/api/b2a/execute_booking', { method: 'POST', body, headers }));
    expect(answer.refusal.details).toMatch(/^unknown field "__proto__"; .* unknown field "constructor"; /);
    expect({}).not.toHaveProperty('num_adults');
  });
});

describe('a recommendation', () => {
  test.each([
    [{ city: 'Bangkok' }, 'unknown field "city"; did you mean "location.city"?'],
    [{ travel_type: 'solo' }, 'unknown field "travel_type"; did you mean "user_profile.travel_type"?'],
    [{ 'location.city': 'Hanoi' }, 'unknown field "location.city"; send "city" inside the object "location".'],
    [{ filters: { maxPrice: 9 } }, 'unknown field "filters.maxPrice"; did you mean "filters.max_price"?'],
    [
      { user_profile: { travelType: 'solo' } },
      'unknown field "user_profile.travelType"; did you mean "user_profile.travel_type"?',
    ],
    [{ location: { latitude: 13, longitude: 100 } }, 'unknown field "location.latitude"; did you mean "location.lat"?'],
  ])('with %j is refused, as INVALID_REQUEST', async (change, sentence) => {
    const { refusal } = await service.recommend(change);
    expect([refusal.code, refusal.error]).toEqual(['INVALID_REQUEST', sentence]);
  });
});

describe('the tools', () => {
  test.each([
    ['book', { ...A_WISH, gift: true }, 'unknown field "gift"; the fields here are activity_id, user_email, '],
    ['book', { ...A_WISH, adults: 2 }, 'unknown field "adults"; did you mean "num_adults"?'],
    ['inventory', { city: 'Bangkok', when: 'tomorrow' }, 'unknown field "when"; did you mean "date"?'],
    ['recommend', { travel_type: 'couple', city: 'Bangkok', limit: 3 }, 'unknown field "limit"; the fields here are '],
  ])('refuse unknown arguments of %s, also those that the API has: %j', async (tool, args, sentence) => {
    const before = await service.events();
    await using tools = await connectTo(service, service.key);
    const { failed, texts } = await tools.call(tool, args);
    expect(failed).toBe(true);
    expect(texts[0]).toStartWith(`INVALID_REQUEST: ${sentence}`);
    expect(await service.events()).toEqual(before);
  });

  test('have input schemas that allow no other parameters', async () => {
    await using tools = await connectTo(service, service.key);
    const { tools: listed } = await tools.client.listTools();
    expect(listed.map(({ inputSchema }) => inputSchema['additionalProperties'])).toEqual([false, false, false]);
  });
});

test('a GET request with a body is refused: a client may expect that its fields filter', async () => {
  const request = { method: 'GET', headers: { ...service.key, 'content-length': '22' } };
  const { refusal } = await readAnswer(await service.send('/api/b2a/bookings', request));
  expect([refusal.code, refusal.error]).toEqual([
    'INVALID_REQUEST',
    'A GET request takes no body; send its fields as query parameters.',
  ]);
});

test('a page ignores unknown parameters', async () => {
  const { data } = await service.book();
  const page = await service.send(`/api/vouchers/${data.voucher.code}?unnamed=1&unnamed=2`);
  expect(page.status).toBe(200);
});
