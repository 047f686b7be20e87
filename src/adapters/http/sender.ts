import { lookup } from 'node:dns/promises';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Exchange, type Outgoing, type Sender, SenderClosed } from '../../ports/sender.ts';

/** Maximum bytes of a response body that are read and discarded, so that the connection can be reused. */
const BODY_BYTES = 4_096;
/** Idle connections, and how long each stays open: shorter than the usual keep-alive of servers. */
const IDLE_CONNECTIONS = 256;
const IDLE_MS = 4_000;
/** How long `close` waits for running requests. */
const GRACE_MS = 1_000;

export type SenderPolicy = {
  /** Why a URL is forbidden; null if it is allowed. */
  readonly faultOf: (url: string) => string | null;
  /** Checks the address of each connection before it is made. */
  readonly permits: (address: string) => boolean;
  /** Resolves a host name; default: the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>;
};

export type Address = { readonly address: string; readonly family: number };

/**
 * Sends through `node:http(s)`, which ignores proxies in the environment, follows no redirects, verifies certificates,
 * and connects to exactly the resolved address. So the checked address is the one that is used, even if the name
 * resolves differently a moment later (DNS rebinding).
 */
export function openSender(policy: SenderPolicy): Sender {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS }),
    'https:': new https.Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS }),
  };
  const dialling = checkedLookup(policy);
  const underWay = new Set<Attempt>();
  let closed = false;
  return {
    async post(outgoing) {
      if (closed) throw new SenderClosed();
      const fault = policy.faultOf(outgoing.url);
      if (fault !== null) return { kind: 'failed', error: `the URL ${fault}`, timeMs: 0 };
      const attempt = new Attempt(outgoing, agents, dialling);
      underWay.add(attempt);
      try {
        return await attempt.exchange;
      } finally {
        underWay.delete(attempt);
      }
    },
    async close() {
      closed = true;
      const breakOff = setTimeout(() => {
        for (const attempt of underWay) attempt.breakOff();
      }, GRACE_MS);
      await Promise.allSettled([...underWay].map(({ exchange }) => exchange));
      clearTimeout(breakOff);
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

type Agents = { readonly 'http:': http.Agent; readonly 'https:': https.Agent };

class Attempt {
  readonly exchange: Promise<Exchange>;
  readonly #outgoing: Outgoing;
  readonly #beganMs = performance.now();
  readonly #settle: (exchange: Exchange) => void;
  readonly #fail: (fault: Error) => void;
  readonly #timer: ReturnType<typeof setTimeout>;
  #request: ClientRequest;
  /** Later events of the request have no effect. */
  #over = false;

  constructor(outgoing: Outgoing, agents: Agents, dialling: LookupFunction) {
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    this.exchange = promise;
    this.#settle = resolve;
    this.#fail = reject;
    this.#outgoing = outgoing;
    this.#request = this.#begin(agents, dialling);
    this.#timer = setTimeout(
      () => this.#failed(`no answer within ${outgoing.timeoutMs / 1_000} s`),
      outgoing.timeoutMs,
    );
  }

  breakOff(): void {
    this.#over = true;
    this.#fail(new SenderClosed());
    this.#end();
  }

  #begin(agents: Agents, dialling: LookupFunction): ClientRequest {
    const { headers, body } = this.#outgoing;
    // Parsed as the policy parses it: `HTTPS://…` is https too.
    const url = new URL(this.#outgoing.url);
    const secure = url.protocol === 'https:';
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: secure ? agents['https:'] : agents['http:'],
      lookup: dialling,
      // Explicit, so that no environment variable can disable it.
      rejectUnauthorized: true,
    };
    const request = (secure ? https : http).request(url, options);
    request.on('response', (answer) => this.#answered(answer));
    request.on('error', (fault: NodeJS.ErrnoException) => {
      // A request that this class destroys also reports a reset.
      if (this.#over) return this.#end();
      // The server closed an idle connection while it was reused: this does not count as an attempt.
      if (request.reusedSocket && fault.code === 'ECONNRESET') this.#request = this.#begin(agents, dialling);
      else this.#failed(describe(fault));
    });
    request.end(body);
    return request;
  }

  #answered(answer: IncomingMessage): void {
    this.#over = true;
    const retryAfter = answer.headers['retry-after'] ?? null;
    this.#settle({ kind: 'answered', status: answer.statusCode ?? 0, retryAfter, timeMs: this.#timeMs() });
    let bytes = 0;
    answer.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > BODY_BYTES) this.#end();
    });
    answer.on('end', () => clearTimeout(this.#timer));
    answer.on('error', () => this.#end());
  }

  #failed(error: string): void {
    this.#over = true;
    this.#settle({ kind: 'failed', error, timeMs: this.#timeMs() });
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#request.destroy();
  }

  #timeMs(): number {
    return Math.round(performance.now() - this.#beganMs);
  }
}

/** Resolves the address of a connection and returns permitted addresses only. */
function checkedLookup({ permits, resolve = (name) => lookup(name, { all: true }) }: SenderPolicy): LookupFunction {
  const answer = async (name: string, all: boolean, callback: Parameters<LookupFunction>[2]): Promise<void> => {
    try {
      const permitted = (await resolve(name)).filter(({ address }) => permits(address));
      const [first] = permitted;
      if (first === undefined) throw new ForbiddenAddress();
      if (all) callback(null, permitted);
      else callback(null, first.address, first.family);
    } catch (fault) {
      callback(fault instanceof Error ? fault : new Error(String(fault)), '', 0);
    }
  };
  return (name, options, callback) => void answer(name, options.all === true, callback);
}

class ForbiddenAddress extends Error {
  constructor() {
    super('the name leads to an address that is not public');
    this.name = 'ForbiddenAddress';
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before there was an answer',
  EPIPE: 'the connection was closed before there was an answer',
  ETIMEDOUT: 'no connection came about',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
};

/** Error text for the receiver's owner, without addresses or text from the server. */
function describe(fault: NodeJS.ErrnoException): string {
  if (fault instanceof ForbiddenAddress) return fault.message;
  const code = fault.code ?? 'no code';
  const known = DESCRIPTIONS[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return `the answer was not HTTP (${code})`;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `the certificate was not accepted (${code})`;
  return `the request failed (${code})`;
}
