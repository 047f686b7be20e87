import { Elysia, status } from 'elysia';
import type { KeyDemand } from '../application/key/admit-key.ts';
import type { KnownDevice, KnownKey, KnownOperator } from '../application/key/authenticate.ts';
import { refused } from '../application/refusal.ts';
import type { Permission } from '../domain/apikey/apikey.ts';
import { isOperatorOperation } from '../domain/operator/roles.ts';
import { type Access, admit, type Throttle } from './admission.ts';
import { isAnswerSchema } from './answers.ts';
import { readJson } from './body.ts';
import { Call } from './call.ts';
import type { HttpContext } from './context.ts';
import { headerMacros } from './header-macros.ts';
import { parametersIn } from './parameters.ts';
import { RefusedEarly } from './refused-early.ts';
import { isRequestSchema, NO_BODY, NO_QUERY, type RequestSchema } from './schema.ts';

/**
 * A route's life cycle (docs/decisions/0045): `transform` authenticates the caller, then reads and validates query and
 * body; Elysia reads the path; the macros resolve; the handler runs; `afterHandle` or `error` builds the answer.
 * A route sets no status: it returns `success(…)`, `call.refuse(…)` or `call.reply(…)`. It uses schema.ts, never Elysia's `t`.
 * It names one macro: `apiKey` (a permission; null for any key), `device`, `operator` or `anybody`. src/domain/operator/roles.ts says
 * which roles may call a route of operators.
 */
export function access(context: HttpContext) {
  function hooksFor(demanded: Access | ((operation: string) => Access)) {
    return {
      introspect(route: object): void {
        const options = optionsOf(route);
        const { operation } = options;
        const demand = typeof demanded === 'function' ? demanded(operation) : demanded;
        if ('access' in route) throw new Error(`${operation}: a route names its caller by one macro, not two`);
        const transform = async (c: TransformContext) => {
          const call = new Call({ request: c.request, operation, route: c.route }, context);
          c.call = call;
          const admitting = admit(demand, c.request, context);
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
        Object.assign(route, { access: demand, parse: 'none', transform });
      },
      afterHandle: ({ call, responseValue }: WithCall & { responseValue: unknown }) =>
        admitted(call).answer(responseValue),
      error({ call, error, set }: WithCall & { error: unknown; set: { status?: number | string } }): Response {
        // Elysia has set 500. With another status than 200 it copies a finished response into a new one, as a stream.
        set.status = 200;
        return error instanceof RefusedEarly
          ? admitted(call).answerEarly(error.refused)
          : admitted(call).answerFault(error);
      },
    };
  }

  return new Elysia({ name: 'access' })
    .use(headerMacros(context))
    .decorate('call', null as Call | null)
    .macro({
      apiKey: (demand: Permission | null | RouteDemand) => ({
        ...hooksFor({ by: 'key', ...(isDemand(demand) ? demand : { permission: demand }) }),
        resolve: ({ call }: WithCall) => ({ call: admitted(call), key: keyOf(admitted(call)) }),
      }),
      device: (_demanded: true) => ({
        ...hooksFor({ by: 'device' }),
        resolve: ({ call }: WithCall) => ({ call: admitted(call), device: deviceOf(admitted(call)) }),
      }),
      operator: (_demanded: true) => ({
        ...hooksFor(demandOfOperators),
        resolve: ({ call }: WithCall) => ({ call: admitted(call), operator: operatorOf(admitted(call)) }),
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

/** @throws for an operation without a row in the table of roles, so that the service does not start */
function demandOfOperators(operation: string): Access {
  if (isOperatorOperation(operation)) return { by: 'operator', operation };
  throw new Error(`${operation}: src/domain/operator/roles.ts has no roles for it`);
}
