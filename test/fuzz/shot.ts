import type { Random } from '../chaos/kill/random.ts';
import { type Body, bodyOf } from './body.ts';
import { type Credentials, headersOf } from './headers.ts';
import type { Pool } from './pool.ts';
import { allowedBy, type Target } from './surface.ts';
import { type Path, pathOf } from './target.ts';

/** What requests are made of. */
type Arsenal = { readonly host: string; readonly credentials: Credentials; readonly pool: Pool };

/** A request that is sound HTTP, whatever it asks for: our own answer must come back. */
export type Shot = Path & {
  readonly id: string;
  readonly method: string;
  readonly bytes: Uint8Array;
};

const OTHER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
/** Nothing that a test sends makes the service call anybody but this machine. */
const NOBODY = 'http://127.0.0.1:1/';

/** A request of an operation, with most of it right, and something in it most times not. */
export function shotAt(target: Target, { host, credentials, pool }: Arsenal, random: Random): Shot {
  const method = random.percent(96) ? target.method : random.pick(OTHER_METHODS);
  const path = pathOf(target, pool, random);
  const hasBody = target.example !== null || random.percent(method === 'POST' ? 30 : 3);
  const body = hasBody ? bodyOf(fieldsOf(target, pool, random), random) : null;
  const headers = [...headersOf(target, host, credentials, random), ...(body?.headers ?? [])];
  const plain = path.plain && headers.some(([name, value]) => name === 'Host' && value === host);
  return {
    target: path.target,
    plain,
    id: target.id,
    method,
    bytes: requestOf({ method, target: path.target, headers, body }, random),
  };
}

type Request = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Body | null;
};

function fieldsOf({ example, members }: Target, pool: Pool, random: Random): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(members)) {
    if (!random.percent(15)) continue;
    const value = pool.pick(name, random) ?? allowedBy(schema);
    if (value !== undefined) fields[name] = value;
  }
  for (const [name, value] of Object.entries(example ?? {}))
    fields[name] = typeof value === 'string' && random.percent(80) ? (pool.pick(name, random) ?? value) : value;
  if ('webhook_url' in fields) fields['webhook_url'] = NOBODY;
  return fields;
}

function requestOf({ method, target, headers, body }: Request, random: Random): Uint8Array {
  const framing =
    body === null ? [] : [body.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.bytes.length}`];
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), ...framing];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (body === null) return head;
  return Buffer.concat([head, body.chunked ? chunksOf(body.bytes, random) : body.bytes]);
}

function chunksOf(bytes: Uint8Array, random: Random): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const chunk = bytes.subarray(at, at + random.pick([1, 7, 100, 5_000, 100_000] as const));
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), Buffer.from(chunk), Buffer.from('\r\n'));
    at += chunk.length;
    // After some single bytes the rest goes at once: a thousand chunks prove no more than ten.
    if (chunks.length > 60) {
      const rest = bytes.subarray(at);
      if (rest.length > 0)
        chunks.push(Buffer.from(`${rest.length.toString(16)}\r\n`), Buffer.from(rest), Buffer.from('\r\n'));
      break;
    }
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
