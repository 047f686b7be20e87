import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** A request of a tool to the REST API. The body is sent as JSON. */
export type RestRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query, relative to the service's base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** Sends a request to the service: through its own router or over the network. */
export type Send = (path: string, request: SendInit) => Promise<Response>;
export type SendInit = {
  readonly method: RestRequest['method'];
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
};

/** An error of the REST API. `code` and `resolution` are strings, because the service can have a newer version. */
export type RestFailure = {
  readonly code: string;
  readonly error: string;
  readonly details: string;
  readonly resolution: string;
  readonly retryable: boolean;
  readonly alternatives: readonly unknown[];
  readonly retryAfterSeconds: number | null;
};

/**
 * The outcome of a request. `no-answer`: it is unknown whether the service executed the request. `not-waymark`: the
 * response does not have the format of the REST API.
 */
export type RestOutcome =
  | { readonly kind: 'data'; readonly data: object; readonly replayed: boolean }
  | { readonly kind: 'failure'; readonly failure: RestFailure }
  | { readonly kind: 'no-answer'; readonly reason: string }
  | { readonly kind: 'not-waymark'; readonly status: number };

export type RestConnection = (request: RestRequest) => Promise<RestOutcome>;

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

/** The REST API over `send`, with `headers` on every request. Never throws: failures are outcomes. */
export function openRestConnection(
  send: Send,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): RestConnection {
  return async (request) => {
    const described = request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    try {
      const response = await send(request.path, {
        method: request.method,
        headers: { ...described, ...request.headers },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        ...(signal !== undefined && { signal }),
      });
      return outcomeOf(response, await response.text());
    } catch (fault) {
      return { kind: 'no-answer', reason: fault instanceof Error ? fault.message : String(fault) };
    }
  };
}

function outcomeOf({ status, headers }: Response, text: string): RestOutcome {
  const body = parsed(text);
  if (success.Check(body)) {
    return { kind: 'data', data: body.data, replayed: headers.get('idempotent-replayed') === 'true' };
  }
  if (!failed.Check(body)) {
    // A proxy answers so while the service is unavailable.
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

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
