import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/http/app.ts';
import { withCors } from '../../src/http/cors.ts';
import { A_WISH, openService, type Service } from '../support/service.ts';

const APP = 'https://app.example';
const BOOK = '/api/b2a/execute_booking';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type',
};

let service: Service;
beforeAll(async () => {
  service = await openService({ settings: { CORS_ORIGINS: `${APP}, http://localhost:5173` } });
});
afterAll(() => service.stop());

/** Sends a request to the app as the server does. */
async function send(path: string, init: RequestInit = {}, of: Service = service): Promise<Response> {
  const app = createApp(of.node.context);
  return withCors((request) => app.handle(request), of.node.context)(new Request(`http://localhost${path}`, init));
}

/** The CORS headers of an answer, by what follows `access-control-`. */
function corsOf({ headers }: Response): Readonly<Record<string, string>> {
  const own = [...headers].filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(own.map(([name, value]) => [name.slice('access-control-'.length), value]));
}

describe('a page of a configured origin', () => {
  test('gets the answer to its preflight request without a key', async () => {
    const answer = await send(BOOK, { method: 'OPTIONS', headers: { origin: APP, ...PREFLIGHT } });
    const cors = corsOf(answer);
    expect([answer.status, cors['allow-origin'], cors['allow-methods'], cors['max-age']]).toEqual([
      200,
      APP,
      'GET, POST, PUT, PATCH, DELETE',
      '7200',
    ]);
    expect(await answer.json()).toMatchObject({ success: true });
    const allowed = cors['allow-headers']?.toLowerCase().split(', ') ?? [];
    for (const name of ['x-api-key', 'content-type', 'idempotency-key', 'if-match', 'x-position', 'authorization'])
      expect(allowed).toContain(name);
    expect(cors).not.toContainKey('allow-credentials');
  });

  test('may read the answer and its headers', async () => {
    const answer = await send(BOOK, {
      method: 'POST',
      body: JSON.stringify(A_WISH),
      headers: { origin: APP, ...service.key, 'content-type': 'application/json' },
    });
    expect([answer.status, corsOf(answer)['allow-origin']]).toEqual([200, APP]);
    const exposed = corsOf(answer)['expose-headers']?.split(', ') ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining([
        'X-Request-Id',
        'X-Position',
        'ETag',
        'RateLimit',
        'RateLimit-Policy',
        'Idempotent-Replayed',
        'Retry-After',
      ]),
    );
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  test.each([
    ['a refusal', BOOK, { method: 'POST' }, 401],
    ['an unknown path', '/api/nothing', {}, 404],
    ['the API reference', '/openapi.json', {}, 200],
  ])('may read %s', async (_what, path, init, status) => {
    const answer = await send(path, { ...init, headers: { origin: 'http://localhost:5173' } });
    expect([answer.status, corsOf(answer)['allow-origin']]).toEqual([status, 'http://localhost:5173']);
  });

  test('may call the tool server', async () => {
    const call = (origin: string) =>
      send('/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        headers: { origin, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      });
    expect([(await call(APP)).status, (await call('https://other.example')).status]).toEqual([200, 403]);
  });
});

test.each(['https://other.example', 'https://app.example.evil.example', 'null', ''])(
  'a page of another origin is not allowed: %s',
  async (origin) => {
    const preflight = await send(BOOK, { method: 'OPTIONS', headers: { origin, ...PREFLIGHT } });
    expect([preflight.status, corsOf(preflight)]).toEqual([405, {}]);
    const answer = await send('/livez', { headers: { origin } });
    expect([answer.status, corsOf(answer), answer.headers.get('vary')]).toEqual([200, {}, 'Origin']);
  },
);

test('without configured origins, no answer has a header of CORS', async () => {
  await using plain = await openService();
  const answer = await send('/livez', { headers: { origin: APP } }, plain);
  expect([answer.status, corsOf(answer), answer.headers.get('vary')]).toEqual([200, {}, null]);
  const preflight = await send(BOOK, { method: 'OPTIONS', headers: { origin: APP, ...PREFLIGHT } }, plain);
  expect([preflight.status, corsOf(preflight)]).toEqual([405, {}]);
});
