import { PROJECTIONS } from '../../projections/index.ts';
import { openProjector, outcomeOf, type ProjectionStatus } from '../../projections/projector.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { showVersions } from './projection-versions.ts';
import type { EmbeddedStores } from './stores.ts';

/** The projections as the rest of the node needs them, wherever they run. */
export type RunningProjections = {
  /** The collection that queries of a projection read now. */
  collection(name: string): string;
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** True once every projection has applied what the log held at the start, or at the last one of the thread they run in. */
  caughtUpOnce(): boolean;
  /** False while the disk refuses what they write. */
  storing(): boolean;
  /** Null where there is no projection of that name. */
  rebuilding(name: string): boolean | null;
  rebuild(name: string): Promise<RebuildOutcome>;
  stop(): Promise<void>;
};

/** Runs the projections in this thread. */
export async function projectHere(
  stores: EmbeddedStores,
  { clock, log, graceMs }: { readonly clock: Clock; readonly log: Log; readonly graceMs: number },
): Promise<RunningProjections> {
  const versions = await showVersions({ readModels: stores.readModels, clock, log, graceMs });
  const projector = await openProjector(PROJECTIONS, { ...stores, log });
  return {
    ...projector,
    storing: () => stores.readModels.writable(),
    rebuild: async (name) => outcomeOf(await projector.rebuild(name)),
    async stop() {
      await versions.stop();
      await projector.stop();
    },
  };
}
