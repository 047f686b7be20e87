import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { pointerName, servingCollection } from './builds.ts';
import { fillingText, Progress } from './progress.ts';
import type { Projector } from './projector.ts';
import { pause, runLoop } from './running.ts';

/** How long a pointer is cached. A replaced build is dropped 10 s later, so a cached pointer still names an existing one. */
const POINTER_GOOD_MS = 1_000;
/** Poll interval of the checkpoints while calls wait for them. */
const LOOK_MS = 25;
/** Poll interval of the checkpoints until every projection has caught up once. */
const CATCH_UP_LOOK_MS = 250;

/** A projection that this process runs. */
type RunsHere = Pick<Projector, 'collection' | 'waitFor'>;

/** The collection that queries read, and its checkpoint. */
export type Seen = { readonly collection: string; readonly position: Position };

/** The progress of projections, wherever they run: from the stores, or from this process if it runs the projection. */
export type StoredProgress = {
  /** The collection that queries of a projection read. */
  collection(name: string): Promise<string>;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** Looks at all projections, without a cache. @returns what was seen of a projection */
  look(): Promise<(name: string) => Seen>;
  /** The pointer of a projection; null if there is none. At most `goodMs` old. */
  pointer(name: string, goodMs: number): Promise<string | null>;
  /** Tells that this process runs a projection. @returns tells that it does not any more */
  runsHere(name: string, projector: RunsHere): () => void;
  /** True once every projection has applied what the log held at the opening. */
  caughtUpOnce(): boolean;
  /** How far they are until then (see `fillingText`); null from then on. */
  filling(): string | null;
  stop(): Promise<void>;
};

/** Follows projections by their checkpoints, so that an API node needs no connection to the nodes that run them. */
export async function openStoredProgress(
  projections: readonly Projection<object>[],
  { store, readModels }: { readonly store: FollowedFeed; readonly readModels: ReadModelStore },
): Promise<StoredProgress> {
  const looks = new Looks(projections, readModels);
  const { follower } = store;
  const followed = new Map(
    projections.map((projection) => [projection.name, new Followed(projection, looks, follower)]),
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
    const { position } = one.progress;
    if (position < target) return;
    const { kind } = await store.check({ position, lastEvent: null });
    if (kind === 'in-log') behind.delete(one);
  };
  const lookOnce = async (): Promise<void> => {
    await looks.read([...behind]);
    await Promise.all([...behind].map(reached));
  };
  const catchingUp = runLoop(async (stopping) => {
    while (behind.size > 0 && !stopping.aborted) {
      // A store that is unavailable is asked again.
      await lookOnce().catch(() => {});
      if (behind.size > 0) await pause(CATCH_UP_LOOK_MS);
    }
  });
  return {
    collection: (name) => known(name).collection(),
    waitFor: (name, position, timeoutMs) => known(name).waitFor(position, timeoutMs),
    async look() {
      const all = [...followed.values()];
      const collections = new Map(await Promise.all(all.map(async (one) => [one.name, await one.pointed(0)] as const)));
      const positions = await readModels.checkpoints([...collections.values()]);
      return (name) => {
        const collection = collections.get(name) ?? '';
        return { collection, position: positions.get(collection) ?? START };
      };
    },
    pointer: (name, goodMs) => known(name).pointer(goodMs),
    runsHere: (name, projector) => known(name).runsHere(projector),
    caughtUpOnce: () => behind.size === 0,
    filling: () =>
      behind.size === 0 ? null : (fillingText([...behind].map(placeOf), target) ?? 'positions are being checked'),
    stop: () => catchingUp.stop(),
  };
}

function placeOf({ name, progress: { position } }: Followed): { readonly name: string; readonly position: Position } {
  return { name, position };
}

/** Reads of the stores: one for the pointers of all projections, and one for all checkpoints that calls wait for. */
class Looks {
  readonly readModels: ReadModelStore;
  readonly #names: readonly string[];
  readonly #waitedFor = new Map<Followed, number>();
  #pointers: { readonly all: ReadonlyMap<string, string>; readonly readAtMs: number } | null = null;
  #readingPointers: Promise<ReadonlyMap<string, string>> | null = null;
  #reading: Promise<void> | null = null;

  constructor(projections: readonly Projection<object>[], readModels: ReadModelStore) {
    this.#names = projections.map(pointerName);
    this.readModels = readModels;
  }

  async pointers(goodMs: number): Promise<ReadonlyMap<string, string>> {
    const pointers = this.#pointers;
    if (pointers !== null && performance.now() - pointers.readAtMs < goodMs) return pointers.all;
    this.#readingPointers ??= this.#readPointers().finally(() => {
      this.#readingPointers = null;
    });
    return this.#readingPointers;
  }

  forgetPointers(): void {
    this.#pointers = null;
  }

  /** Includes a projection in the reads while a call waits for it. */
  async during<Result>(one: Followed, wait: () => Promise<Result>): Promise<Result> {
    this.#waitedFor.set(one, (this.#waitedFor.get(one) ?? 0) + 1);
    try {
      return await wait();
    } finally {
      const others = (this.#waitedFor.get(one) ?? 1) - 1;
      if (others > 0) this.#waitedFor.set(one, others);
      else this.#waitedFor.delete(one);
    }
  }

  /** One read for all calls that wait. */
  look(): Promise<void> {
    this.#reading ??= this.read([...this.#waitedFor.keys()]).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async read(all: readonly Followed[]): Promise<void> {
    const atMs = performance.now();
    const collections = await Promise.all(all.map((one) => one.pointed(POINTER_GOOD_MS)));
    const positions = await this.readModels.checkpoints(collections);
    for (const [index, one] of all.entries()) one.looked(positions.get(collections[index] ?? '') ?? START, atMs);
  }

  async #readPointers(): Promise<ReadonlyMap<string, string>> {
    const readAtMs = performance.now();
    const all = await this.readModels.pointers(this.#names);
    this.#pointers = { all, readAtMs };
    return all;
  }
}

class Followed {
  readonly name: string;
  readonly progress = new Progress();
  readonly #projection: Projection<object>;
  readonly #looks: Looks;
  readonly #follower: FollowedFeed['follower'];
  #creating: Promise<string> | null = null;
  #lookedAtMs = 0;
  /** While this process runs the projection. */
  #here: { readonly projector: RunsHere; readonly left: Promise<null> } | null = null;

  constructor(projection: Projection<object>, looks: Looks, follower: FollowedFeed['follower']) {
    this.name = projection.name;
    this.#projection = projection;
    this.#looks = looks;
    this.#follower = follower;
  }

  /** The build that this process folds, since waits are for that one; otherwise the one that the pointer names. */
  async collection(): Promise<string> {
    return this.#here?.projector.collection(this.#projection.name) ?? this.pointed(POINTER_GOOD_MS);
  }

  async pointer(goodMs: number): Promise<string | null> {
    return (await this.#looks.pointers(goodMs)).get(pointerName(this.#projection)) ?? null;
  }

  async pointed(goodMs: number): Promise<string> {
    const pointed = await this.pointer(goodMs);
    if (pointed !== null) return pointed;
    // On an empty database, the first node to look creates the first build: this one, or the one that will fill it.
    this.#creating ??= servingCollection(this.#projection, this.#looks.readModels).finally(() => {
      this.#creating = null;
      this.#looks.forgetPointers();
    });
    return this.#creating;
  }

  runsHere(projector: RunsHere): () => void {
    const { promise: left, resolve } = Promise.withResolvers<null>();
    const here = { projector, left };
    this.#here = here;
    return () => {
      if (this.#here === here) this.#here = null;
      resolve(null);
    };
  }

  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    const endsAtMs = performance.now() + timeoutMs;
    while (this.#here !== null) {
      const { projector, left } = this.#here;
      const restMs = Math.max(0, endsAtMs - performance.now());
      const reached = await Promise.race([projector.waitFor(this.#projection.name, position, restMs), left]);
      if (reached !== null) return reached;
    }
    return this.progress.position >= position || this.#looks.during(this, () => this.#poll(position, endsAtMs));
  }

  looked(position: Position, atMs: number): void {
    this.#lookedAtMs = atMs;
    // A later position, if this node knows that the projection has nothing to apply until there.
    this.progress.set(this.#follower.quietUpTo(this.#projection.categories, position));
  }

  async #poll(position: Position, endsAtMs: number): Promise<boolean> {
    // At once, whenever others looked: the projection may have been there for long.
    for (let dueMs = 0; this.progress.position < position; dueMs = this.#lookedAtMs + LOOK_MS) {
      if (performance.now() >= dueMs) await this.#looks.look();
      if (this.progress.position >= position) return true;
      const nowMs = performance.now();
      if (nowMs >= endsAtMs) return false;
      await this.progress.reached(position, Math.max(1, Math.min(this.#lookedAtMs + LOOK_MS, endsAtMs) - nowMs));
    }
    return true;
  }
}
