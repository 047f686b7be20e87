import { refused } from '../../application/refusal.ts';
import type { HttpContext } from '../context.ts';
import { endpoint } from '../endpoint.ts';

/** GET /api/ops/projections: how far each projection is, and what is being rebuilt. */
export function projections(context: HttpContext) {
  return endpoint(context, { by: 'operator', access: 'read' }, null, async () => ({
    kind: 'data',
    data: { items: (await context.operations.status()).map(presentStatus) },
  }));
}

function presentStatus(status: Awaited<ReturnType<HttpContext['operations']['status']>>[number]) {
  const { caughtUp, lastRebuild, ...rest } = status;
  return { ...rest, caught_up: caughtUp, last_rebuild: lastRebuild };
}

/** POST /api/ops/projections/{name}/rebuild: starts one; its progress is in GET /api/ops/projections. */
export function rebuild(context: HttpContext) {
  return endpoint(context, { by: 'operator', access: 'write' }, null, async ({ params }) => {
    const name = params['name'] ?? '';
    const started = await context.operations.rebuild(name);
    if (started.kind === 'unknown') {
      return refused('NOT_FOUND', `There is no projection "${name}"; there are ${started.known.join(', ')}.`);
    }
    return { kind: 'data', data: { name, rebuild: started.kind } };
  });
}

/** GET /livez: the process runs. */
export function livez(context: HttpContext) {
  return endpoint(context, { by: 'anybody' }, null, () => ({ kind: 'data', data: { status: 'ok' } }));
}

/** GET /readyz: every role can serve. */
export function readyz(context: HttpContext) {
  return endpoint(context, { by: 'anybody' }, null, () => {
    const checks = context.ready();
    if (Object.values(checks).every(Boolean)) return { kind: 'data', data: { status: 'ready', checks } };
    const missing = Object.keys(checks).filter((name) => checks[name] !== true);
    return refused('SERVICE_UNAVAILABLE', `Not ready: ${missing.join(', ')}.`, { retryAfterSeconds: 1 });
  });
}
