import type { Refusal } from '../application/refusal.ts';
import type { Failure } from './answers.ts';
import { challengeOf } from './challenge.ts';
import { STATUS } from './status.ts';

export type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
/** Default headers of every answer: no cache stores it, and no browser guesses its media type. */
export const GUARDED: Headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
/** Shorter answers are not compressed. */
const GZIP_FROM_CHARACTERS = 1_024;

/** `{success:true, data}` with status 200. */
export function successResponse(data: object, headers: Headers, request: Request): Response {
  return json({ success: true, data }, 200, headers, request);
}

/** `{success:false, error, code, details, …}` with the status of the code. */
export function failureResponse(refusal: Refusal, headers: Headers, request: Request): Response {
  const { code, retryAfterSeconds } = refusal;
  const body = failureBody(refusal);
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const challenge = challengeOf(code);
  const asked = challenge === null ? {} : { 'www-authenticate': challenge };
  const status = STATUS[code];
  const help = status === 404 ? { link: '</llms.txt>; rel="help"' } : {};
  return json(body, status, { ...headers, ...retry, ...asked, ...help }, request);
}

function failureBody({ error, code, details, retryable, resolution, alternatives }: Refusal): Failure {
  const body = { success: false as const, error, code, details, retryable, resolution };
  return alternatives === undefined ? body : { ...body, alternatives };
}

/**
 * A text without the envelope, such as a CSV table, with status 200.
 *
 * @param asked headers of the request
 */
export function bare(text: string, type: string, headers: Headers, asked: globalThis.Headers): Response {
  return compressed(text, { status: 200, headers: { ...GUARDED, 'content-type': type, ...headers } }, asked);
}

function json(body: object, status: number, headers: Headers, request: Request): Response {
  return compressed(
    JSON.stringify(body),
    { status, headers: { ...GUARDED, ...JSON_TYPE, ...headers } },
    request.headers,
  );
}

function compressed(
  text: string,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  asked: globalThis.Headers,
): Response {
  if (text.length < GZIP_FROM_CHARACTERS || !takesGzip(asked.get('accept-encoding'))) {
    return new Response(text, { status, headers });
  }
  return new Response(Bun.gzipSync(Buffer.from(text)), {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
  });
}

/** Whether an `Accept-Encoding` header allows gzip. */
export function takesGzip(header: string | null): boolean {
  const gzip = header?.split(',').find((coding) => /^\s*gzip\s*(;|$)/i.test(coding));
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip);
}
