import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fullReference } from '../support/reference.ts';
import { openService, type Service, TODAY } from '../support/service.ts';
import { faulty, readAnswer } from '../support/service-answers.ts';

type Json = { readonly [name: string]: unknown };
type Ranged = { readonly name: string; readonly method: string; readonly path: string; readonly days: boolean };

/** They understand dates in the city's words: test/http/allotment/calendar.test.ts and ranges.test.ts. */
const OF_A_CITY: ReadonlySet<string> = new Set(['/api/calendar', '/api/activities/{activity_id}/allotments']);

let service: Service;
let ranged: readonly Ranged[];
/** What the body of an operation needs beside the range. */
let required: Readonly<Record<string, object>>;
beforeAll(async () => {
  service = await openService();
  const { device_id, device_key } = await service.createDevice('old-pier');
  const { voucher } = (await service.book({ booking_date: TODAY })).data;
  await service.verify({ code: voucher?.code }, { 'x-device-key': device_key });
  const reason = 'A mistake.';
  required = {
    '/api/visits/void': { device_id, reason },
    '/api/learning/exclude': { reason },
    '/api/ops/evaluations': { model: { name: 'same' } },
  };
  const reference = await fullReference((path) => service.send(path));
  ranged = reference.operations.flatMap(({ method, path, pointer, operation }) => {
    const inQuery = ((operation['parameters'] ?? []) as readonly object[])
      .map((_, index) => reference.at(`${pointer}/parameters/${index}`)?.value ?? {})
      .map(({ name, schema }) => [name, schema] as const);
    const body = reference.at(`${pointer}/requestBody/content/application~1json/schema`)?.value ?? {};
    const fields = Object.fromEntries([...inQuery, ...Object.entries((body['properties'] ?? {}) as Json)]);
    if (!('from' in fields && 'to' in fields) || OF_A_CITY.has(path)) return [];
    return [{ name: `${method} ${path}`, method, path, days: JSON.stringify(fields['to']).includes('"date"') }];
  });
});
afterAll(() => service.stop());

async function refusalOf({ method, path }: Ranged, from: string, to: string) {
  const callers = { ...service.key, ...service.admin, 'content-type': 'application/json' };
  const query = `?${new URLSearchParams({ from, to }).toString()}`;
  const response =
    method === 'GET'
      ? await service.send(`${path}${query}`, { headers: callers })
      : await service.send(path, { method, headers: callers, body: JSON.stringify({ ...required[path], from, to }) });
  const answer = await readAnswer(response);
  return answer.status === 200 ? answer.status : answer.refusal;
}

test('a range that ends before it begins is refused by every operation that takes one', async () => {
  const [DAY, DAY_BEFORE] = ['2026-11-20', '2026-11-19'];
  const [NOON, BEFORE_NOON] = [`${DAY}T12:00:00Z`, `${DAY}T11:59:59.999Z`];
  const backwards = (from: string, to: string) =>
    faulty('INVALID_REQUEST', `from ${from} is after to ${to}; send a from that is not after to.`);
  for (const operation of ranged) {
    const { name, days } = operation;
    expect(await refusalOf(operation, DAY, DAY_BEFORE), name).toEqual(backwards(DAY, DAY_BEFORE));
    expect(await refusalOf(operation, DAY, DAY), name).toBe(200);
    if (days) continue;
    expect(await refusalOf(operation, NOON, BEFORE_NOON), name).toEqual(backwards(NOON, BEFORE_NOON));
    expect(await refusalOf(operation, NOON, DAY_BEFORE), name).toEqual(backwards(NOON, DAY_BEFORE));
    expect(await refusalOf(operation, NOON, NOON), name).toBe(200);
    expect(await refusalOf(operation, NOON, DAY), name).toBe(200);
  }
  expect(ranged.map(({ name }) => name).toSorted()).toEqual([
    'GET /api/analytics/conversions',
    'GET /api/analytics/revenue',
    'GET /api/analytics/visits',
    'GET /api/b2a/bookings',
    'GET /api/bookings',
    'GET /api/devices',
    'GET /api/ops/audit',
    'GET /api/webhooks/deliveries',
    'POST /api/learning/exclude',
    'POST /api/ops/evaluations',
    'POST /api/visits/void',
    'POST /api/webhooks/replay',
  ]);
});
