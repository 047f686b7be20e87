import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { openHttpServer } from '../../src/app/http-server.ts';
import { residentMb } from '../bench/large-catalogue.ts';
import { startService } from '../support/process.ts';
import { withKey } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const CONNECTIONS = 1_000;
/** The runtime looks for idle connections every 4 s. */
const CLOSED_WITHIN_MS = 30_000;
const ANSWERED_WITHIN_MS = 2_000;
/** 100 KB per connection. */
const MOST_MB = 100;
const TIMEOUT_MS = 90_000;

/** What a connection sends before it stops: nothing, a part of a head, or a head that never ends. */
const STOPPED = ['', 'GET /livez HTT', 'GET /livez HTTP/1.1\r\nHost: a\r\nX-A: '];

type Open = { readonly socket: Socket; readonly closed: Promise<void> };

async function open(url: string, bytes: string): Promise<Open> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytes);
  // An answer is read, so that the end of the connection is seen.
  socket.resume();
  return { socket, closed };
}

/** The number of connections that the service has not closed in time. */
async function leftOpen(connections: readonly Open[]): Promise<number> {
  const deadline = AbortSignal.timeout(CLOSED_WITHIN_MS);
  const late = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()));
  await Promise.all(connections.map(({ closed }) => Promise.race([closed, late])));
  const left = connections.filter(({ socket }) => !socket.destroyed);
  for (const { socket } of left) socket.destroy();
  return left.length;
}

test(
  `a process answers others while ${CONNECTIONS} connections stand idle, in bounded memory, and closes them`,
  async () => {
    using directory = temporaryDirectory();
    await using service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
    const { pid } = service.program;
    const before = residentMb(pid);
    const idle = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, at) => open(service.url, STOPPED[at % STOPPED.length] ?? '')),
    );
    expect(idle.filter(({ socket }) => !socket.destroyed)).toHaveLength(CONNECTIONS);
    const took: number[] = [];
    for (const path of ['/livez', '/api/b2a/inventory?city=Bangkok&date=tomorrow', '/api/health']) {
      const begunMs = performance.now();
      const { status } = await fetch(`${service.url}${path}`, { headers: withKey(service.apiKey) });
      expect([path, status]).toEqual([path, 200]);
      took.push(performance.now() - begunMs);
    }
    expect(Math.max(...took)).toBeLessThan(ANSWERED_WITHIN_MS);
    const after = residentMb(pid);
    process.stdout.write(`${CONNECTIONS} idle connections: from ${before} to ${after} MB\n`);
    expect(after - before).toBeLessThan(MOST_MB);
    expect(await leftOpen(idle)).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'a connection that was answered is closed after its idle time',
  async () => {
    const server = openHttpServer(
      { host: '127.0.0.1', port: 0, tls: null, production: false, trustedProxies: [] },
      () => new Response('ok'),
      1,
    );
    try {
      const answered = await Promise.all(
        Array.from({ length: 100 }, () => open(server.url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')),
      );
      expect(await leftOpen(answered)).toBe(0);
    } finally {
      await server.close(0);
    }
  },
  TIMEOUT_MS,
);
