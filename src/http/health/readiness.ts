import type { ReaderItem } from '../../application/ops/parked-items.ts';
import { type Refusal, type Refused, refusal, refused, serviceUnavailable } from '../../application/refusal.ts';
import { requestIdOf } from '../call.ts';
import type { Checks, HttpContext } from '../context.ts';
import { failureResponse, successResponse } from '../envelope.ts';
import { logUnavailable } from '../faults.ts';
import { presentParked } from '../ops/parked-routes.ts';

/** Maximum number of parked items in the answer; `GET /api/ops/readers/parked` returns all. */
const MAX_SHOWN = 20;

type Ready = {
  readonly kind: 'data';
  readonly data: {
    readonly status: 'ready';
    readonly checks: Record<string, boolean>;
    readonly parked?: readonly ReturnType<typeof presentParked>[];
    readonly parked_total?: number;
  };
};

/** The answer of `/readyz`: ready if every check passes. `HttpContext.ready` has logged the failed ones. */
export function readiness(checks: Checks, parked: readonly ReaderItem[]): Ready | Refused {
  const failed = Object.entries(checks).filter(([, check]) => check !== true);
  if (failed.length === 0) {
    const passed = Object.fromEntries(Object.keys(checks).map((name) => [name, true]));
    // A parked item stops no reader: it is shown, and the node stays ready.
    const shown = parked.slice(0, MAX_SHOWN).map(presentParked);
    const left = parked.length === 0 ? {} : { parked: shown, parked_total: parked.length };
    return { kind: 'data', data: { status: 'ready', checks: passed, ...left } };
  }
  const reasons = failed.flatMap(([name, check]) => (typeof check === 'string' ? [`${name}: ${check}`] : []));
  const reason = `Not ready: ${failed.map(([name]) => name).join(', ')}.`;
  return refused('SERVICE_UNAVAILABLE', reason, {
    details: reasons.join('\n'),
    retryAfterSeconds: 1,
    cause: 'logged',
  });
}

/**
 * The handler of a node that serves no API requests: `starting` before it serves, `other roles` if it never will. It
 * answers `/livez` and `/readyz` like a serving node.
 */
export function healthOnly(
  state: 'starting' | 'other roles',
  ready: () => Checks,
  context: Pick<HttpContext, 'ids' | 'log'> & Partial<Pick<HttpContext, 'parked'>>,
): (request: Request) => Response {
  const notServing =
    state === 'starting'
      ? serviceUnavailable('the service is starting', { call: 'start of the service' }).refusal
      : refusal('NOT_FOUND', 'This node does other work of the service; ask one that has the role api.');
  return (request) => {
    const requestId = requestIdOf(request, context);
    const headers = { 'x-request-id': requestId };
    const { pathname } = new URL(request.url);
    const refuse = (reason: Refusal): Response => {
      // Logs only the first two segments: a later one may be a voucher's code, which is a secret.
      const path = pathname.split('/').slice(0, 3).join('/');
      const facts = { requestId, endpoint: null, method: request.method, path, requestMs: 0 };
      if (reason.code === 'SERVICE_UNAVAILABLE') logUnavailable(reason, facts, context.log);
      return failureResponse(reason, headers, request);
    };
    switch (pathname) {
      case '/livez':
        return successResponse({ status: 'ok' }, headers, request);
      case '/readyz': {
        const answer = readiness(ready(), context.parked?.() ?? []);
        return answer.kind === 'refused' ? refuse(answer.refusal) : successResponse(answer.data, headers, request);
      }
      default:
        return refuse(notServing);
    }
  };
}
