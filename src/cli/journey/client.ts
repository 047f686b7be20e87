import { at, parsed, textAt } from './json.ts';
import { StepFailed } from './step.ts';

/** Timeout of one request. */
const ANSWER_MS = 30_000;

/** `fetch`, or a scripted service in tests. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The header that authenticates a request. */
export type Credential = Readonly<Record<string, string>>;

/** For public endpoints. */
export const NOBODY: Credential = {};

export function keyHolder(key: string): Credential {
  return { 'x-api-key': key };
}

export function gateDevice(key: string): Credential {
  return { 'x-device-key': key };
}

export function operator(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

/** A request. `body` is sent as JSON. */
export type Ask = {
  readonly path: string;
  readonly as: Credential;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** `body` is undefined if the response is not JSON. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
};

/** Sends a request; `path` may be an absolute URL, as responses contain them. */
export type Client = (ask: Ask) => Promise<Answer>;

/** @param url base URL of the service, without a trailing slash */
export function client(url: string, fetch: Fetch): Client {
  return async ({ path, as, method = 'GET', headers = {}, body }) => {
    const response = await fetch(path.startsWith('/') ? `${url}${path}` : path, {
      method,
      headers: {
        'accept-language': 'en',
        ...as,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
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
export function positionOf({ headers }: Answer): Readonly<Record<string, string>> {
  const position = headers.get('x-position');
  return position === null ? {} : { 'x-position': position };
}
