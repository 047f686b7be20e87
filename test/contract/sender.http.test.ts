import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type Socket, type Server as TcpServer } from 'node:net';
import { type Address, openSender } from '../../src/adapters/http/sender.ts';
import { type Exchange, type Sender, SenderClosed } from '../../src/ports/sender.ts';
import { destinations } from '../../src/webhooks/destination.ts';
import { never, openReceiver, type Receiver } from '../support/receiver.ts';

const LONG_MS = 30_000;
/** Real time: the network has no clock that a test can move. */
const SHORT_MS = 60;

const opened: Sender[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sender) => sender.close()));
});

/** A sender whose look-ups, of any name, return these addresses in turn. */
function senderTo(...lookUps: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = (name: string): Promise<readonly Address[]> => {
    const addresses = lookUps[Math.min(asked.push(name), lookUps.length) - 1] ?? [];
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  const sender = openSender({ ...destinations(false), resolve });
  opened.push(sender);
  return { sender, asked };
}

function post(sender: Sender, url: string, timeoutMs = LONG_MS): Promise<Exchange> {
  return sender.post({ url, headers: { 'content-type': 'application/json' }, body: '{"ü":1}', timeoutMs });
}

/** The outcome of an exchange, without its duration. */
function ended(exchange: Exchange): object {
  return exchange.kind === 'answered' ? { status: exchange.status } : { error: exchange.error };
}

/** The receiver's port under a name. */
const named = ({ url }: Receiver, host: string) => `http://${host}:${new URL(url).port}/in`;

describe('a request', () => {
  test('arrives unchanged, and its answer is returned with status, Retry-After and time', async () => {
    await using receiver = openReceiver();
    receiver.answer(() => new Response('later', { status: 503, headers: { 'Retry-After': '7' } }));
    const { sender } = senderTo(['127.0.0.1']);
    const exchange = await post(sender, named(receiver, 'agent.example'));
    expect(exchange).toEqual({
      kind: 'answered',
      status: 503,
      retryAfter: '7',
      timeMs: expect.any(Number),
    });
    expect(Number.isInteger(exchange.timeMs)).toBe(true);
    const [{ method, path, body, headers } = await receiver.arrived(1)] = receiver.received;
    expect([method, path, body]).toEqual(['POST', '/in', '{"ü":1}']);
    expect(headers.get('content-length')).toBe('8');
    expect(headers.get('host')).toBe(new URL(named(receiver, 'agent.example')).host);
  });

  // The policy parsed `HTTPS://…` as https, the sender did not: a URL that a key's owner had typed ended the process.
  test.each(['HTTP', ' http', 'ht\ntp'])(
    'to a URL that begins with %j goes where the policy parsed it',
    async (scheme) => {
      await using receiver = openReceiver();
      const { sender } = senderTo(['127.0.0.1']);
      const url = named(receiver, 'agent.example').replace('http', scheme);
      expect(ended(await post(sender, url))).toEqual({ status: 200 });
      const secure = await post(sender, url.replace(/p(?=:)/i, 'PS'));
      expect(ended(secure)).toEqual({ error: expect.stringMatching(/^the certificate was not accepted \(.*SSL.*\)$/) });
    },
  );

  test.each([301, 302, 303, 307, 308])('that is redirected (%d) goes nowhere else', async (status) => {
    await using receiver = openReceiver();
    receiver.answer(() => new Response(null, { status, headers: { location: `${receiver.url}/elsewhere` } }));
    const { sender } = senderTo(['127.0.0.1']);
    expect(ended(await post(sender, named(receiver, 'agent.example')))).toEqual({ status });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/in']);
  });

  test('without an answer in time has failed', async () => {
    await using receiver = openReceiver();
    receiver.answer(never);
    const { sender } = senderTo(['127.0.0.1']);
    const exchange = await post(sender, named(receiver, 'agent.example'), SHORT_MS);
    expect(ended(exchange)).toEqual({ error: `no answer within ${SHORT_MS / 1_000} s` });
  });

  test('whose name is not resolved in time has failed too', async () => {
    const resolve = () => Promise.withResolvers<readonly Address[]>().promise;
    const sender = openSender({ ...destinations(false), resolve });
    opened.push(sender);
    const exchange = await post(sender, 'http://agent.example/', SHORT_MS);
    expect(ended(exchange)).toEqual({ error: `no answer within ${SHORT_MS / 1_000} s` });
  });

  test('to a closed port is reported as refused', async () => {
    const receiver = openReceiver();
    await receiver[Symbol.asyncDispose]();
    const { sender } = senderTo(['127.0.0.1']);
    expect(ended(await post(sender, receiver.url))).toEqual({ error: 'the connection was refused' });
  });

  test('whose connection is closed is reported as that', async () => {
    await using server = await openTcp((socket) => socket.destroy());
    const { sender } = senderTo(['127.0.0.1']);
    const exchange = await post(sender, server.url);
    expect(ended(exchange)).toEqual({ error: 'the connection was closed before there was an answer' });
  });

  test('to an unknown name is reported as that', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const sender = openSender({ ...destinations(false), resolve });
    opened.push(sender);
    expect(ended(await post(sender, 'http://agent.example/'))).toEqual({ error: 'the name of the host is not known' });
  });
});

describe('an answer', () => {
  test('without end counts at its head, and its body is not read', async () => {
    await using receiver = openReceiver();
    const cut = Promise.withResolvers<void>();
    receiver.answer(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1_024)),
            cancel: () => cut.resolve(),
          }),
        ),
    );
    const { sender } = senderTo(['127.0.0.1']);
    expect(ended(await post(sender, named(receiver, 'agent.example')))).toEqual({ status: 200 });
    await cut.promise;
  });
});

describe('a connection', () => {
  test('is reused without another look-up', async () => {
    await using server = await openTcp((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    const { sender, asked } = senderTo(['127.0.0.1']);
    const url = `http://agent.example:${server.port}/`;
    expect(ended(await post(sender, url))).toEqual({ status: 200 });
    await idle();
    expect(ended(await post(sender, url))).toEqual({ status: 200 });
    expect([asked, server.connections]).toEqual([['agent.example'], 1]);
  });

  test('that the receiver closes while it is reused is replaced by a new one', async () => {
    let requests = 0;
    await using server = await openTcp((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 2) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const { sender } = senderTo(['127.0.0.1']);
    expect(ended(await post(sender, server.url))).toEqual({ status: 200 });
    await idle();
    expect(ended(await post(sender, server.url))).toEqual({ status: 200 });
    expect([requests, server.connections]).toEqual([3, 2]);
  });

  // The timeout of a request surfaces as a connection reset. On a reused connection the sender took it for a close by
  // the receiver: it repeated the attempt at once, and nothing waited for the answer.
  test('that was reused is not replaced after its request timed out', async () => {
    await using receiver = openReceiver();
    receiver.answer(({ path }) => (path === '/silent' ? never() : new Response('ok')));
    const { sender } = senderTo(['127.0.0.1']);
    await post(sender, `${receiver.url}/first`);
    await idle();
    const exchange = await post(sender, `${receiver.url}/silent`, SHORT_MS);
    expect(ended(exchange)).toEqual({ error: `no answer within ${SHORT_MS / 1_000} s` });
    await idle();
    await post(sender, `${receiver.url}/last`);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/first', '/silent', '/last']);
  });
});

describe('a closed sender', () => {
  test('sends no request', async () => {
    const { sender } = senderTo(['127.0.0.1']);
    await sender.close();
    const fault = await post(sender, 'http://agent.example/').catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(SenderClosed);
  });

  test('waits for requests in progress', async () => {
    await using receiver = openReceiver();
    const answer = Promise.withResolvers<Response>();
    receiver.answer(() => answer.promise);
    const { sender } = senderTo(['127.0.0.1']);
    const exchange = post(sender, named(receiver, 'agent.example'));
    await receiver.arrived(1);
    const closed = sender.close();
    answer.resolve(new Response('ok'));
    expect(ended(await exchange)).toEqual({ status: 200 });
    await closed;
  });
});

/** Resolves when an answer was read and its connection is idle. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

type Tcp = AsyncDisposable & { readonly url: string; readonly port: number; readonly connections: number };

/** A raw TCP server. */
async function openTcp(connected: Parameters<typeof createServer>[1] & {}): Promise<Tcp> {
  const sockets = new Set<Socket>();
  const server: TcpServer = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
