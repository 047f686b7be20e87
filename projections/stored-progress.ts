import { type Position, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import type { EventFeed } from '../src/ports/event-store.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { pointerName, servingCollection } from './builds.ts';

/** A build that was replaced is dropped 10 s later: a pointer that was read so lately still leads to one that is there. */
const POINTER_GOOD_MS = 1_000;
/** How often a checkpoint is looked at while somebody waits for it. */
const LOOK_MS = 25;
/** The same at the start, when nobody waits yet. */
const CATCH_UP_LOOK_MS = 250;

/** How far the projections are that other nodes run, as the stores tell it. */
export type StoredProgress = {
  /** The collection that queries of a projection read now. */
  collection(name: string): Promise<string>;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** The collection that queries read, and how far it is, as the stores say at this moment. */
  look(name: string): Promise<{ readonly collection: string; readonly position: Position }>;
  /** True once every projection has applied what the log held when this was opened. */
  caughtUpOnce(): boolean;
  stop(): Promise<void>;
};

/** Follows projections in the stores, without running them: an API node needs no word from whoever runs them. */
export async function openStoredProgress(
  projections: readonly Projection<object>[],
  { store, readModels }: { readonly store: EventFeed; readonly readModels: ReadModelStore },
): Promise<StoredProgress> {
  const followed = new Map(projections.map((projection) => [projection.name, new Followed(projection, readModels)]));
  const known = (name: string): Followed => {
    const found = followed.get(name);
    if (found === undefined) throw new Error(`there is no projection "${name}"`);
    return found;
  };
  const target = await store.head();
  const behind = new Set(followed.values());
  const stopping = new AbortController();
  const catchUp = async (): Promise<void> => {
    while (behind.size > 0 && !stopping.signal.aborted) {
      // A store that is away is asked again.
      await Promise.all([...behind].map(async (one) => (await one.position()) >= target && behind.delete(one))).catch(
        () => {},
      );
      if (behind.size > 0) await pause(CATCH_UP_LOOK_MS);
    }
  };
  const catchingUp = catchUp();
  return {
    collection: (name) => known(name).collection(),
    waitFor: (name, position, timeoutMs) => known(name).waitFor(position, timeoutMs),
    look: (name) => known(name).look(),
    caughtUpOnce: () => behind.size === 0,
    async stop() {
      stopping.abort();
      await catchingUp;
    },
  };
}

class Followed {
  readonly #projection: Projection<object>;
  readonly #readModels: ReadModelStore;
  #serving: { readonly collection: string; readonly readAtMs: number } | null = null;
  #reading: Promise<string> | null = null;
  #looking: Promise<Position> | null = null;
  #position: Position = START;

  constructor(projection: Projection<object>, readModels: ReadModelStore) {
    this.#projection = projection;
    this.#readModels = readModels;
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
    while (this.#position < position) {
      if ((await this.position()) >= position) return true;
      if (performance.now() + LOOK_MS >= endsAtMs) return false;
      await pause(LOOK_MS);
    }
    return true;
  }

  async look(): Promise<{ readonly collection: string; readonly position: Position }> {
    const collection = await this.#readPointer();
    return { collection, position: (await this.#readModels.checkpoint(collection)) ?? START };
  }

  /** One question for all who wait. */
  position(): Promise<Position> {
    this.#looking ??= this.#advance().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #advance(): Promise<Position> {
    const position = (await this.#readModels.checkpoint(await this.collection())) ?? START;
    if (position > this.#position) this.#position = position;
    return this.#position;
  }

  async #readPointer(): Promise<string> {
    const readAtMs = performance.now();
    // On an empty database the first build is made by whoever comes first: this node, or the one that will fill it.
    const pointed = await this.#readModels.pointer(pointerName(this.#projection));
    const collection = pointed ?? (await servingCollection(this.#projection, this.#readModels));
    this.#serving = { collection, readAtMs };
    return collection;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
