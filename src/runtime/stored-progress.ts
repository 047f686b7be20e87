import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { pointerName, servingCollection } from './builds.ts';
import { Progress } from './progress.ts';
import { pause, runLoop } from './running.ts';

/** How long a pointer is cached. A replaced build is dropped 10 s later, so a cached pointer still names an existing one. */
const POINTER_GOOD_MS = 1_000;
/** Poll interval of a checkpoint while a call waits for it. */
const LOOK_MS = 25;
/** Poll interval of the checkpoints until every projection has caught up once. */
const CATCH_UP_LOOK_MS = 250;

/** The progress of projections that other nodes run, read from the stores. */
export type StoredProgress = {
  /** The collection that queries of a projection read. */
  collection(name: string): Promise<string>;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** The collection that queries read, and its checkpoint, without a cache. */
  look(name: string): Promise<{ readonly collection: string; readonly position: Position }>;
  /** True once every projection has applied what the log held at the opening. */
  caughtUpOnce(): boolean;
  stop(): Promise<void>;
};

/** Follows projections by their checkpoints, so that an API node needs no connection to the nodes that run them. */
export async function openStoredProgress(
  projections: readonly Projection<object>[],
  { store, readModels }: { readonly store: FollowedFeed; readonly readModels: ReadModelStore },
): Promise<StoredProgress> {
  const followed = new Map(
    projections.map((projection) => [projection.name, new Followed(projection, readModels, store.follower)]),
  );
  const known = (name: string): Followed => {
    const found = followed.get(name);
    if (found === undefined) throw new Error(`there is no projection "${name}"`);
    return found;
  };
  const target = await store.head();
  const behind = new Set(followed.values());
  /** A position beyond the end of the log does not count as reached. The projector reports it. */
  const reached = async (one: Followed): Promise<void> => {
    const position = await one.position();
    if (position < target) return;
    const { kind } = await store.check({ position, lastEvent: null });
    if (kind === 'in-log') behind.delete(one);
  };
  const catchingUp = runLoop(async (stopping) => {
    while (behind.size > 0 && !stopping.aborted) {
      // A store that is unavailable is asked again.
      await Promise.all([...behind].map(reached)).catch(() => {});
      if (behind.size > 0) await pause(CATCH_UP_LOOK_MS);
    }
  });
  return {
    collection: (name) => known(name).collection(),
    waitFor: (name, position, timeoutMs) => known(name).waitFor(position, timeoutMs),
    look: (name) => known(name).look(),
    caughtUpOnce: () => behind.size === 0,
    stop: () => catchingUp.stop(),
  };
}

class Followed {
  readonly #projection: Projection<object>;
  readonly #readModels: ReadModelStore;
  readonly #follower: FollowedFeed['follower'];
  #serving: { readonly collection: string; readonly readAtMs: number } | null = null;
  #reading: Promise<string> | null = null;
  #looking: Promise<Position> | null = null;
  readonly #progress = new Progress();

  constructor(projection: Projection<object>, readModels: ReadModelStore, follower: FollowedFeed['follower']) {
    this.#projection = projection;
    this.#readModels = readModels;
    this.#follower = follower;
  }

  async collection(): Promise<string> {
    const serving = this.#serving;
    if (serving !== null && performance.now() - serving.readAtMs < POINTER_GOOD_MS) return serving.collection;
    this.#reading ??= this.#readPointer().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    const endsAtMs = performance.now() + timeoutMs;
    while (this.#progress.position < position) {
      if ((await this.position()) >= position) return true;
      if (performance.now() + LOOK_MS >= endsAtMs) return false;
      const reached = this.#progress.reached(position, LOOK_MS);
      const received = this.#follower.position() < position ? [this.#follower.waitFor(position, LOOK_MS)] : [];
      await Promise.race([reached, ...received]);
    }
    return true;
  }

  async look(): Promise<{ readonly collection: string; readonly position: Position }> {
    const collection = await this.#readPointer();
    return { collection, position: await this.#positionOf(collection) };
  }

  /** One read for all calls that wait. */
  position(): Promise<Position> {
    this.#looking ??= this.#advance().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #advance(): Promise<Position> {
    this.#progress.set(await this.#positionOf(await this.collection()));
    return this.#progress.position;
  }

  /** Its checkpoint, or a later position if this node knows that the projection has nothing to apply until there. */
  async #positionOf(collection: string): Promise<Position> {
    const checkpoint = (await this.#readModels.checkpoint(collection)) ?? START;
    return this.#follower.quietUpTo(this.#projection.categories, checkpoint);
  }

  async #readPointer(): Promise<string> {
    const readAtMs = performance.now();
    // On an empty database, the first node to look creates the first build: this one, or the one that will fill it.
    const pointed = await this.#readModels.pointer(pointerName(this.#projection));
    const collection = pointed ?? (await servingCollection(this.#projection, this.#readModels));
    this.#serving = { collection, readAtMs };
    return collection;
  }
}
