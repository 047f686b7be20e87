import { admitKey, admitPastQuota, type KeyAdmission, type KeyDemand } from '../application/admit-key.ts';
import {
  authenticateDevice,
  authenticateOperator,
  type KnownDevice,
  type KnownKey,
  type OperatorRole,
} from '../application/authenticate.ts';
import { type Refusal, type Refused, refusal, serviceUnavailable } from '../application/refusal.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Cause } from '../eventsourcing/message.ts';
import type { Outcome } from '../ports/key-use.ts';
import { StoreRefused } from '../ports/store-refused.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { Usage } from '../ports/usage-counters.ts';
import { readJson } from './body.ts';
import type { HttpContext } from './context.ts';
import type { About, DataOf } from './declaration.ts';
import { failure, GUARDED, type Headers, success } from './envelope.ts';
import type { Form } from './form.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/**
 * Who may call: holders of an API key (with a permission, or any), a venue's device, operators, or anybody. `least` is the
 * lesser role that will do: the admin may call whatever analysts may.
 */
export type Access =
  | ({ readonly by: 'key' } & KeyDemand)
  | { readonly by: 'device' }
  | { readonly by: 'operator'; readonly least: OperatorRole }
  | { readonly by: 'anybody' };

/** All that an endpoint says of itself: who may call it, and what the API reference tells of it (docs/decisions/0023). */
export type Declaration = Access & About;

type Caller<A extends Access> = A extends { by: 'key' }
  ? KnownKey
  : A extends { by: 'device' }
    ? KnownDevice
    : A extends { by: 'operator' }
      ? OperatorRole
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
  /** What the key's plan has left after this request; null where nothing is counted. */
  readonly usage: Usage | null;
  /** The address that the request came from; null where it is not known. */
  readonly address: () => string | null;
};

/** What was committed before, and is answered although the day's quota is used up; null: nothing is. */
type Committed<C, F, D extends object> = (call: Call<C, F>) => Promise<Answer<D> | null>;

type Incoming = { readonly request: Request; readonly params: Readonly<Record<string, string>> };

/** What the router calls, with what was declared of it. */
export type Endpoint = ((incoming: Incoming) => Promise<Response>) & {
  readonly declaration: Declaration;
  readonly form: Form | null;
};

export type FieldsOf<T> =
  T extends Form<infer F> ? Extract<ReturnType<Form<F>['readBody']>, { kind: 'fields' }>['fields'] : null;

/**
 * One endpoint as a handler for the router. The order is that of the public contract: who calls and may they, then is
 * the request well formed, then the state (docs/decisions/0003). A fault anywhere is logged and answered without details: as
 * SERVICE_UNAVAILABLE where an engine is away, else as INTERNAL_ERROR.
 *
 * @param committed where it is given, a key over its quota still gets what this finds (docs/decisions/0021)
 */
export function endpoint<A extends Declaration, T extends Form | null>(
  context: HttpContext,
  access: A,
  shape: T,
  answer: (call: Call<Caller<A>, FieldsOf<T>>) => Promise<Answer<DataOf<A>>> | Answer<DataOf<A>>,
  committed?: Committed<Caller<A>, FieldsOf<T>, DataOf<A>>,
): Endpoint {
  const callOf = async (admission: Admitted, { request, params }: Incoming, requestId: string) => {
    const read = await fieldsOf(shape, request);
    if (read.kind === 'refused') return read;
    const at = new Date(context.clock.nowMs()).toISOString();
    const cause: Cause = { correlationId: requestId, causationId: null, by: admission.by, at };
    // What `admit` and `fieldsOf` return follows from `access` and `shape`, which the types say once, above.
    const call = {
      caller: admission.caller,
      fields: read.fields,
      params,
      headers: request.headers,
      cause,
      usage: admission.usage,
      address: () => context.addressOf(request),
    } as Call<Caller<A>, FieldsOf<T>>;
    return { kind: 'call' as const, call };
  };
  /** The answer to a key over its quota, and what it has left by then; null where nothing was committed. */
  const answerPastQuota = async (key: KnownKey, incoming: Incoming, requestId: string) => {
    if (committed === undefined) return null;
    const read = await callOf({ ...admitted(key, key.keyId), key }, incoming, requestId);
    const found = read.kind === 'refused' ? null : await committed(read.call);
    if (found === null) return null;
    const past = await admitPastQuota(key, context);
    return { answer: past.kind === 'refused' ? past : found, usage: past.usage };
  };
  // Elysia reads from the parameter what a handler uses: where it names all, cookies are parsed and headers are merged.
  const handle = async ({ request, params }: Incoming): Promise<Response> => {
    const incoming = { request, params };
    const requestId = requestIdOf(request, context);
    let headers = headersOf(requestId, null);
    let key: KnownKey | null = null;
    /** Every answer to a known key counts as its use, whatever was answered. */
    const answered = (response: Response): Response => {
      if (key !== null) context.use.note(key.keyId, access.id, outcomeOf(response.status));
      return response;
    };
    try {
      const admitting = admit(access, request, context);
      const admission = admitting instanceof Promise ? await admitting : admitting;
      headers = headersOf(requestId, admission.usage);
      key = admission.key;
      if (admission.kind === 'refused') {
        const past = key !== null && admission.overQuota ? await answerPastQuota(key, incoming, requestId) : null;
        if (past === null) return answered(failure(admission.refusal, headers, request));
        return answered(respond(past.answer, headersOf(requestId, past.usage), request));
      }
      const read = await callOf(admission, incoming, requestId);
      return answered(respond(read.kind === 'refused' ? read : await answer(read.call), headers, request));
    } catch (fault) {
      // Not its path: that of a voucher is a secret.
      context.log.error('request failed', { requestId, endpoint: access.id, fault });
      return answered(failure(refusalOfFault(fault, requestId), headers, request));
    }
  };
  return Object.assign(handle, { declaration: access, form: shape });
}

/**
 * An engine that is away comes back by itself, and one that keeps us out lets us in again once its operator has seen to it:
 * the same request can succeed then. What this release cannot read, a newer node can. Everything else is a bug.
 */
function refusalOfFault(fault: unknown, requestId: string): Refusal {
  if (fault instanceof StoreUnavailable) return serviceUnavailable(`the ${fault.engine} cannot be reached`).refusal;
  if (fault instanceof StoreRefused) return serviceUnavailable(`the ${fault.engine} cannot be used`).refusal;
  if (fault instanceof UnknownEvent)
    return serviceUnavailable('a newer version of the service has to answer it').refusal;
  return internalError(requestId);
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
    for (const [name, value] of Object.entries(GUARDED)) if (!answer.headers.has(name)) answer.headers.set(name, value);
    return answer;
  }
  if (answer.kind === 'refused') return failure(answer.refusal, headers, request);
  return success(answer.data, answer.headers === undefined ? headers : { ...headers, ...answer.headers }, request);
}

type Admitted = {
  readonly kind: 'admitted';
  readonly caller: Caller<Access>;
  readonly by: string;
  readonly usage: Usage | null;
  readonly key: KnownKey | null;
};
type Admission = Admitted | Extract<KeyAdmission, { kind: 'refused' }>;

/** A promise only where something must be waited for: the counters of a key whose plan has limits. */
function admit(access: Access, request: Request, context: HttpContext): Admission | Promise<Admission> {
  switch (access.by) {
    case 'key': {
      const addressOf = (): string | null => context.addressOf(request);
      const admission = admitKey(request.headers.get('x-api-key'), access, addressOf, context);
      return admission instanceof Promise ? admission.then(byKey) : byKey(admission);
    }
    case 'device': {
      const found = authenticateDevice(request.headers.get('x-device-key'), context);
      return found.kind === 'refused' ? uncounted(found) : admitted(found.device, found.device.deviceId);
    }
    case 'operator': {
      const token = request.headers.get('authorization');
      const found = authenticateOperator(token, access.least, context.addressOf(request), context);
      return found.kind === 'refused' ? uncounted(found) : admitted(found.role, found.role);
    }
    default:
      return admitted(null, 'anybody');
  }
}

function byKey(admission: KeyAdmission): Admission {
  if (admission.kind === 'refused') return admission;
  const { key, usage } = admission;
  return { kind: 'admitted', caller: key, by: key.keyId, usage, key };
}

function admitted(caller: Admitted['caller'], by: string): Admitted {
  return { kind: 'admitted', caller, by, usage: null, key: null };
}

function uncounted({ kind, refusal: said }: Refused): Admission {
  return { kind, refusal: said, usage: null, key: null, overQuota: false };
}

function outcomeOf(status: number): Outcome {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

function headersOf(requestId: string, usage: Usage | null): Headers {
  const id = { 'x-request-id': requestId };
  return usage === null ? id : { ...id, ...rateLimitHeaders(usage) };
}

async function fieldsOf(shape: Form | null, request: Request) {
  if (shape === null) return { kind: 'fields' as const, fields: null };
  // HEAD is GET without the body of its answer (RFC 9110, 9.3.2).
  if (request.method === 'GET' || request.method === 'HEAD') return shape.readQuery(new URL(request.url).searchParams);
  const body = await readJson(request);
  return body.kind === 'refused' ? body : shape.readBody(body.value);
}
