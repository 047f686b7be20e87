import { at, parsed, textAt } from './json.ts';
import { StepFailed } from './step.ts';

/** Timeout of one request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** `fetch`, or one that tests observe. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Headers = Readonly<Record<string, string>>;

/** A request; `as` is the header that authenticates it, and `body` is sent as JSON. */
export type Ask = {
  readonly path: string;
  readonly as?: Headers;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Headers;
  readonly body?: object;
};

/** `body` is undefined if the response is not JSON. */
export type Answer = {
  readonly status: number;
  readonly headers: Response['headers'];
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
};

/** Sends a request; `path` may be an absolute URL, as responses contain them. */
export type Client = (ask: Ask) => Promise<Answer>;

/** @param url base URL of the service, without a trailing slash */
export function client(url: string, fetch: Fetch): Client {
  return async ({ path, as = {}, method = 'GET', headers = {}, body }) => {
    const response = await fetch(path.startsWith('/') ? `${url}${path}` : path, {
      method,
      headers: { 'accept-language': 'en', ...as, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    return { status: response.status, headers: response.headers, bytes, text, body: parsed(text) };
  };
}

/**
 * The data of a successful response.
 * @throws StepFailed for a refusal or a body without the envelope
 */
export function dataOf(what: string, answer: Answer): unknown {
  if (answer.status === 200 && at(answer.body, 'success') === true) return at(answer.body, 'data');
  throw new StepFailed(what, '200 and {"success":true}', `${answer.status} ${answer.text}`);
}

/** Status and code of a response: `409 VOUCHER_ALREADY_VERIFIED`, or `200 success`. */
export function outcomeOf({ status, body }: Answer): string {
  return `${status} ${at(body, 'success') === true ? 'success' : textAt(body, 'code') || 'without a code'}`;
}

/** The header that lets a later query see the effects of this command. */
export function positionOf({ headers }: Answer): Headers {
  const position = headers.get('x-position');
  return position === null ? {} : { 'x-position': position };
}
