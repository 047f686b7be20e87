import { type Refused, refusal, refused, serviceUnavailable } from '../application/refusal.ts';
import type { HttpContext } from './context.ts';
import { requestIdOf } from './endpoint.ts';
import { failure, success } from './envelope.ts';

type Checks = Readonly<Record<string, boolean>>;

/** What `/readyz` answers: every check that it names must hold. */
export function readiness(
  checks: Checks,
): { readonly kind: 'data'; readonly data: { readonly status: 'ready'; readonly checks: Checks } } | Refused {
  if (Object.values(checks).every(Boolean)) return { kind: 'data', data: { status: 'ready', checks } };
  const missing = Object.keys(checks).filter((name) => checks[name] !== true);
  return refused('SERVICE_UNAVAILABLE', `Not ready: ${missing.join(', ')}.`, { retryAfterSeconds: 1 });
}

/**
 * Answers for a node that is not there for requests: `starting` for one that will be, `other roles` for one that never is.
 * It says whether it lives and whether it is ready, in the words of a node that is.
 */
export function healthOnly(
  state: 'starting' | 'other roles',
  ready: () => Checks,
  context: Pick<HttpContext, 'ids'>,
): (request: Request) => Response {
  const elsewhere =
    state === 'starting'
      ? serviceUnavailable('the service is starting').refusal
      : refusal('NOT_FOUND', 'This node does other work of the service; ask one that has the role api.');
  return (request) => {
    const headers = { 'x-request-id': requestIdOf(request, context) };
    switch (new URL(request.url).pathname) {
      case '/livez':
        return success({ status: 'ok' }, headers, request);
      case '/readyz': {
        const answer = readiness(ready());
        return answer.kind === 'refused'
          ? failure(answer.refusal, headers, request)
          : success(answer.data, headers, request);
      }
      default:
        return failure(elsewhere, headers, request);
    }
  };
}
