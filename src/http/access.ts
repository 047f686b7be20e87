import { Elysia, status } from 'elysia';
import type { KeyDemand } from '../application/key/admit-key.ts';
import type { KnownDevice, KnownKey, KnownOperator } from '../application/key/authenticate.ts';
import { refused } from '../application/refusal.ts';
import type { Session } from '../application/session/session.ts';
import type { SignedIn } from '../application/session/session-caller.ts';
import type { Permission } from '../domain/apikey/apikey.ts';
import { isOperatorOperation } from '../domain/operator/roles.ts';
import { SESSION_KEY_OPERATIONS } from '../domain/session/key-operations.ts';
import { type Access, admit, type RouteAccess, type Throttle } from './admission.ts';
import { isAnswerSchema } from './answers.ts';
import { beginAudit } from './audit-trail.ts';
import { readJson } from './body.ts';
import { Call } from './call.ts';
import type { HttpContext } from './context.ts';
import { headerMacros } from './header-macros.ts';
import { parametersIn } from './parameters.ts';
import { RefusedEarly } from './refused-early.ts';
import { isRequestSchema, NO_BODY, NO_QUERY, type RequestSchema } from './schema.ts';
import { accessFor, admitSession } from './session/admit-session.ts';

/**
 * A route's life cycle (docs/decisions/0045): `transform` authenticates the caller, then reads and validates query and
 * body; Elysia reads the path; the macros resolve; the handler runs; `afterHandle` or `error` builds the answer.
 * A route sets no status: it returns `success(…)`, `call.refuse(…)` or `call.reply(…)`. It uses schema.ts, never Elysia's `t`.
 * It names one macro: `apiKey` (a permission; null for any key), `device`, `operator`, `keyOrOperator` (a permission),
 * `session` or `anybody`.
 * src/domain/operator/roles.ts says which roles may call a route of operators.
 */
export function access(context: HttpContext) {
  function hooksFor(demanded: RouteAccess | ((operation: string) => RouteAccess)) {
    return {
      introspect(route: object): void {
        const options = optionsOf(route);
        const { operation } = options;
        const granted = typeof demanded === 'function' ? demanded(operation) : demanded;
        if ('access' in route) throw new Error(`${operation}: a route names its caller by one macro, not two`);
        const transform = async (c: TransformContext) => {
          const call = new Call({ request: c.request, operation, route: c.route }, context);
          c.call = call;
          const demand = accessFor(granted, c.request, context);
          const admitting = admitSession(demand, c.request, context) ?? admit(demand, c.request, context);
          const admission = admitting instanceof Promise ? await admitting : admitting;
          const barred = call.identify(admission, demand);
          if (barred !== null) return early(call.answerEarly(barred));
          // Never the context itself: Elysia would then parse cookies and copy each answer (docs/decisions/0045).
          const { body, query } = readersOf(c.request, c.route, options);
          if (query !== null) c.query = call.understood(query.read(parametersIn(c.request.url)));
          if (body !== null) {
            const read = await readJson(c.request);
            if (read.kind === 'refused') return early(call.answerEarly(read));
            c.body = call.understood(body.read(read.value));
          }
          return undefined;
        };
        // Elysia's parsers run before `transform`. A macro's type allows neither `parse` nor an early return.
        Object.assign(route, { access: granted, parse: 'none', transform });
      },
      afterHandle: ({ call, responseValue }: Handled): Response => admitted(call).answer(responseValue),
      error({ call, error, set }: Thrown): Response {
        set.status = SENT_AS_IT_IS;
        return admitted(call).answerThrown(error);
      },
    };
  }

  /** Of operators and devices: the audit is stored before the handler or the answer (docs/decisions/0085). */
  function auditedHooksFor(demanded: Parameters<typeof hooksFor>[0]) {
    const hooks = hooksFor(demanded);
    return {
      ...hooks,
      introspect(route: object): void {
        // Elysia replaces the macros in the order of their names in the route, and resolves them in that order.
        const late = REFUSING_MACROS.filter((name) => name in route);
        if (late.length > 0)
          throw new Error(
            `${optionsOf(route).operation}: name ${late.join(' and ')} before its caller, so that no act is recorded that a header refuses`,
          );
        hooks.introspect(route);
      },
      afterHandle: async ({ call, responseValue }: Handled): Promise<Response> =>
        admitted(call).answerAudited(responseValue),
      async error({ call, error, set }: Thrown): Promise<Response> {
        set.status = SENT_AS_IT_IS;
        return admitted(call).answerAuditedFault(error);
      },
    };
  }

  async function audited(call: Call, parts: ValidatedParts): Promise<Call> {
    call.audit = await beginAudit(call, parts, context);
    return call;
  }

  return new Elysia({ name: 'access' })
    .use(headerMacros(context))
    .decorate('call', null as Call | null)
    .macro({
      apiKey: (demand: Permission | null | RouteDemand) => ({
        ...hooksFor((operation) => demandOfKeys(operation, isDemand(demand) ? demand : { permission: demand })),
        resolve: ({ call }: WithCall) => ({ call: admitted(call), key: keyOf(admitted(call)) }),
      }),
      device: (_demanded: true) => ({
        ...auditedHooksFor({ by: 'device' }),
        resolve: async ({ call, params, query, body }: WithCall & ValidatedParts) => ({
          call: await audited(admitted(call), { params, query, body }),
          device: deviceOf(admitted(call)),
        }),
      }),
      operator: (_demanded: true) => ({
        ...auditedHooksFor(demandOfOperators),
        resolve: async ({ call, params, query, body }: WithCall & ValidatedParts) => ({
          call: await audited(admitted(call), { params, query, body }),
          operator: operatorOf(admitted(call)),
        }),
      }),
      keyOrOperator: (permission: Permission) => ({
        ...auditedHooksFor((operation) => demandOfBoth(operation, permission)),
        resolve: async ({ call, params, query, body }: WithCall & ValidatedParts) => ({
          call: await audited(admitted(call), { params, query, body }),
          caller: keyOrOperatorOf(admitted(call)),
        }),
      }),
      session: (demand: true | { readonly renews: false }) => ({
        ...hooksFor({ by: 'session', ...(demand !== true && demand) }),
        resolve: ({ call }: WithCall) => ({ call: admitted(call), ...sessionOf(admitted(call)) }),
      }),
      anybody: (demand: true | { readonly throttle: Throttle }) => ({
        ...hooksFor({ by: 'anybody', ...(demand !== true && demand) }),
        resolve: ({ call }: WithCall) => ({ call: admitted(call) }),
      }),
    });
}

/** The parts of Elysia's context that `transform` reads and sets. */
type TransformContext = {
  readonly request: Request;
  readonly route: string;
  body: unknown;
  query: unknown;
  call: Call | null;
};

/** What `transform` adds to Elysia's context; null before. */
type WithCall = { readonly call: Call | null };
type ValidatedParts = { readonly params: unknown; readonly query: unknown; readonly body: unknown };
type Handled = WithCall & { readonly responseValue: unknown };
type Thrown = WithCall & { readonly error: unknown; readonly set: { status?: number | string } };

/** Of headers; a header that they read can be refused. */
const REFUSING_MACROS = ['idempotent', 'ifMatch', 'positioned'];

/** Elysia has set 500 for a fault. With another status than 200 it copies a finished response into a new one, as a stream. */
const SENT_AS_IT_IS = 200;

function admitted(call: Call | null): Call {
  if (call === null) throw new Error('the request was not admitted');
  return call;
}

/**
 * Elysia ends a request if `transform` returns a status. With 200, the response keeps its own status. Schemas and
 * macros throw `RefusedEarly` instead, which takes more time (docs/decisions/0045).
 */
function early(response: Response) {
  return status(200, response);
}

type RouteOptions = {
  readonly detail?: { readonly operationId?: string };
  readonly body?: unknown;
  readonly query?: unknown;
  readonly params?: unknown;
  readonly headers?: unknown;
  readonly cookie?: unknown;
  readonly response?: unknown;
};

type Options = ReturnType<typeof optionsOf>;

/**
 * The schemas that read a request; null: not read. An operation of the API that takes no query or no body refuses each
 * parameter and member. A page ignores them: links to it may have any.
 *
 * @throws RefusedEarly for a GET request with a body
 */
function readersOf(request: Request, route: string, { body, query, isPage }: Options) {
  if (isPage || !route.startsWith('/api/')) return { body, query };
  const takesBody = request.method !== 'GET' && request.method !== 'HEAD';
  if (!takesBody && Number(request.headers.get('content-length') ?? 0) > 0)
    throw new RefusedEarly(refused('INVALID_REQUEST', GET_BODY));
  const none = request.url.includes('?') ? NO_QUERY : null;
  return { body: body ?? (takesBody ? NO_BODY : null), query: query ?? none };
}

const GET_BODY = 'A GET request takes no body; send its fields as query parameters.';

/**
 * The route's operation id, and its schema if it reads a body or a query.
 *
 * @throws for a schema that would not be checked, so that the service does not start
 */
function optionsOf({ detail, body, query, params, headers, cookie, response }: RouteOptions) {
  const operation = detail?.operationId;
  if (operation === undefined) throw new Error('a route has no operationId');
  const made = (name: string, schema: unknown, place: RequestSchema['place']): RequestSchema | null => {
    if (schema === undefined) return null;
    if (isRequestSchema(schema) && schema.place === place) return schema;
    throw new Error(`${operation}: ${name} must be made with ${place}() of src/http/schema.ts`);
  };
  made('params', params, 'path');
  if (headers !== undefined || cookie !== undefined)
    throw new Error(`${operation}: a header is read by a macro of src/http/header-macros.ts, not by a schema`);
  if (body !== undefined && query !== undefined)
    throw new Error(`${operation}: a route has a body or a query, not both`);
  const success = typeof response === 'object' && response !== null && 200 in response ? response[200] : null;
  const isPage = isAnswerSchema(success) && 'media' in success.about;
  return { operation, body: made('body', body, 'body'), query: made('query', query, 'query'), isPage };
}

/** With `repeatsPastQuota`, a key over its quota reaches the handler too. The handler must check `call.overQuota`. */
type RouteDemand = KeyDemand & { readonly repeatsPastQuota?: true };

function isDemand(demand: Permission | null | RouteDemand): demand is RouteDemand {
  return typeof demand === 'object' && demand !== null;
}

function keyOf({ key }: Call): KnownKey {
  if (key === null) throw new Error('the request came without a key');
  return key;
}

function deviceOf({ caller }: Call): KnownDevice {
  if (caller === null || !('deviceId' in caller)) throw new Error('the request came from no device');
  return caller;
}

function operatorOf({ caller }: Call): KnownOperator {
  if (caller === null || !('operatorId' in caller)) throw new Error('the request came from no operator');
  return caller;
}

function sessionOf({ session, caller }: Call): { readonly session: Session; readonly caller: SignedIn } {
  if (session === null) throw new Error('the request came without a session');
  return { session, caller: keyOrOperatorOf({ caller }) };
}

function keyOrOperatorOf({ caller }: Pick<Call, 'caller'>): SignedIn {
  if (caller === null || 'deviceId' in caller) throw new Error('the request came from no key and no operator');
  return 'operatorId' in caller ? { kind: 'operator', operator: caller } : { kind: 'key', key: caller };
}

function demandOfBoth(operation: string, permission: Permission): RouteAccess {
  const key = demandOfKeys(operation, { permission });
  return { by: 'key or operator', key, operator: demandOfOperators(operation) };
}

function demandOfKeys(operation: string, demand: KeyDemand | RouteDemand): Extract<Access, { by: 'key' }> {
  return { by: 'key', session: SESSION_KEY_OPERATIONS.has(operation), ...demand };
}

/** @throws for an operation without a row in the table of roles, so that the service does not start */
function demandOfOperators(operation: string): Extract<Access, { by: 'operator' }> {
  if (isOperatorOperation(operation)) return { by: 'operator', operation };
  throw new Error(`${operation}: src/domain/operator/roles.ts has no roles for it`);
}
