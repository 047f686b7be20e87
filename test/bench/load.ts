import type { Socket } from 'bun';

export type Request = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Load = {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** The next request to send. Called once per request, so it should be cheap. */
  readonly next: () => Request;
};

export type Measured = {
  readonly requests: number;
  readonly perSecond: number;
  /** Of all answers, in ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status other than 200. */
  readonly refused: Readonly<Record<string, number>>;
};

type Connection = { sentAt: number; rest: Buffer };

/**
 * Keeps persistent connections busy, each with one request at a time. Uses bare sockets, because an HTTP client would be
 * slower than the server and measure itself.
 */
export async function measure(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const refused: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + load.milliseconds;
  let open = 0;
  const done = Promise.withResolvers<void>();
  const send = (socket: Socket<Connection>): void => {
    if (performance.now() >= endsAt) {
      socket.end();
      return;
    }
    socket.data.sentAt = performance.now();
    socket.write(textOf(load.next(), load.port));
  };
  const connect = () =>
    Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: load.port,
      socket: {
        open(socket) {
          socket.data = { sentAt: 0, rest: Buffer.alloc(0) };
          send(socket);
        },
        data(socket, chunk) {
          const status = answered(socket.data, chunk);
          if (status === null) return;
          latencies.push(performance.now() - socket.data.sentAt);
          if (status !== '200') refused[status] = (refused[status] ?? 0) + 1;
          send(socket);
        },
        close() {
          if (--open === 0) done.resolve();
        },
      },
    });
  open = load.connections;
  await Promise.all(Array.from({ length: load.connections }, connect));
  await done.promise;
  const seconds = (Math.min(performance.now(), endsAt) - startedAt) / 1000;
  latencies.sort((left, right) => left - right);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    refused,
  };
}

function textOf({ method, path, headers, body }: Request, port: number): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return `${text}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The status of a complete answer; null if a part is missing. */
function answered(connection: Connection, chunk: Buffer): string | null {
  const bytes = connection.rest.length === 0 ? chunk : Buffer.concat([connection.rest, chunk]);
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd >= 0) {
    const head = bytes.subarray(0, headEnd).toString('latin1');
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length >= headEnd + 4 + length) {
      connection.rest = Buffer.alloc(0);
      return head.slice(9, 12);
    }
  }
  connection.rest = Buffer.from(bytes);
  return null;
}
