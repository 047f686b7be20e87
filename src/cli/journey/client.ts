import { at, parsed, textAt } from './json.ts';
import { StepFailed } from './step.ts';

/** Timeout of one request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** `fetch`, or one that tests observe. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Headers = Readonly<Record<string, string>>;

/** `body` is undefined if the response is not JSON. */
export type Answer = {
  readonly request: string;
  readonly status: number;
  readonly headers: Response['headers'];
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
};

/** Sends requests with one credential. A path may be an absolute URL, as responses contain them; bodies are JSON. */
export type Client = {
  get(path: string, headers?: Headers): Promise<Answer>;
  post(path: string, body: object, headers?: Headers): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

/**
 * @param url base URL of the service, without a trailing slash
 * @param credential the header that authenticates requests; empty for public endpoints
 */
export function client(url: string, fetch: Fetch, credential: Headers): Client {
  const send = async (method: string, path: string, init: { headers: Headers; body?: string }): Promise<Answer> => {
    const response = await fetch(path.startsWith('/') ? `${url}${path}` : path, {
      ...init,
      method,
      headers: { 'accept-language': 'en', ...credential, ...init.headers },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const { status, headers } = response;
    return { request: `${method} ${path}`, status, headers, bytes, text, body: parsed(text) };
  };
  return {
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers) =>
      send('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
    delete: (path) => send('DELETE', path, { headers: {} }),
  };
}

/**
 * The data of a successful response.
 * @throws StepFailed for a refusal or a body without the envelope
 */
export function dataOf({ request, status, body, text }: Answer): unknown {
  if (status === 200 && at(body, 'success') === true) return at(body, 'data');
  throw new StepFailed(request, '200 and {"success":true}', `${status} ${text}`);
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
