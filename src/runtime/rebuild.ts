import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderProgress } from '../ports/log-follower.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { differences, nextCollection, pointerName } from './builds.ts';
import { Progress } from './progress.ts';
import { runProjection } from './run-projection.ts';

/** The number of events applied so far, and the position of the last one. */
export type RebuildProgress = { readonly events: number; readonly position: Position; readonly head: Position };

export type RebuildReport = {
  readonly projection: string;
  readonly from: string;
  readonly to: string;
  readonly position: Position;
  readonly events: number;
  /** Ids of documents that differ from the old build at the same position. None, unless the old build was damaged. */
  readonly differences: readonly string[];
};

export class RebuildInterrupted extends Error {
  constructor(projection: string) {
    super(`the rebuild of "${projection}" was interrupted; the old build still serves`);
    this.name = 'RebuildInterrupted';
  }
}

type Rebuild = {
  readonly projection: Projection<object>;
  readonly serving: string;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly progress: (progress: RebuildProgress) => void;
  readonly pauseServing: () => Promise<void>;
  /** Of the old build. */
  readonly servingProgress: ReaderProgress;
  readonly resumeServing: (collection: string) => void;
};

/**
 * Blue/green: replays the log into a new collection while the old one serves, stops both at one position, compares them,
 * and moves the pointer by compare-and-set. A crash at any point leaves the old build serving. The caller drops the old
 * collection once no query reads it any more.
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
      progress: new Progress(),
      applied: (count, position) => {
        events += count;
        work.progress({ events, position, head: until });
      },
    });
    if (signal.aborted) throw new RebuildInterrupted(projection.name);
  };
  let paused = false;
  let served = serving;
  let pointed = false;
  try {
    // The old build advances while most of the log is replayed, and is paused for the last part only.
    await replayTo(await store.head());
    paused = true;
    await work.pauseServing();
    const position = (await readModels.checkpoint(serving)) ?? START;
    const reached = (await readModels.checkpoint(collection)) ?? START;
    if (reached < position) await replayTo(position);
    else await runProjection({ ...work, collection: serving, until: reached, progress: work.servingProgress });
    if (signal.aborted) throw new RebuildInterrupted(projection.name);
    const differing = await differences(serving, collection, readModels);
    // The pointer may have moved even if the answer is lost.
    pointed = true;
    pointed = await readModels.movePointer(pointerName(projection), serving, collection);
    if (!pointed) throw new Error(`${projection.name}: another rebuild has moved the pointer`);
    served = collection;
    const to = reached < position ? position : reached;
    return { projection: projection.name, from: serving, to: collection, position: to, events, differences: differing };
  } finally {
    // Before the drop, which fails if the engine is unavailable. The serving build reads its checkpoint and retries.
    if (paused) work.resumeServing(served);
    if (!pointed) await dropUnused(collection, work);
  }
}

/** The next start drops what cannot be dropped now. */
async function dropUnused(collection: string, { readModels, log }: Rebuild): Promise<void> {
  try {
    await readModels.drop(collection);
  } catch (fault) {
    log.warn('new build not dropped', { collection, fault });
  }
}
