import { Elysia, status, ValidationError } from 'elysia';
import type { KeyDemand } from '../application/key/admit-key.ts';
import type { KnownDevice, KnownKey, OperatorRole } from '../application/key/authenticate.ts';
import { type Refusal, refusal } from '../application/refusal.ts';
import type { Permission } from '../domain/apikey/apikey.ts';
import { type Access, admit, type Caller } from './admission.ts';
import { readJson } from './body.ts';
import { Call, RefusedEarly } from './call.ts';
import type { HttpContext } from './context.ts';
import type { Headers } from './envelope.ts';
import { headerMacros } from './header-macros.ts';
import { isIssue, isRequestSchema } from './schema.ts';

/**
 * A route's life cycle (docs/decisions/0045): `transform` authenticates the caller, then reads the body or the query;
 * Elysia validates; the macros resolve; the handler runs; `afterHandle` or `error` builds the answer.
 * A route sets no status: it returns `success(…)`, `call.refuse(…)` or `call.reply(…)`. It uses schema.ts, never Elysia's `t`.
 * It names one macro: `apiKey` (a permission; null for any key), `device`, `operator` (the lowest role) or `anybody`.
 */
export function access(context: HttpContext) {
  const calls = new WeakMap<Request, Call>();
  const callOf = (request: Request): Call => {
    const call = calls.get(request);
    if (call === undefined) throw new Error('the request was not admitted');
    return call;
  };

  /** Authenticates the caller. Returns the refusal as a response, or null if the request may continue. */
  async function refusedAt(demand: Access, call: Call): Promise<Response | null> {
    const admitting = admit(demand, call.request, context);
    const admission = admitting instanceof Promise ? await admitting : admitting;
    call.identify(admission);
    if (admission.kind === 'admitted') return null;
    if (!(admission.overQuota && demand.by === 'key' && demand.replays === true))
      return call.answerRefusal(admission.refusal);
    call.overQuota = admission;
    return null;
  }

  function hooksFor(demand: Access) {
    return {
      introspect(route: object): void {
        const { operationId: operation, reads } = declaredBy(route);
        const begin = (request: Request, path: string): Call => {
          const call = new Call({ request, operation, route: path }, context);
          calls.set(request, call);
          return call;
        };
        // Elysia parses the body or the query if a hook's source mentions it, and everything if a hook passes its
        // context on.
        const transforms = {
          none: async ({ request, route: path }: Arriving) => early(await refusedAt(demand, begin(request, path))),
          body: async (c: Arriving) => {
            const call = begin(c.request, c.route);
            const refused = await refusedAt(demand, call);
            if (refused !== null) return early(refused);
            const read = await readJson(c.request);
            if (read.kind === 'refused') return early(call.answerRefusal(call.overQuota?.refusal ?? read.refusal));
            c.body = read.value;
            return undefined;
          },
          query: async (c: Arriving) => {
            const refused = await refusedAt(demand, begin(c.request, c.route));
            // Elysia's own query parser splits a value at its commas and parses a value that looks like JSON.
            if (refused === null) c.query = firstOfEach(c.request.url);
            return early(refused);
          },
        };
        // A macro's type allows neither an early return from `transform` nor a parser by its name.
        Object.assign(route, { access: demand, parse: [readLater, 'json'], transform: transforms[reads] });
      },
      afterHandle({ request, responseValue, set }: { request: Request; responseValue: unknown; set: Sent }): Response {
        const { headers } = set;
        untouched(set);
        const response = callOf(request).answer(responseValue, textsIn(headers));
        return response;
      },
      error({ request, error, set }: { request: Request; error: unknown; set: Sent }): Response {
        untouched(set);
        const call = callOf(request);
        const refused = refusalIn(error);
        const response =
          refused === null ? call.answerFault(error) : call.answerRefusal(call.overQuota?.refusal ?? refused);
        return response;
      },
    };
  }

  return new Elysia({ name: 'access' }).use(headerMacros()).macro({
    apiKey: (demand: Permission | null | RouteDemand) => ({
      ...hooksFor({ by: 'key', ...(isDemand(demand) ? demand : { permission: demand }) }),
      resolve: ({ request }: { request: Request }) => {
        const call = callOf(request);
        return { call, key: keyOf(call) };
      },
    }),
    device: (_demanded: true) => ({
      ...hooksFor({ by: 'device' }),
      resolve: ({ request }: { request: Request }) => {
        const call = callOf(request);
        return { call, device: deviceOf(call.caller) };
      },
    }),
    operator: (least: OperatorRole) => ({
      ...hooksFor({ by: 'operator', least }),
      resolve: ({ request }: { request: Request }) => {
        const call = callOf(request);
        return { call, role: roleOf(call.caller) };
      },
    }),
    anybody: (_demanded: true) => ({
      ...hooksFor({ by: 'anybody' }),
      resolve: ({ request }: { request: Request }) => ({ call: callOf(request) }),
    }),
  });
}

/**
 * Keeps Elysia from parsing the body before `transform` has authenticated the caller. It returns a value other than
 * undefined, so Elysia skips the next parser: `json` only names the content type for the API reference.
 */
const readLater = () => null;

/** The parts of Elysia's context that `transform` reads and sets. */
type Arriving = { readonly request: Request; readonly route: string; body: unknown; query: unknown };

/** Elysia ends a request if `transform` returns a status. With 200, the response keeps its own status. */
function early(response: Response | null) {
  return response === null ? undefined : status(200, response);
}

/** The parts of Elysia's `set` that the hooks use. */
type Sent = { headers: Readonly<Record<string, unknown>>; status?: number | string };

/** Clears `set`: if it has headers or a status, Elysia copies the finished response into a new one, as a stream. */
function untouched(set: Sent): void {
  set.headers = {};
  set.status = 200;
}

function textsIn(headers: Readonly<Record<string, unknown>>): Headers {
  const texts: Record<string, string> = {};
  for (const name in headers) texts[name] = String(headers[name]);
  return texts;
}

/** The route's operation id, and whether it reads a body, a query or neither. */
function declaredBy(route: { readonly detail?: { readonly operationId?: string } }) {
  const { detail, body, query } = { body: null, query: null, ...route };
  const operationId = detail?.operationId;
  if (operationId === undefined) throw new Error('a route has no operationId');
  const reads = isRequestSchema(body) ? 'body' : isRequestSchema(query) ? 'query' : 'none';
  return { operationId, reads } as const;
}

/** The refusal that an error carries; null for a fault of the service. */
function refusalIn(error: unknown): Refusal | null {
  if (error instanceof RefusedEarly) return error.refused.refusal;
  return error instanceof ValidationError ? refusalOfFields(error) : null;
}

/** Code and sentence of the first bad field; `details` names all of them. Null if the error is not about a request. */
function refusalOfFields({ valueError: first }: ValidationError): Refusal | null {
  if (!isIssue(first)) return null;
  const { code, message, alternatives, details } = first;
  return refusal(code, message, { details: details(), ...(alternatives && { alternatives }) });
}

/** With `replays`, a key over its quota reaches the handler too. The handler must check `call.overQuota`. */
type RouteDemand = KeyDemand & { readonly replays?: true };

/** The query parameters; the first value of a repeated one. */
function firstOfEach(url: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  // Parsing a URL costs microseconds. Most requests for a single object have no query.
  if (url.includes('?')) for (const [name, value] of new URL(url).searchParams) values[name] ??= value;
  return values;
}

function isDemand(demand: Permission | null | RouteDemand): demand is RouteDemand {
  return typeof demand === 'object' && demand !== null;
}

function keyOf({ key }: Call): KnownKey {
  if (key === null) throw new Error('the request came without a key');
  return key;
}

function deviceOf(caller: Caller): KnownDevice {
  if (caller === null || typeof caller === 'string' || !('deviceId' in caller))
    throw new Error('the request came from no device');
  return caller;
}

function roleOf(caller: Caller): OperatorRole {
  if (typeof caller !== 'string') throw new Error('the request came from no operator');
  return caller;
}
