import type { Socket } from 'bun';
import { pause } from '../chaos/kill/real-time.ts';

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
          const status = statusIn(socket.data, chunk);
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
  const { count, p50, p99 } = quantilesOf(latencies);
  return { requests: count, perSecond: count / seconds, p50Ms: p50, p99Ms: p99, refused };
}

/** Requests at a rate that does not depend on their answers. */
export type Pace = Pick<Load, 'port' | 'next'> & {
  readonly perSecond: number;
  /** How many are sent. */
  readonly requests: number;
  readonly signal: AbortSignal;
  /** Called with each answer and its text. A later request does not wait for it, the end does. */
  readonly answered?: (answer: Response, text: string) => Promise<void>;
};

/** Resolves when every request is answered. @throws if one is refused */
export async function pace({ port, next, perSecond, requests, signal, answered }: Pace): Promise<void> {
  const faults: unknown[] = [];
  const send = async ({ method, path, headers, body }: Request): Promise<void> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body, signal });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`refused ${answer.status} ${text}`);
      await answered?.(answer, text);
    } catch (fault) {
      faults.push(fault);
    }
  };
  const answers: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 1; sent <= requests && faults.length === 0; sent++) {
    answers.push(send(next()));
    const aheadMs = startedMs + (sent * 1_000) / perSecond - performance.now();
    if (aheadMs > 0) await pause(aheadMs);
  }
  await Promise.all(answers);
  if (faults.length > 0) throw faults[0];
}

export type Quantiles = { readonly count: number; readonly p50: number; readonly p99: number };

export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}

function textOf({ method, path, headers, body }: Request, port: number): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return `${text}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The status of a complete answer; null if a part is missing. */
function statusIn(connection: Connection, chunk: Buffer): string | null {
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
