import { refused } from '../../application/refusal.ts';
import type { HttpContext, ProjectionStatus } from '../context.ts';
import { LIVEZ, PROJECTIONS, READYZ, REBUILD } from '../declarations/operations.ts';
import { endpoint } from '../endpoint.ts';
import { readiness } from '../health.ts';

/** GET /api/ops/projections: how far each projection is, and what is being rebuilt. */
export function projections(context: HttpContext) {
  return endpoint(context, PROJECTIONS, null, async () => ({
    kind: 'data',
    data: { items: (await context.operations.status()).map(presentStatus) },
  }));
}

function presentStatus(status: ProjectionStatus) {
  const { caughtUp, lastRebuild, ...rest } = status;
  return { ...rest, caught_up: caughtUp, last_rebuild: lastRebuild };
}

/** POST /api/ops/projections/{name}/rebuild: starts one; its progress is in GET /api/ops/projections. */
export function rebuild(context: HttpContext) {
  return endpoint(context, REBUILD, null, async ({ params }) => {
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
  return endpoint(context, LIVEZ, null, () => ({ kind: 'data', data: { status: 'ok' as const } }));
}

/** GET /readyz: every role can serve. */
export function readyz(context: HttpContext) {
  return endpoint(context, READYZ, null, () => readiness(context.ready()));
}
