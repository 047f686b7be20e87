import { at, parsed, textAt } from './reading.ts';
import { Broken } from './step.ts';

/** No step waits longer for one answer. */
const ANSWER_MS = 30_000;

/** What `fetch` does, or a script in its place. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Who asks: the header that says so. */
export type Credential = Readonly<Record<string, string>>;

/** Without any key: what is open to everybody. */
export const NOBODY: Credential = {};

/** An agent. */
export function keyHolder(key: string): Credential {
  return { 'x-api-key': key };
}

/** A device at a venue's gate. */
export function gateDevice(key: string): Credential {
  return { 'x-device-key': key };
}

/** Who runs the service. */
export function operator(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

/** One question. `body` is sent as JSON. */
export type Ask = {
  readonly path: string;
  readonly as: Credential;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** `body` is undefined where the answer is no JSON. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
};

/** Asks the service; `path` may be a whole URL, as answers give them. */
export type Client = (ask: Ask) => Promise<Answer>;

/** @param url of the service, without a slash at the end */
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
 * What a success carries.
 * @throws Broken for a refusal, or anything that is no envelope
 */
export function dataOf(what: string, answer: Answer): unknown {
  if (answer.status === 200 && at(answer.body, 'success') === true) return at(answer.body, 'data');
  throw new Broken(what, '200 and {"success":true}', `${answer.status} ${answer.text}`);
}

/** Status and code of an answer, as one text: `409 VOUCHER_ALREADY_VERIFIED`, or `200 success`. */
export function outcomeOf({ status, body }: Answer): string {
  return `${status} ${at(body, 'success') === true ? 'success' : textAt(body, 'code') || 'without a code'}`;
}

/** What a later question sends back, so that its answer has seen what this one did. */
export function positionOf({ headers }: Answer): Readonly<Record<string, string>> {
  const position = headers.get('x-position');
  return position === null ? {} : { 'x-position': position };
}
