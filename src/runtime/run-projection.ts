import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderProgress } from '../ports/log-follower.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { applyBatch } from './apply-events.ts';
import { resumeFolding } from './checkpoints.ts';
import { leftOutEvents, type Parking, readerOf } from './parking.ts';

const MAX_BATCH = 500;
/** Collects events for this time into one batch, so that a document that many of them change is written once. */
const LINGER_MS = 50;
/** Without an event for this projection, the checkpoint advances once in this time. */
const QUIET_MS = 5_000;
/** The same, if other nodes wait for positions by reading the checkpoint. */
const WATCHED_QUIET_MS = 100;

export type Run = {
  readonly projection: Projection<object>;
  readonly collection: string;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  /** Without it, the projection stops at an event that it cannot apply. */
  readonly parking?: Parking | undefined;
  readonly signal: AbortSignal;
  /** The position of what has been applied. `START`, set at the start, means that the collection is folded from there. */
  readonly progress: ReaderProgress;
  /** Called when everything up to a position has been applied. */
  readonly applied?: (events: number, upTo: Position) => void;
  /** Where to stop: no later event is applied. */
  readonly until?: Position;
  /** Whether other nodes read the checkpoint to wait for a position. */
  readonly watched?: boolean;
};

/**
 * Applies the log to a collection, from its checkpoint on, until the signal aborts or `until` is reached. After a fault (the
 * store is unavailable, a document cannot be written) it logs and retries from the checkpoint, with back-off.
 * @throws UnknownEvent at an event of a newer release, with everything before it applied
 */
export function runProjection(run: Run): Promise<void> {
  const { projection, collection, store, readModels, parking, progress, applied, until, watched = false } = run;
  const { log, signal } = run;
  let filling = false;
  return store.follower.follow({
    reader: `projection ${collection}`,
    categories: projection.categories,
    progress,
    async resumeAt() {
      const after = await resumeFolding(projection, collection, run);
      if (after === START) progress.set(START);
      filling = after === START && until === undefined;
      return after;
    },
    async apply(batch) {
      await applyBatch(projection, collection, readModels, batch);
      if (filling && batch.caughtUp) {
        await readModels.ensure(collection, projection.indexes);
        filling = false;
      }
      applied?.(batch.events.length, batch.upTo);
    },
    leftOut: parking && leftOutEvents(readerOf(projection), { parking, positions: store.positions, log }),
    inOnePass: true,
    maxBatch: MAX_BATCH,
    lingerMs: LINGER_MS,
    quietMs: watched ? WATCHED_QUIET_MS : QUIET_MS,
    ...(until !== undefined && { until }),
    log,
    signal,
  });
}
