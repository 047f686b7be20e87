import { connect, type Socket } from 'node:net';
import type { Seen } from '../support/reference.ts';

/** Twice the service's own deadline. */
const TIMEOUT_MS = 20_000;
const NO_BYTES = Buffer.alloc(0);

/** An answer, or why there is none. */
export type Outcome =
  | { readonly kind: 'answer'; readonly seen: Seen; readonly bytes: number }
  /** The service closed the connection without an answer. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'timeout' }
  /** The received bytes are not HTTP. */
  | { readonly kind: 'invalid'; readonly text: string };

/**
 * A persistent connection that sends requests as raw bytes, without a client that corrects them. One request at a time.
 * Reconnects if the service has closed the connection.
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
   * Sends the request again over a new connection if the service closed the reused one at that moment (RFC 9112, 9.3.1).
   * @param bodiless true if the answer has no body, whatever its headers say: to HEAD
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
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const destroy = (): void => void this.#socket?.destroy();
    deadline.addEventListener('abort', destroy);
    try {
      for (;;) {
        const read = readAnswer(this.#received, bodiless, !this.#open);
        if (read.kind === 'answer' && read.ended) this[Symbol.dispose]();
        if (read.kind !== 'unfinished') return read;
        if (!this.#open) return { kind: deadline.aborted ? 'timeout' : 'closed' };
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      deadline.removeEventListener('abort', destroy);
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
    // A reset counts as closed.
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

/** Sends bytes, ends the sending side, and returns everything received until the connection closes; null on timeout. */
export function sendBytes(url: string, bytes: Uint8Array): Promise<string | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes));
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    deadline.addEventListener('abort', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => void received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(deadline.aborted ? null : Buffer.concat(received).toString('latin1')));
  });
}

type Read = Exclude<Outcome, { kind: 'answer' }> | Answered | { readonly kind: 'unfinished' };
type Answered = Extract<Outcome, { kind: 'answer' }> & {
  /** True if the answer closes the connection. */
  readonly ended: boolean;
};

/** Parses the first answer. Skips 1xx answers, as to `Expect: 100-continue`. */
function readAnswer(received: Buffer, bodiless: boolean, closed: boolean): Read {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return { kind: 'unfinished' };
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN);
  const headers = headersOf(lines);
  if (Number.isNaN(status) || headers === null) return { kind: 'invalid', text: received.toString('latin1', 0, 200) };
  const rest = received.subarray(end + 4);
  if (status < 200) return readAnswer(rest, bodiless, closed);
  const streams = headers.get('content-type') === 'text/event-stream';
  const bodyless = bodiless || status === 204 || status === 304;
  const body = bodyless ? withoutBody(rest) : streams ? firstEventOf(rest) : bodyOf(rest, headers, closed);
  if (body === 'invalid') return { kind: 'invalid', text: received.toString('latin1', 0, 200) };
  if (body === null) return { kind: 'unfinished' };
  if (body.rest.length > 0)
    return { kind: 'invalid', text: `bytes after an answer: ${body.rest.toString('latin1', 0, 200)}` };
  const ended = streams || /close/i.test(headers.get('connection') ?? '');
  return { kind: 'answer', seen: { status, headers, text: textOf(body.body, headers) }, bytes: received.length, ended };
}

type Body = { readonly body: Buffer; readonly rest: Buffer };

function withoutBody(rest: Buffer): Body {
  return { body: NO_BYTES, rest };
}

/** Of an answer that goes on until its reader leaves; null if no event has ended. */
function firstEventOf(rest: Buffer): Body | null {
  const end = rest.indexOf('\n\n');
  return end < 0 ? null : { body: rest.subarray(0, end + 2), rest: NO_BYTES };
}

/** Null if bytes are missing. */
function bodyOf(rest: Buffer, headers: Headers, closed: boolean): Body | 'invalid' | null {
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) return chunksOf(rest);
  const length = headers.get('content-length');
  if (length === null) return closed ? { body: rest, rest: NO_BYTES } : null;
  const bytes = Number(length);
  return rest.length < bytes ? null : { body: rest.subarray(0, bytes), rest: rest.subarray(bytes) };
}

function chunksOf(bytes: Buffer): Body | 'invalid' | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (Number.isNaN(size)) return 'invalid';
    at = line + 2;
    if (bytes.length < at + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(at + 2) };
    chunks.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
}

/** Null if a line is not a header. */
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
