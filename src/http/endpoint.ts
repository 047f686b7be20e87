import {
  authenticateDevice,
  authenticateKey,
  authenticateOperator,
  type KnownDevice,
  type KnownKey,
} from '../application/authenticate.ts';
import { type Refusal, type Refused, refusal } from '../application/refusal.ts';
import type { Permission } from '../domain/apikey/apikey.ts';
import type { Cause } from '../eventsourcing/message.ts';
import { readJson } from './body.ts';
import type { HttpContext } from './context.ts';
import type { About, DataOf } from './declaration.ts';
import { failure, type Headers, success } from './envelope.ts';
import type { Form } from './form.ts';

/** Who may call: holders of an API key (with a permission, or any), a venue's device, operators, or anybody. */
export type Access =
  | { readonly by: 'key'; readonly permission: Permission | null }
  | { readonly by: 'device' }
  | { readonly by: 'operator'; readonly access: 'read' | 'write' }
  | { readonly by: 'anybody' };

/** All that an endpoint says of itself: who may call it, and what the API reference tells of it (docs/decisions/0023). */
export type Declaration = Access & About;

type Caller<A extends Access> = A extends { by: 'key' }
  ? KnownKey
  : A extends { by: 'device' }
    ? KnownDevice
    : A extends { by: 'operator' }
      ? 'admin' | 'analyst'
      : null;

/** An answer with data, a refusal, or a finished response (images, pages). */
export type Answer<D extends object = object> =
  | { readonly kind: 'data'; readonly data: D; readonly headers?: Headers }
  | Refused
  | Response;

export type Call<C, F> = {
  readonly caller: C;
  readonly fields: F;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: globalThis.Headers;
  readonly cause: Cause;
};

type Incoming = { readonly request: Request; readonly params: Readonly<Record<string, string>> };

/** What the router calls, with what was declared of it. */
export type Endpoint = ((incoming: Incoming) => Promise<Response>) & {
  readonly declaration: Declaration;
  readonly form: Form | null;
};

type FieldsOf<T> =
  T extends Form<infer F> ? Extract<ReturnType<Form<F>['readBody']>, { kind: 'fields' }>['fields'] : null;

/**
 * One endpoint as a handler for the router. The order is that of the public contract: who calls and may they, then is
 * the request well formed, then the state (docs/decisions/0003). A fault anywhere is logged and answered as INTERNAL_ERROR, without details.
 */
export function endpoint<A extends Declaration, T extends Form | null>(
  context: HttpContext,
  access: A,
  shape: T,
  answer: (call: Call<Caller<A>, FieldsOf<T>>) => Promise<Answer<DataOf<A>>> | Answer<DataOf<A>>,
): Endpoint {
  const handle = async ({ request, params }: Incoming): Promise<Response> => {
    const requestId = requestIdOf(request, context);
    const headers = { 'x-request-id': requestId };
    try {
      const caller = callerOf(access, request, context);
      if (caller.kind === 'refused') return failure(caller.refusal, headers, request);
      const read = await fieldsOf(shape, request);
      if (read.kind === 'refused') return failure(read.refusal, headers, request);
      const at = new Date(context.clock.nowMs()).toISOString();
      const cause: Cause = { correlationId: requestId, causationId: null, by: caller.by, at };
      // What `callerOf` and `fieldsOf` return follows from `access` and `shape`, which the types say once, above.
      const call = {
        caller: caller.caller,
        fields: read.fields,
        params,
        headers: request.headers,
        cause,
      } as Call<Caller<A>, FieldsOf<T>>;
      return respond(await answer(call), headers, request);
    } catch (fault) {
      context.log.error('request failed', {
        requestId,
        method: request.method,
        path: new URL(request.url).pathname,
        fault,
      });
      return failure(internalError(requestId), headers, request);
    }
  };
  return Object.assign(handle, { declaration: access, form: shape });
}

export function internalError(requestId: string): Refusal {
  return refusal(
    'INTERNAL_ERROR',
    'The service failed on this request; send it again, and tell the operator the request id if it fails again.',
    {
      details: `request id: ${requestId}`,
    },
  );
}

/** The caller's own request id where it is a sane one, else a fresh one. */
export function requestIdOf(request: Request, { ids }: Pick<HttpContext, 'ids'>): string {
  const sent = request.headers.get('x-request-id');
  return sent !== null && /^[\w.:-]{1,128}$/.test(sent) ? sent : ids.uuid();
}

function respond(answer: Answer, headers: Headers, request: Request): Response {
  if (answer instanceof Response) {
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    return answer;
  }
  if (answer.kind === 'refused') return failure(answer.refusal, headers, request);
  return success(answer.data, answer.headers === undefined ? headers : { ...headers, ...answer.headers }, request);
}

function callerOf(access: Access, request: Request, context: HttpContext) {
  switch (access.by) {
    case 'key': {
      const found = authenticateKey(request.headers.get('x-api-key'), access.permission, context);
      return found.kind === 'refused' ? found : { kind: 'caller' as const, caller: found.key, by: found.key.keyId };
    }
    case 'device': {
      const found = authenticateDevice(request.headers.get('x-device-key'), context);
      return found.kind === 'refused'
        ? found
        : { kind: 'caller' as const, caller: found.device, by: found.device.deviceId };
    }
    case 'operator': {
      const found = authenticateOperator(request.headers.get('authorization'), access.access, context);
      return found.kind === 'refused' ? found : { kind: 'caller' as const, caller: found.role, by: found.role };
    }
    default:
      return { kind: 'caller' as const, caller: null, by: 'anybody' };
  }
}

async function fieldsOf(shape: Form | null, request: Request) {
  if (shape === null) return { kind: 'fields' as const, fields: null };
  if (request.method === 'GET') return shape.readQuery(new URL(request.url).searchParams);
  const body = await readJson(request);
  return body.kind === 'refused' ? body : shape.readBody(body.value);
}
