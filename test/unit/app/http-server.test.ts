import { afterEach, describe, expect, test } from 'bun:test';
import { type HttpServer, openHttpServer } from '../../../src/app/http-server.ts';
import { sendBytes } from '../../fuzz/connection.ts';

let server: HttpServer;
afterEach(() => server.close(0));

/** A server without TLS on the loopback interface, which answers with the peer's address. */
function open(production: boolean, ...trustedProxies: readonly string[]): void {
  const config = { host: '127.0.0.1', port: 0, tls: null, production, trustedProxies };
  server = openHttpServer(config, (request) => new Response(String(server.peer(request))));
}

const statusOf = async (path: string): Promise<number> => (await fetch(new URL(path, server.url))).status;

describe('in production, plain HTTP', () => {
  test('is refused, and the secret that came with it is called known', async () => {
    open(true, '10.0.0.0/8');
    const response = await fetch(new URL('/api/health', server.url), { headers: { 'x-request-id': 'r-1' } });
    expect([response.status, response.headers.get('x-request-id')]).toEqual([403, 'r-1']);
    expect(await response.json()).toEqual({
      success: false,
      error: 'This service answers over HTTPS only; send the request to its https:// address.',
      code: 'HTTPS_REQUIRED',
      details: 'A key or token that was sent over plain HTTP may be known to others: replace it.',
      retryable: false,
      resolution: 'fix_request',
    });
    expect(await statusOf('/api/vouchers/WM-0')).toBe(403);
    expect(await statusOf('/livez/x')).toBe(403);
  });

  test('is refused whatever its headers say', async () => {
    open(true, '10.0.0.0/8');
    const headers = { 'x-forwarded-for': '10.0.0.1', 'x-forwarded-proto': 'https', forwarded: 'proto=https' };
    expect((await fetch(new URL('/api/health', server.url), { headers })).status).toBe(403);
  });

  test('is answered from a proxy that ends TLS in front, also without a Host header', async () => {
    open(true, '10.0.0.0/8', '127.0.0.1');
    expect(await statusOf('/api/health')).toBe(200);
    const answer = await sendBytes(server.url, Buffer.from('GET /api/health HTTP/1.0\r\n\r\n'));
    expect(answer?.split('\r\n\r\n')).toEqual([expect.stringMatching(/^HTTP\/1\.[01] 200 /), '127.0.0.1']);
  });

  test('is answered to probes, which carry no secret', async () => {
    open(true, '10.0.0.0/8');
    expect([await statusOf('/livez'), await statusOf('/readyz?probe=1')]).toEqual([200, 200]);
  });
});

test('outside production, plain HTTP is answered', async () => {
  open(false);
  expect(await statusOf('/api/health')).toBe(200);
});
