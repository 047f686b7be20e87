import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { withHostHeader } from '../../../src/http/host-header.ts';
import { sendBytes } from '../../fuzz/connection.ts';
import { seededIds } from '../../support/ids.ts';

let server: Bun.Server<undefined>;
beforeAll(() => {
  const handler = withHostHeader(
    async (request) => new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`),
    { ids: seededIds(), received: new WeakMap() },
  );
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler });
});
afterAll(() => server.stop(true));

/** The status and the body of the answer to a request of these lines. */
async function answerTo(...lines: readonly string[]): Promise<readonly [status: number, body: string]> {
  const received = (await sendBytes(server.url.href, Buffer.from(lines.join('\r\n'), 'latin1'))) ?? '';
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return [Number(head.split(' ')[1]), body];
}

describe('a request over a socket', () => {
  test.each(['localhost', 'a', 'waymark.example:8080', '[::1]:3000'])('for %s is answered', async (host) => {
    expect(await answerTo('GET /livez HTTP/1.1', `Host: ${host}`, '', '')).toEqual([200, 'GET /livez ']);
  });

  test('of HTTP/1.0, or for no host, is taken to be for this one', async () => {
    expect(await answerTo('GET /livez HTTP/1.0', '', '')).toEqual([200, 'GET /livez ']);
    expect(await answerTo('GET /livez HTTP/1.1', 'Host:', '', '')).toEqual([200, 'GET /livez ']);
    const body = await answerTo('POST /mcp HTTP/1.0', 'Content-Length: 2', '', '{}');
    expect(body).toEqual([200, 'POST /mcp {}']);
  });

  test.each([
    ['two hosts', ['Host: a.example', 'Host: b.example'], 'a.example, b.example'],
    ['one host twice', ['Host: a.example', 'host: a.example'], 'a.example, a.example'],
    ['no host and a host', ['Host:', 'Host: b.example'], ', b.example'],
    ['two hosts in one header', ['Host: a.example, b.example'], 'a.example, b.example'],
  ])('for %s is refused: a proxy in front may have read the other one', async (_name, hosts, joined) => {
    const [status, body] = await answerTo('GET /livez HTTP/1.1', ...hosts, '', '');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: `The header Host is "${joined}", which is more than one host; send the name of this service once.`,
      code: 'INVALID_REQUEST',
      details: '',
      retryable: false,
      resolution: 'fix_request',
    });
  });

  test.each(['a:99999', '[::1', 'a b', 'a/b?c#d', 'a@b:c'])('for what is no host is refused: %s', async (host) => {
    const [status, body] = await answerTo('GET /livez HTTP/1.1', `Host: ${host}`, '', '');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: `The header Host is "${host}", which is no host; send the name of this service once.`,
      code: 'INVALID_REQUEST',
      details: '',
      retryable: false,
      resolution: 'fix_request',
    });
  });
});
