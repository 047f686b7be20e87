import { PROJECTIONS } from '../../projections/index.ts';
import type { HttpContext } from '../http/context.ts';
import type { Log } from '../ports/log.ts';
import type { RunningProjections } from './projector.ts';

/** The projections as an operator sees and rebuilds them. */
export function operationsOf(projector: RunningProjections, log: Log): HttpContext['operations'] {
  return {
    status: () => projector.status(),
    async rebuild(name) {
      const rebuilding = projector.rebuilding(name);
      if (rebuilding === null) return { kind: 'unknown', known: PROJECTIONS.map((projection) => projection.name) };
      if (rebuilding) return { kind: 'running' };
      projector.rebuild(name).then(
        (outcome) => log.info('projection rebuilt', { projection: name, ...outcome }),
        (fault: unknown) => log.error('rebuild failed', { projection: name, fault }),
      );
      return { kind: 'started' };
    },
  };
}
