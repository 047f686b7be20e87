import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connectTo } from '../../support/mcp.ts';
import { A_WISH, type Credentials, openService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

describe('POST /mcp', () => {
  const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

  const ping = (headers: Credentials, body: unknown = PING) =>
    service.send('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });

  test('answers one message with one JSON text and the request id', async () => {
    const response = await ping({ 'x-request-id': 'trace-1' });
    expect(response.headers.get('x-request-id')).toBe('trace-1');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: {} },
    });
  });

  test('passes its request id on to the stored events', async () => {
    const body = {
      ...PING,
      method: 'tools/call',
      params: { name: 'book', arguments: { ...A_WISH, user_name: 'Trace' } },
    };
    expect((await ping({ ...service.key, 'x-request-id': 'trace-2' }, body)).status).toBe(200);
    const traced = (await service.events()).filter(({ cause }) => cause.correlationId === 'trace-2');
    expect(traced.map(({ type }) => type.split('.')[0])).toContain('BookingConfirmed');
  });

  test.each(['GET', 'DELETE', 'PUT'])('by %s is refused: there are no streams and no sessions', async (method) => {
    const answer = await service.send('/mcp', { method });
    expect({ status: answer.status, allow: answer.headers.get('allow'), body: await answer.json() }).toMatchObject({
      status: 405,
      allow: 'POST',
      body: { success: false, code: 'METHOD_NOT_ALLOWED' },
    });
  });

  test('refuses a body that is too large, malformed, or of another type, as every endpoint does', async () => {
    const sent = [
      { body: `"${'x'.repeat(70_000)}"`, headers: HEADERS },
      { body: '{', headers: HEADERS },
      { body: '{}', headers: { ...HEADERS, 'content-type': 'text/plain' } },
    ];
    const answers = await Promise.all(sent.map((init) => service.send('/mcp', { method: 'POST', ...init })));
    expect(answers.map(({ status }) => status)).toEqual([413, 400, 415]);
  });

  test('answers an invalid message with a protocol error', async () => {
    const answer = await ping({}, { hello: 'world' });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id: null, error: { code: -32700 } },
    });
  });

  test('accepts a notification without an answer, and refuses callers that do not accept both types', async () => {
    const accepted = await ping({}, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    const deaf = await ping({ accept: 'application/json' });
    expect({ status: deaf.status, body: await deaf.json() }).toMatchObject({
      status: 406,
      body: { jsonrpc: '2.0', id: null, error: { code: -32000 } },
    });
    const old = await ping({ 'mcp-protocol-version': '1999-01-01' });
    expect({ status: old.status, body: await old.json() }).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id: null, error: { code: -32000 } },
    });
  });

  test.each([
    [{ host: 'localhost:3000' }, 200],
    [{ host: '127.0.0.1:3000' }, 200],
    [{ host: '[::1]:3000' }, 200],
    [{ host: '192.168.7.5' }, 200],
    [{ host: 'rebound.example:3000' }, 403],
    [{ host: '127.0.0.1.rebound.example' }, 403],
    [{ host: 'localhost:3000', origin: 'http://localhost:3000' }, 200],
    [{ host: 'localhost:3000', origin: 'http://localhost:5173' }, 403],
    [{ host: 'localhost:3000', origin: 'https://page.example' }, 403],
    [{ host: 'rebound.example:3000', origin: 'http://rebound.example:3000' }, 403],
    [{ host: 'localhost:3000', origin: 'null' }, 403],
  ])('given the headers %j, answers %d (protection against DNS rebinding)', async (headers, status) => {
    const answer = await ping({ ...headers });
    expect(answer.status).toBe(status);
    if (status === 403) expect(await answer.json()).toMatchObject({ success: false, code: 'FORBIDDEN' });
  });

  test('accepts the host of PUBLIC_URL', async () => {
    await using named = await openService({ settings: { PUBLIC_URL: 'https://api.waymark.example/base' } });
    const answer = async (headers: Credentials) => {
      const init = { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(PING) };
      return (await named.send('/mcp', init)).status;
    };
    expect([
      await answer({ host: 'api.waymark.example' }),
      await answer({ host: 'api.waymark.example', origin: 'https://api.waymark.example' }),
      await answer({ host: '127.0.0.1:3000', origin: 'https://api.waymark.example' }),
      await answer({ host: 'api.waymark.example', origin: 'https://waymark.example' }),
      await answer({ host: 'other.waymark.example' }),
    ]).toEqual([200, 200, 200, 403, 403]);
    await using client = await connectTo(named, named.key);
    expect((await client.call('inventory', { city: 'Bangkok' })).failed).toBe(false);
  });
});
