import { type AnyElysia, Elysia } from 'elysia';
import { refusal } from '../application/refusal.ts';
import { OPERATIONS } from '../domain/operator/roles.ts';
import { SESSION_KEY_OPERATIONS } from '../domain/session/key-operations.ts';
import { activityRoutes } from './activity/routes.ts';
import { type Access, accessesOf, type RouteAccess } from './admission.ts';
import { calendarRoutes } from './allotment/calendar-routes.ts';
import { dateCancellationRoutes } from './allotment/cancellation-routes.ts';
import { allotmentRangeRoutes } from './allotment/range-routes.ts';
import { allotmentRoutes } from './allotment/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { bookingChangeRoutes } from './booking/change-routes.ts';
import { erasureRoutes } from './booking/erasure-routes.ts';
import { operatorBookingChangeRoutes } from './booking/operator-change-routes.ts';
import { operatorBookingRoutes } from './booking/operator-routes.ts';
import { bookingRoutes } from './booking/routes.ts';
import { requestIdOf } from './call.ts';
import { catalogueRoutes } from './catalogue/routes.ts';
import type { HttpContext, SendFor } from './context.ts';
import { experimentRoutes } from './experiment/routes.ts';
import { failureAnswer } from './failure-page-response.ts';
import { internalError } from './faults.ts';
import { feedRoutes } from './feed/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { operatorHoldRoutes } from './hold/operator-routes.ts';
import { holdRoutes } from './hold/routes.ts';
import { inventoryRoutes } from './inventory/routes.ts';
import { keyLifecycleRoutes } from './key/lifecycle-routes.ts';
import { ownKeyRoutes } from './key/own-routes.ts';
import { keyRoutes } from './key/routes.ts';
import { learningRoutes } from './learning/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { nearestPath } from './nearest-path.ts';
import { operatorRoutes } from './operator/routes.ts';
import { evaluationRoutes } from './ops/evaluation-routes.ts';
import { eventsRoutes } from './ops/events-routes.ts';
import { explanationRoutes } from './ops/explanation-routes.ts';
import { parkedRoutes } from './ops/parked-routes.ts';
import { readersRoutes } from './ops/readers-routes.ts';
import { opsRoutes } from './ops/routes.ts';
import { indexRoutes, pageRoutes } from './pages/routes.ts';
import { pictureRoutes } from './picture/routes.ts';
import { recommendRoutes } from './recommend/routes.ts';
import { describedRoutes } from './reference/described-routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { sessionRoutes } from './session/routes.ts';
import { statementRoutes } from './statement/routes.ts';
import { refreshRoutes, supplyRoutes } from './supply/routes.ts';
import { arrivalsRoutes } from './venue/arrivals-routes.ts';
import { venueRoutes } from './venue/routes.ts';
import { venueRequestRoutes } from './venue-request/routes.ts';
import { visitRoutes } from './visit/routes.ts';
import { voucherRoutes } from './voucher/routes.ts';
import { verifyRoutes } from './voucher/verify-routes.ts';
import { receiverRoutes } from './webhook/receiver-routes.ts';
import { replayRoutes } from './webhook/replay-routes.ts';
import { resendRoutes } from './webhook/resend-routes.ts';
import { webhookRoutes } from './webhook/routes.ts';

export function createApp(outside: HttpContext) {
  const inside = new WeakMap<Request, string | null>();
  const addressOf = (request: Request): string | null => inside.get(request) ?? outside.addressOf(request);
  const context = { ...outside, addressOf };
  // MCP tool calls are requests to this app.
  const send: SendFor = (path, init, address) => {
    const request = new Request(`http://localhost${path}`, init);
    inside.set(request, address);
    return app.handle(request);
  };
  // By default Elysia assumes a host name of at least four characters, and finds no path in `http://api/livez`.
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(recommendRoutes(context))
    .use(bookingRoutes(context))
    .use(holdRoutes(context))
    .use(bookingChangeRoutes(context))
    .use(inventoryRoutes(context))
    .use(catalogueRoutes(context))
    .use(refreshRoutes(context))
    .use(webhookRoutes(context))
    .use(receiverRoutes(context))
    .use(resendRoutes(context))
    .use(replayRoutes(context))
    .use(feedRoutes(context))
    .use(voucherRoutes(context))
    .use(pictureRoutes(context))
    .use(venueRequestRoutes(context))
    .use(verifyRoutes(context))
    .use(arrivalsRoutes(context))
    .use(ownKeyRoutes(context))
    .use(statementRoutes(context))
    .use(routesOfOperators(context))
    .use(sessionRoutes(context))
    .use(liveRoutes(context))
    .use(healthRoutes(context))
    .use(mcpRoutes(context, send))
    .use(indexRoutes(context))
    .use(referenceRoutes(context, (): AnyElysia => app));
  if (context.hasPages) app.use(pageRoutes(context));
  // They throw for a route that names no caller, and for roles of no route: the service does not start.
  const described = describedRoutes(app.routes);
  assertEveryRoleUsed(described);
  assertSessionOperations(described);
  const methods = methodsByPath(app.routes);
  const nearest = nearestPath(app.routes);
  return app.onError(({ code, error, request }) => {
    const requestId = requestIdOf(request, context);
    const headers = { 'x-request-id': requestId };
    if (code !== 'NOT_FOUND') {
      context.log.error('router failed', { requestId, fault: error });
      return failureAnswer(internalError(requestId), headers, request, context);
    }
    const { pathname } = new URL(request.url);
    const allowed = methods(pathname);
    if (allowed.length === 0) {
      const meant = nearest(request.method, pathname);
      const advice = meant === null ? 'check the path.' : `the nearest path is ${meant}.`;
      const message = `There is nothing at ${pathname.slice(0, 200)}; ${advice}`;
      return failureAnswer(refusal('NOT_FOUND', message, { details: WHERE_PATHS_ARE }), headers, request, context);
    }
    const message = `${request.method} is not possible at ${pathname.slice(0, 200)}; use ${allowed.join(' or ')}.`;
    const refused = refusal('METHOD_NOT_ALLOWED', message, { details: WHERE_PATHS_ARE });
    return failureAnswer(refused, { ...headers, allow: allowed.join(', ') }, request, context);
  });
}

const WHERE_PATHS_ARE =
  'GET /llms.txt is a short guide for agents; GET /openapi.json and GET /openapi-operators.json describe every path.';

export type App = ReturnType<typeof createApp>;

/** @throws if the table of roles has an operation that no route of operators has */
export function assertEveryRoleUsed(
  routes: readonly { readonly access: RouteAccess; readonly operationId: string }[],
): void {
  const called = operationsOf('operator', routes);
  const unused = Object.keys(OPERATIONS).filter((operation) => !called.has(operation));
  if (unused.length > 0)
    throw new Error(`src/domain/operator/roles.ts names operations without a route: ${unused.join(', ')}`);
}

/** @throws if a session may call an operation that no route of keys has, or that needs another permission */
export function assertSessionOperations(
  routes: readonly { readonly access: RouteAccess; readonly operationId: string }[],
): void {
  const needed = new Map(
    routes.flatMap(({ access, operationId }) =>
      accessesOf(access).flatMap((each) => (each.by === 'key' ? [[operationId, each.permission] as const] : [])),
    ),
  );
  const wrong = [...SESSION_KEY_OPERATIONS].filter(([operation, permission]) => needed.get(operation) !== permission);
  if (wrong.length > 0)
    throw new Error(
      `src/domain/session/key-operations.ts names operations without a route of this permission: ${wrong.join(', ')}`,
    );
}

function operationsOf(
  by: Access['by'],
  routes: readonly { readonly access: RouteAccess; readonly operationId: string }[],
): ReadonlySet<string> {
  const served = routes.filter(({ access }) => accessesOf(access).some((each) => each.by === by));
  return new Set(served.map(({ operationId }) => operationId));
}

/** The methods of a path; empty if no route has the path. */
function methodsByPath(
  routes: readonly { readonly method: string; readonly path: string }[],
): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => {
    const pattern = path
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace('\\*', '.+');
    return { method, pattern: new RegExp(`^${pattern}/?$`) };
  });
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}

/** A plugin of its own: TypeScript bounds the depth of a chain's type. */
function routesOfOperators(context: HttpContext) {
  return new Elysia({ name: 'operator' })
    .use(activityRoutes(context))
    .use(allotmentRoutes(context))
    .use(dateCancellationRoutes(context))
    .use(allotmentRangeRoutes(context))
    .use(calendarRoutes(context))
    .use(operatorBookingRoutes(context))
    .use(operatorBookingChangeRoutes(context))
    .use(erasureRoutes(context))
    .use(operatorHoldRoutes(context))
    .use(venueRoutes(context))
    .use(visitRoutes(context))
    .use(learningRoutes(context))
    .use(keyRoutes(context))
    .use(keyLifecycleRoutes(context))
    .use(operatorRoutes(context))
    .use(analyticsRoutes(context))
    .use(opsRoutes(context))
    .use(eventsRoutes(context))
    .use(readersRoutes(context))
    .use(auditRoutes(context))
    .use(explanationRoutes(context))
    .use(parkedRoutes(context))
    .use(evaluationRoutes(context))
    .use(experimentRoutes(context))
    .use(supplyRoutes(context));
}
