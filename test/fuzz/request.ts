import type { Random } from '../chaos/kill/random.ts';
import { type Body, bodyOf } from './body.ts';
import type { Corpus } from './corpus.ts';
import { type Credentials, headersOf } from './headers.ts';
import { allowedBy, type FuzzedOperation } from './operations.ts';
import { type Path, pathOf } from './request-target.ts';

type Ingredients = { readonly host: string; readonly credentials: Credentials; readonly corpus: Corpus };

/** A request in valid HTTP. The service itself must answer it, whatever it contains. */
export type FuzzRequest = Path & {
  readonly id: string;
  readonly method: string;
  readonly bytes: Uint8Array;
};

const OTHER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
/** Nothing listens there, so the service's webhooks reach nobody. */
export const NO_RECEIVER = 'http://127.0.0.1:1/';

/** A request to an operation: mostly valid, usually with an invalid part. */
export function requestFor(
  operation: FuzzedOperation,
  { host, credentials, corpus }: Ingredients,
  random: Random,
): FuzzRequest {
  const method = random.percent(96) ? operation.method : random.pick(OTHER_METHODS);
  const path = pathOf(operation, corpus, random);
  const hasBody = operation.example !== null || random.percent(method === 'POST' ? 30 : 3);
  const body = hasBody ? bodyOf(fieldsOf(operation, corpus, random), random) : null;
  const headers = [...headersOf(operation, host, credentials, random), ...(body?.headers ?? [])];
  const canonical = path.canonical && headers.some(([name, value]) => name === 'Host' && value === host);
  return {
    target: path.target,
    canonical,
    id: operation.id,
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

function fieldsOf(
  { example, fields: schemas }: FuzzedOperation,
  corpus: Corpus,
  random: Random,
): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    if (!random.percent(15)) continue;
    const value = corpus.pick(name, random) ?? allowedBy(schema);
    if (value !== undefined) fields[name] = value;
  }
  for (const [name, value] of Object.entries(example ?? {}))
    fields[name] = typeof value === 'string' && random.percent(80) ? (corpus.pick(name, random) ?? value) : value;
  if ('webhook_url' in fields) fields['webhook_url'] = NO_RECEIVER;
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
    // A thousand chunks prove no more than some.
    if (chunks.length > 60) {
      const rest = bytes.subarray(at);
      if (rest.length > 0)
        chunks.push(Buffer.from(`${rest.length.toString(16)}\r\n`), Buffer.from(rest), Buffer.from('\r\n'));
      break;
    }
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
