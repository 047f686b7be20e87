import { PROJECTIONS } from '../../projections/index.ts';
import type { Config } from '../config.ts';
import type { Operations } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Parking } from '../runtime/parking.ts';
import { logRebuild, openProjector, rebuildOutcomeOf } from '../runtime/projector.ts';
import type { UnknownEvents } from '../runtime/unknown-events.ts';
import type { EmbeddedStores } from './embedded-stores.ts';
import type { Projections } from './engines.ts';
import { showVersions, versionGraceMs } from './projection-versions.ts';
import { type EmbeddedProjector, projectInThread } from './projector-thread.ts';

type Context = {
  readonly parking: Parking;
  readonly clock: Clock;
  readonly log: Log;
  readonly unknownEvents: Pick<UnknownEvents, 'note'>;
};

/** Runs the projections in this process, which has the embedded stores to itself. */
export async function openProjections(
  stores: EmbeddedStores,
  config: Pick<Config, 'projectorThread' | 'logLevel' | 'projectionVersionDays'>,
  { parking, clock, log, unknownEvents }: Context,
): Promise<Projections & Pick<EmbeddedProjector, 'storing'>> {
  const graceMs = versionGraceMs(config);
  const projector = config.projectorThread
    ? await projectInThread(stores, { logLevel: config.logLevel, graceMs }, { unknownEvents, parking, log })
    : await projectHere(stores, { parking, clock, log, graceMs });
  return {
    collection: (name) => Promise.resolve(projector.collection(name)),
    waitFor: (name, position, timeoutMs) => projector.waitFor(name, position, timeoutMs),
    filling: () => projector.filling(),
    storing: () => projector.storing(),
    operations: operationsOf(projector, log),
    stop: () => projector.stop(),
  };
}

async function projectHere(
  stores: EmbeddedStores,
  { parking, clock, log, graceMs }: Omit<Context, 'unknownEvents'> & { readonly graceMs: number },
): Promise<EmbeddedProjector> {
  const versions = await showVersions({ readModels: stores.readModels, clock, log, graceMs, alone: true });
  const projector = await openProjector(PROJECTIONS, { ...stores, parking, log });
  await projector.resumeRebuilds();
  return {
    ...projector,
    storing: () => stores.readModels.writable(),
    rebuild: (name) => rebuildOutcomeOf(projector.rebuild(name)),
    async stop() {
      await versions.stop();
      await projector.stop();
    },
  };
}

function operationsOf(projector: EmbeddedProjector, log: Log): Operations {
  return {
    status: () => projector.status(),
    async rebuild(name) {
      const rebuilding = projector.rebuilding(name);
      if (rebuilding === null) return { kind: 'unknown', known: PROJECTIONS.map((projection) => projection.name) };
      if (rebuilding) return { kind: 'running' };
      void projector.rebuild(name).then((outcome) => logRebuild(log, name, outcome));
      return { kind: 'started' };
    },
  };
}
