import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { markRebuild, nextCollection, type OpenRebuild, openRebuild, pointerName } from './builds.ts';
import { differences } from './comparison.ts';
import type { Parking } from './parking.ts';
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
    super(`the rebuild of "${projection}" was interrupted and can be resumed; the old build still serves`);
    this.name = 'RebuildInterrupted';
  }
}

type Rebuild = {
  readonly projection: Projection<object>;
  readonly serving: string;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly parking?: Parking | undefined;
  readonly signal: AbortSignal;
  /** Names what asked for it: a rebuild that was interrupted is resumed for the same request. */
  readonly request: string;
  /** Whether an interrupted one may be resumed. */
  readonly mayResume: boolean;
  readonly progress: (progress: RebuildProgress) => void;
  readonly pauseServing: () => Promise<void>;
  /** `position` is what the new build has reached; null if the old one goes on. */
  readonly resumeServing: (collection: string, position: Position | null) => void;
};

/**
 * Blue/green: replays the log into a new collection while the old one serves, lets the new one follow the log as well,
 * compares them, and moves the pointer by compare-and-set. The old build stands still only while the pointer moves. A crash
 * at any point leaves it serving; the next rebuild for the same request goes on with the new one (docs/decisions/0065). The
 * caller drops the old collection once no query reads it any more.
 */
export async function rebuild(work: Rebuild): Promise<RebuildReport> {
  const { projection, serving, store, readModels, signal } = work;
  const open = await resumedOrNew(work);
  const { collection } = open;
  let events = 0;
  const fill = new Filling(work, collection, (count, position, head) => {
    events += count;
    work.progress({ events, position, head });
  });
  let paused = false;
  let served: { readonly collection: string; readonly position: Position | null } = {
    collection: serving,
    position: null,
  };
  let pointed = false;
  try {
    await readModels.ensure(collection, projection.indexes);
    await fill.upTo(await store.head());
    await readModels.ensure(collection, projection.indexes);
    await fill.follow();
    const differing = await differences(serving, collection, work);
    fill.assertRunning();
    paused = true;
    await work.pauseServing();
    const position = (await readModels.checkpoint(serving)) ?? START;
    const reached = await fill.endAfter(position);
    // Before the pointer moves: then no other node drops this build.
    if (!(await markRebuild(projection, open, null, readModels)))
      throw new Error(`${projection.name}: another node has ended this rebuild`);
    // The pointer may have moved even if the answer is lost.
    pointed = true;
    pointed = await readModels.movePointer(pointerName(projection), serving, collection);
    if (!pointed) throw new Error(`${projection.name}: another rebuild has moved the pointer`);
    served = { collection, position: reached };
    return {
      projection: projection.name,
      from: serving,
      to: collection,
      position: reached,
      events,
      differences: differing,
    };
  } catch (fault) {
    if (signal.aborted && !pointed) throw new RebuildInterrupted(projection.name);
    throw fault;
  } finally {
    await fill.end();
    // Before the drop, which fails if the engine is unavailable. The serving build reads its checkpoint and retries.
    if (paused) work.resumeServing(served.collection, served.position);
    if (!pointed && !signal.aborted) await dropUnused(open, work);
  }
}

async function resumedOrNew({
  projection,
  serving,
  readModels,
  request,
  mayResume,
  log,
}: Rebuild): Promise<OpenRebuild> {
  for (;;) {
    const before = await openRebuild(projection, readModels);
    if (mayResume && before?.request === request && before.collection !== serving) {
      const after = readModels.positions.format((await readModels.checkpoint(before.collection)) ?? START);
      log.info('rebuild resumed', { projection: projection.name, collection: before.collection, after });
      return before;
    }
    const open = { collection: await nextCollection(projection, readModels), request };
    if (await markRebuild(projection, before, open, readModels)) return open;
  }
}

type Applied = (count: number, position: Position, head: Position) => void;

/** Fills the new build: first up to the end of the log, then it follows the log. */
class Filling {
  readonly #work: Rebuild;
  readonly #collection: string;
  readonly #applied: Applied;
  readonly #over = new AbortController();
  readonly #progress = new Progress();
  #head: Position = START;
  #running: Promise<void> | null = null;
  #ended: Promise<never> | null = null;

  constructor(work: Rebuild, collection: string, applied: Applied) {
    this.#work = work;
    this.#collection = collection;
    this.#applied = applied;
  }

  async upTo(until: Position): Promise<void> {
    this.#head = until;
    await this.#run({ until, progress: new Progress(), signal: this.#work.signal });
    this.assertRunning();
  }

  /** Resolves once the build has caught up again. */
  async follow(): Promise<void> {
    const { store, readModels, signal } = this.#work;
    this.#progress.set((await readModels.checkpoint(this.#collection)) ?? START);
    this.#running = this.#run({ progress: this.#progress, signal: AbortSignal.any([signal, this.#over.signal]) });
    this.#ended = this.#running.then(() => {
      throw new RebuildInterrupted(this.#work.projection.name);
    });
    this.#ended.catch(() => {});
    await this.#reached(await store.head());
  }

  /** Stops once everything up to a position is applied. @returns the position that the build has reached */
  async endAfter(position: Position): Promise<Position> {
    const { readModels } = this.#work;
    await this.#reached(position);
    await this.end();
    const reached = (await readModels.checkpoint(this.#collection)) ?? START;
    if (reached >= position) return reached;
    // No event of the projection lies in between.
    await readModels.commit(this.#collection, [], position, { after: reached });
    return position;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#running?.catch(() => {});
  }

  /** @throws RebuildInterrupted */
  assertRunning(): void {
    if (this.#work.signal.aborted) throw new RebuildInterrupted(this.#work.projection.name);
  }

  async #reached(position: Position): Promise<void> {
    if (this.#ended !== null) await Promise.race([this.#progress.reached(position), this.#ended]);
    this.assertRunning();
  }

  #run(how: Pick<Parameters<typeof runProjection>[0], 'until' | 'progress' | 'signal'>): Promise<void> {
    return runProjection({
      ...this.#work,
      ...how,
      collection: this.#collection,
      applied: (count, position) => {
        if (position > this.#head) this.#head = position;
        this.#applied(count, position, this.#head);
      },
    });
  }
}

/** The next start drops what cannot be dropped now. Another node that fills the same build may have ended the rebuild. */
async function dropUnused(open: OpenRebuild, { projection, readModels, log }: Rebuild): Promise<void> {
  const { collection } = open;
  try {
    const isOurs = await markRebuild(projection, open, null, readModels);
    const serving = await readModels.pointer(pointerName(projection));
    if (isOurs && serving !== collection) await readModels.drop(collection);
  } catch (fault) {
    log.warn('new build not dropped', { collection, fault });
  }
}
