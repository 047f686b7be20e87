import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openSender, type SenderPolicy } from '../../src/adapters/http/sender.ts';
import type { Exchange, Sender } from '../../src/ports/sender.ts';
import { destinations } from '../../src/webhooks/destination.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';

// Forbidden destinations, with real sockets behind the names. All addresses of one machine are private: where a test
// needs a public one, 127.0.0.1 plays the public and 127.0.0.2 the private one.

const FORBIDDEN = { error: 'the name leads to an address that is not public' };
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';

const opened: Sender[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sender) => sender.close()));
});

/** A sender whose look-ups, of any name, return these addresses in turn. */
function senderWith(policy: SenderPolicy, ...lookUps: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const sender = openSender({
    ...policy,
    resolve(name) {
      const addresses = lookUps[Math.min(asked.push(name), lookUps.length) - 1] ?? [];
      return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    },
  });
  opened.push(sender);
  return { sender, asked };
}

const production = destinations(true);
const development = destinations(false);
const played: SenderPolicy = { faultOf: () => null, permits: (address) => address === PUBLIC };

async function post(sender: Sender, url: string): Promise<object> {
  const exchange: Exchange = await sender.post({ url, headers: {}, body: '{}', timeoutMs: 30_000 });
  return exchange.kind === 'answered' ? { status: exchange.status } : { error: exchange.error };
}

/** The receiver's port under a name. */
const named = ({ url }: Receiver, host = 'agent.example', scheme = 'http') =>
  `${scheme}://${host}:${new URL(url).port}/in`;

describe('in production nothing is sent', () => {
  const addresses = `
    127.0.0.1 127.255.255.254 0.0.0.0 10.0.0.8 100.64.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.2.1
    192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255
    ::1 :: ::ffff:127.0.0.1 ::ffff:10.0.0.8 ::ffff:169.254.169.254 fc00::1 fd00:ec2::254 fe80::1 ff02::1
    64:ff9b::127.0.0.1 64:ff9b::10.0.0.8 2002:7f00:1:: 2002:a00:8:: 2001:db8::1
  `;
  test.each(addresses.trim().split(/\s+/))('to a name that resolves to %s', async (address) => {
    await using everywhere = await openCounter();
    const { sender, asked } = senderWith(production, [address]);
    expect(await post(sender, `https://agent.example:${everywhere.port}/`)).toEqual(FORBIDDEN);
    expect([asked, everywhere.connections]).toEqual([['agent.example'], 0]);
  });

  test.each(['127.0.0.1', '127.255.255.254', '0.0.0.0', '::ffff:127.0.0.1'])(
    'although a server listens at %s, which another policy reaches',
    async (address) => {
      await using everywhere = await openCounter();
      const { sender } = senderWith({ faultOf: () => null, permits: () => true }, [address]);
      await post(sender, `http://agent.example:${everywhere.port}/`);
      expect(everywhere.connections).toBe(1);
    },
  );

  test('without TLS, or to this machine under any name', async () => {
    await using receiver = openReceiver();
    const { sender, asked } = senderWith(production, ['127.0.0.1']);
    const plain = { error: 'the URL does not begin with https://' };
    const literal = { error: 'the URL leads to an address that is not public' };
    expect(await post(sender, named(receiver))).toEqual(plain);
    expect(await post(sender, named(receiver, 'agent.example', 'HTTP'))).toEqual(plain);
    expect(await post(sender, named(receiver, '127.0.0.1', 'https'))).toEqual(literal);
    expect(await post(sender, named(receiver, '[::ffff:7f00:1]', 'HTTPS'))).toEqual(literal);
    expect(await post(sender, named(receiver, 'localhost', 'https'))).toEqual({
      error: 'the URL leads to the service itself',
    });
    expect(asked).toEqual([]);
    expect(await post(sender, named(receiver, 'agent.example', 'https'))).toEqual(FORBIDDEN);
    expect(receiver.received).toEqual([]);
  });

  test('with a user name or password in the URL', async () => {
    const { sender, asked } = senderWith(production, ['8.8.8.8']);
    for (const url of ['https://user@agent.example/', 'https://:secret@agent.example/'])
      expect(await post(sender, url)).toEqual({ error: 'the URL contains a user name or password' });
    expect(asked).toEqual([]);
  });
});

test.each(['10.0.0.8', '169.254.169.254', '192.168.1.1', '::ffff:10.0.0.8', 'fd00:ec2::254', 'fe80::1', '0.0.0.0'])(
  'outside production a name that resolves to %s is refused too',
  async (address) => {
    const { sender, asked } = senderWith(development, [address]);
    expect(await post(sender, 'http://agent.example/')).toEqual(FORBIDDEN);
    expect(asked).toEqual(['agent.example']);
  },
);

test('a URL with a private address is refused without a look-up', async () => {
  const { sender, asked } = senderWith(development, ['127.0.0.1']);
  for (const host of ['10.0.0.8', '[::ffff:10.0.0.8]', '0x0a.0.0.8', '167772168', '012.0.0.8', '10.8', '10.0.0.8.'])
    expect(await post(sender, `http://${host}/`)).toEqual({ error: 'the URL leads to an address that is not public' });
  expect(asked).toEqual([]);
});

describe('a name', () => {
  test('that resolves differently after the check is reached at the checked address', async () => {
    await using pair = await openPair();
    const { sender, asked } = senderWith(played, [PUBLIC], [PRIVATE]);
    expect(await post(sender, pair.url)).toEqual({ status: 200 });
    expect([asked.length, pair.arrivedAt]).toEqual([1, [PUBLIC]]);
  });

  test('is checked again for the next connection, and refused if it then resolves to a private address', async () => {
    await using pair = await openPair();
    const { sender } = senderWith(played, [PUBLIC], [PRIVATE]);
    expect([await post(sender, pair.url), await post(sender, pair.url)]).toEqual([{ status: 200 }, FORBIDDEN]);
    expect(pair.arrivedAt).toEqual([PUBLIC]);
  });

  test.each([
    [PRIVATE, PUBLIC],
    [PUBLIC, PRIVATE],
  ])('that resolves to %s and %s is reached at the public one', async (first, second) => {
    await using pair = await openPair();
    const { sender } = senderWith(played, [first, second]);
    expect(await post(sender, pair.url)).toEqual({ status: 200 });
    expect(pair.arrivedAt).toEqual([PUBLIC]);
  });

  test('whose public address does not answer is not tried at its private one', async () => {
    await using pair = await openPair();
    await pair.close(PUBLIC);
    const { sender } = senderWith(played, [PUBLIC, PRIVATE]);
    expect(await post(sender, pair.url)).toEqual({ error: 'the connection was refused' });
    expect(pair.arrivedAt).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('that redirects (%d) to a private address is not followed', async (status) => {
    await using pair = await openPair((url) => ({ status, location: url.replace('agent.example', PRIVATE) }));
    const { sender, asked } = senderWith(played, [PUBLIC]);
    expect(await post(sender, pair.url)).toEqual({ status });
    expect([asked, pair.arrivedAt]).toEqual([['agent.example'], [PUBLIC]]);
  });
});

describe('over TLS', () => {
  const SENDS = join(import.meta.dir, 'sender', 'over-tls.ts');
  const AUTHORITY = join(import.meta.dir, 'sender', 'certificates', 'authority.pem');

  const run = async (env: Record<string, string>): Promise<object> => {
    const child = Bun.spawn([process.execPath, SENDS], { env, stderr: 'ignore' });
    return JSON.parse(await new Response(child.stdout).text());
  };
  const refused = (code: string) => ({ error: `the certificate was not accepted (${code})` });
  const WHATEVER_THE_AUTHORITY = [
    { certificate: 'expired.pem', host: 'a.example', ...refused('CERT_HAS_EXPIRED') },
    { certificate: 'not-yet-valid.pem', host: 'a.example', ...refused('CERT_NOT_YET_VALID') },
    { certificate: 'self-signed.pem', host: 'a.example', ...refused('DEPTH_ZERO_SELF_SIGNED_CERT') },
  ];

  test('a trusted certificate counts for its name and time only, also on a kept connection; proxies are ignored', async () => {
    const proxy = 'http://127.0.0.1:9';
    const proxies = { HTTPS_PROXY: proxy, https_proxy: proxy, ALL_PROXY: proxy };
    expect(await run({ NODE_EXTRA_CA_CERTS: AUTHORITY, ...proxies })).toEqual({
      arrived: 2,
      results: [
        { certificate: 'a.example.pem', host: 'a.example', status: 200 },
        { certificate: 'a.example.pem', host: 'a.example', status: 200 },
        { certificate: 'a.example.pem', host: 'b.example', ...refused('ERR_TLS_CERT_ALTNAME_INVALID') },
        { certificate: 'a.example.pem', host: '127.0.0.1', ...refused('ERR_TLS_CERT_ALTNAME_INVALID') },
        ...WHATEVER_THE_AUTHORITY,
      ],
    });
  });

  test('an untrusted certificate is refused, whatever the environment', async () => {
    const hosts = ['a.example', 'a.example', 'b.example', '127.0.0.1'];
    expect(await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual({
      arrived: 0,
      results: [
        ...hosts.map((host) => ({
          certificate: 'a.example.pem',
          host,
          ...refused('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
        })),
        ...WHATEVER_THE_AUTHORITY,
      ],
    });
  });
});

/** Counts and closes connections to every IPv4 address of this machine. */
async function openCounter() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

type Redirect = { readonly status: number; readonly location: string };

/** Servers on one port at both addresses. Each request ends its connection, so that the next one looks the name up. */
async function openPair(redirect?: (url: string) => Redirect) {
  const arrivedAt: string[] = [];
  const listen = (hostname: string, port: number) =>
    Bun.serve({
      port,
      hostname,
      fetch(request): Response {
        arrivedAt.push(hostname);
        const { status, location } = redirect?.(request.url) ?? { status: 200, location: '' };
        return new Response(null, { status, headers: { connection: 'close', ...(location !== '' && { location }) } });
      },
    });
  const outside = listen(PUBLIC, 0);
  const inside = listen(PRIVATE, outside.port ?? 0);
  return {
    url: `http://agent.example:${outside.port}/in`,
    arrivedAt,
    close: (address: string) => (address === PUBLIC ? outside : inside).stop(true),
    async [Symbol.asyncDispose]() {
      await Promise.all([outside.stop(true), inside.stop(true)]);
    },
  };
}
