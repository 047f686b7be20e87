import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** A request to the REST API of Waymark, as the tools make it. A body is sent as JSON. */
export type Ask = {
  readonly method: 'GET' | 'POST';
  /** With its query, from the service's own `/` on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** What carries a request to the service: the service's own router, or the network. */
export type Send = (path: string, request: Sent) => Promise<Response>;
export type Sent = {
  readonly method: Ask['method'];
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
};

/** A refusal as the REST API words it. Codes and resolutions are text: the service may be of a later version. */
export type Failure = {
  readonly code: string;
  readonly error: string;
  readonly details: string;
  readonly resolution: string;
  readonly retryable: boolean;
  readonly alternatives: readonly unknown[];
  readonly retryAfterSeconds: number | null;
};

/**
 * What came of a request: data, a refusal, no answer (it is not known whether the request was carried out), or an answer
 * that is not one of Waymark's.
 */
export type Outcome =
  | { readonly kind: 'data'; readonly data: object; readonly replayed: boolean }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'no-answer'; readonly reason: string }
  | { readonly kind: 'not-waymark'; readonly status: number };

export type Rest = (ask: Ask) => Promise<Outcome>;

const success = Compile(Type.Object({ success: Type.Literal(true), data: Type.Object({}) }));
const failed = Compile(
  Type.Object({
    success: Type.Literal(false),
    error: Type.String(),
    code: Type.String(),
    details: Type.String(),
    retryable: Type.Optional(Type.Boolean()),
    resolution: Type.Optional(Type.String()),
    alternatives: Type.Optional(Type.Array(Type.Unknown())),
  }),
);

/** The REST API over `send`, with these headers on every request. Never throws: what went wrong is an outcome. */
export function restOver(send: Send, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Rest {
  return async (ask) => {
    const described = ask.body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    try {
      const response = await send(ask.path, {
        method: ask.method,
        headers: { ...described, ...ask.headers },
        ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
        ...(signal !== undefined && { signal }),
      });
      return outcomeOf(response, await response.text());
    } catch (fault) {
      return { kind: 'no-answer', reason: fault instanceof Error ? fault.message : String(fault) };
    }
  };
}

function outcomeOf({ status, headers }: Response, text: string): Outcome {
  const body = parsed(text);
  if (success.Check(body)) {
    return { kind: 'data', data: body.data, replayed: headers.get('idempotent-replayed') === 'true' };
  }
  if (!failed.Check(body)) {
    // What a proxy says while the service behind it is away.
    if (status >= 500) return { kind: 'no-answer', reason: `status ${status}` };
    return { kind: 'not-waymark', status };
  }
  const { error, code, details, retryable = false, resolution = '', alternatives = [] } = body;
  const retryAfter = headers.get('retry-after');
  const retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  return {
    kind: 'failure',
    failure: { code, error, details, resolution, retryable, alternatives, retryAfterSeconds },
  };
}

/** Undefined where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
