import { connect, type Socket } from 'node:net';
import type { Seen } from '../support/reference.ts';

/** Far longer than any answer takes: the service's own deadline is half of it. */
const SILENCE_MS = 20_000;
const NO_BYTES = Buffer.alloc(0);

/** What came back: an answer, or why there is none. */
export type Outcome =
  | { readonly kind: 'answer'; readonly seen: Seen; readonly bytes: number }
  /** The other end closed the connection instead. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'silence' }
  /** What came is no HTTP. */
  | { readonly kind: 'garbage'; readonly text: string };

/**
 * A connection on which requests are sent as the bytes that they are: no client in between puts anything in order. One
 * request at a time; opened again by itself where the service has closed it.
 */
export class Connection implements Disposable {
  readonly #port: number;
  readonly #hostname: string;
  #socket: Socket | null = null;
  #received: Buffer = NO_BYTES;
  #wake: () => void = () => undefined;
  #open = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#hostname = hostname;
    this.#port = Number(port);
  }

  /**
   * A connection that was kept open may be closed by its other end just as it is used again: then the request is sent once
   * more, over a fresh one (RFC 9112, 9.3.1).
   * @param bodiless true where an answer has no body, whatever its headers say: to HEAD
   */
  async send(request: Uint8Array, bodiless: boolean): Promise<Outcome> {
    const kept = this.#open;
    if (!kept) await this.#connect();
    const outcome = await this.#exchange(request, bodiless);
    if (outcome.kind !== 'closed' || !kept) return outcome;
    await this.#connect();
    return this.#exchange(request, bodiless);
  }

  async #exchange(request: Uint8Array, bodiless: boolean): Promise<Outcome> {
    this.#received = NO_BYTES;
    this.#socket?.write(request);
    const deadline = AbortSignal.timeout(SILENCE_MS);
    const giveUp = (): void => void this.#socket?.destroy();
    deadline.addEventListener('abort', giveUp);
    try {
      for (;;) {
        const read = readAnswer(this.#received, bodiless, !this.#open);
        if (read.kind === 'answer' && read.ended) this[Symbol.dispose]();
        if (read.kind !== 'unfinished') return read;
        if (!this.#open) return { kind: deadline.aborted ? 'silence' : 'closed' };
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      deadline.removeEventListener('abort', giveUp);
    }
  }

  [Symbol.dispose](): void {
    this.#open = false;
    this.#socket?.destroy();
  }

  async #connect(): Promise<void> {
    const socket = connect({ host: this.#hostname, port: this.#port });
    socket.on('data', (bytes: Buffer) => {
      if (socket !== this.#socket) return;
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    // A connection that the other end resets is one that it has closed.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (socket !== this.#socket) return;
      this.#open = false;
      this.#wake();
    });
    this.#socket = socket;
    this.#open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
  }
}

/** Sends bytes and nothing behind them, and resolves with all that comes until the other end closes; null: it never does. */
export function sendBytes(url: string, bytes: Uint8Array): Promise<string | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes));
    const deadline = AbortSignal.timeout(SILENCE_MS);
    deadline.addEventListener('abort', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => void received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(deadline.aborted ? null : Buffer.concat(received).toString('latin1')));
  });
}

type Read = Exclude<Outcome, { kind: 'answer' }> | Answered | { readonly kind: 'unfinished' };
type Answered = Extract<Outcome, { kind: 'answer' }> & {
  /** Whether nothing more can come on this connection. */
  readonly ended: boolean;
};

/** The first answer of what was received. Answers to `Expect: 100-continue` are passed over. */
function readAnswer(received: Buffer, bodiless: boolean, closed: boolean): Read {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return { kind: 'unfinished' };
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN);
  const headers = headersOf(lines);
  if (Number.isNaN(status) || headers === null) return { kind: 'garbage', text: received.toString('latin1', 0, 200) };
  const rest = received.subarray(end + 4);
  if (status < 200) return readAnswer(rest, bodiless, closed);
  const body = bodiless || status === 204 || status === 304 ? withoutBody(rest) : bodyOf(rest, headers, closed);
  if (body === 'garbage') return { kind: 'garbage', text: received.toString('latin1', 0, 200) };
  if (body === null) return { kind: 'unfinished' };
  if (body.rest.length > 0)
    return { kind: 'garbage', text: `behind an answer: ${body.rest.toString('latin1', 0, 200)}` };
  const ended = /close/i.test(headers.get('connection') ?? '');
  return { kind: 'answer', seen: { status, headers, text: textOf(body.body, headers) }, bytes: received.length, ended };
}

type Body = { readonly body: Buffer; readonly rest: Buffer };

function withoutBody(rest: Buffer): Body {
  return { body: NO_BYTES, rest };
}

/** Null where there is more to come. */
function bodyOf(rest: Buffer, headers: Headers, closed: boolean): Body | 'garbage' | null {
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) return chunksOf(rest);
  const length = headers.get('content-length');
  if (length === null) return closed ? { body: rest, rest: NO_BYTES } : null;
  const bytes = Number(length);
  return rest.length < bytes ? null : { body: rest.subarray(0, bytes), rest: rest.subarray(bytes) };
}

function chunksOf(bytes: Buffer): Body | 'garbage' | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (Number.isNaN(size)) return 'garbage';
    at = line + 2;
    if (bytes.length < at + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(at + 2) };
    chunks.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
}

/** Null where a line is no header. */
function headersOf(lines: readonly string[]): Headers | null {
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) return null;
    headers.append(name, value);
  }
  return headers;
}

/** As UTF-8, unless it is an image. */
function textOf(body: Buffer, headers: Headers): string {
  const plain = headers.get('content-encoding') === 'gzip' ? Buffer.from(Bun.gunzipSync(new Uint8Array(body))) : body;
  return plain.toString(headers.get('content-type')?.startsWith('image/png') ? 'latin1' : 'utf8');
}
