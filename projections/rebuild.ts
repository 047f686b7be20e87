import { type Position, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import type { EventFeed } from '../src/ports/event-store.ts';
import type { Log } from '../src/ports/log.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { differences, nextCollection, pointerName } from './builds.ts';
import { runProjection } from './run.ts';

/** Events applied so far, and how far in the log that is. */
export type RebuildProgress = { readonly events: number; readonly position: Position; readonly head: Position };

export type RebuildReport = {
  readonly projection: string;
  readonly from: string;
  readonly to: string;
  readonly position: Position;
  readonly events: number;
  /** Ids of documents that the old build held differently at the same position. None, unless the old one was damaged. */
  readonly differences: readonly string[];
};

export class RebuildInterrupted extends Error {
  constructor(projection: string) {
    super(`the rebuild of "${projection}" was interrupted; the old build goes on serving`);
    this.name = 'RebuildInterrupted';
  }
}

type Rebuild = {
  readonly projection: Projection<object>;
  readonly serving: string;
  readonly store: EventFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly progress: (progress: RebuildProgress) => void;
  readonly pauseServing: () => Promise<void>;
  /** Told how far the old build is brought while it stands still. */
  readonly advanced: (position: Position) => void;
  readonly resumeServing: (collection: string) => void;
};

/**
 * Blue/green: replays the log into a new collection while the old one serves, lets both stop at one position, compares
 * them, and moves the pointer by compare-and-set. Nothing is renamed, and a crash anywhere leaves the old build serving.
 * The old collection is left for the caller to drop, once no query reads it any more.
 */
export async function rebuild(work: Rebuild): Promise<RebuildReport> {
  const { projection, serving, store, readModels, signal } = work;
  const collection = await nextCollection(projection, readModels);
  await readModels.ensure(collection, projection.indexes);
  let events = 0;
  const replayTo = async (until: Position): Promise<void> => {
    await runProjection({
      ...work,
      collection,
      until,
      advanced: (position, applied) => {
        events += applied.events;
        work.progress({ events, position, head: until });
      },
    });
    if (signal.aborted) throw new RebuildInterrupted(projection.name);
  };
  let paused = false;
  let served = serving;
  let pointed = false;
  try {
    // The old build goes on while most of the log is replayed; only the last stretch is done with it standing still.
    await replayTo(await store.head());
    paused = true;
    await work.pauseServing();
    const position = (await readModels.checkpoint(serving)) ?? START;
    const reached = (await readModels.checkpoint(collection)) ?? START;
    if (reached < position) await replayTo(position);
    else await runProjection({ ...work, collection: serving, until: reached });
    if (signal.aborted) throw new RebuildInterrupted(projection.name);
    const differing = await differences(serving, collection, readModels);
    // Where the answer is lost, the pointer may have moved all the same.
    pointed = true;
    pointed = await readModels.movePointer(pointerName(projection), serving, collection);
    if (!pointed) throw new Error(`${projection.name}: another rebuild was faster`);
    served = collection;
    const to = reached < position ? position : reached;
    return { projection: projection.name, from: serving, to: collection, position: to, events, differences: differing };
  } finally {
    // Before anything is asked of the engine, which may be away: what serves finds its place by itself, and tries again.
    if (paused) work.resumeServing(served);
    if (!pointed) await dropUnused(collection, work);
  }
}

/** What cannot be dropped now is stale at the next start. */
async function dropUnused(collection: string, { readModels, log }: Rebuild): Promise<void> {
  try {
    await readModels.drop(collection);
  } catch (fault) {
    log.warn('new build not dropped', { collection, fault });
  }
}
