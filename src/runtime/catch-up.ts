import type { Position } from '../eventsourcing/message.ts';
import type { EventFeed, LogBatch } from '../ports/event-store.ts';
import type { BatchEnd } from '../ports/log-follower.ts';
import { entryOf, type TailEntry } from './tail.ts';

/** A reader gets a batch once so many events, or bytes (estimated), are read, or the end of the log is reached. */
const BATCH_EVENTS = 5_000;
const BATCH_BYTES = 16_777_216;
/** The log is not read further ahead of the slowest reader than so many batches. */
const BATCHES_AHEAD = 2;
/** Name of the subscription in logs and in the readiness check. */
const READER = 'catch-up';

/** A reader that is behind the log. */
export type BehindReader = {
  readonly categories: readonly string[];
  /** Everything up to here is applied. */
  readonly after: Position;
  /** The reader needs no later event. */
  readonly until?: Position | undefined;
  readonly signal: AbortSignal;
};

export type CaughtUpPart = BatchEnd & { readonly entries: readonly TailEntry[] };

type Chunk = BatchEnd & { readonly entries: readonly TailEntry[]; readonly bytes: number };
/** `started`: the reader has received a batch, so it waits for the next event. */
type Place = { position: Position; started: boolean };

/** The readers of a feed that catch up: those that are at about the same place share one reading of the log. */
export class CatchUps {
  readonly #feed: Pick<EventFeed, 'subscribe'>;
  readonly #passes = new Set<Pass>();

  constructor(feed: Pick<EventFeed, 'subscribe'>) {
    this.#feed = feed;
  }

  /** The log after the reader's position, in large batches of its categories, until the reader ends the iteration. */
  async *read(reader: BehindReader): AsyncGenerator<CaughtUpPart> {
    const pass = [...this.#passes].find((other) => other.includes(reader.after)) ?? new Pass(this.#feed, reader.after);
    this.#passes.add(pass);
    try {
      yield* pass.read(reader);
    } finally {
      if (pass.isOver) this.#passes.delete(pass);
    }
  }
}

/** One reading of the log. It keeps the last events, for readers that are behind or join later. */
class Pass {
  readonly #feed: Pick<EventFeed, 'subscribe'>;
  readonly #places = new Set<Place>();
  readonly #categories = new Set<string>();
  /** Consecutive parts of the log, the first one after `#from`. */
  #chunks: Chunk[] = [];
  #from: Position;
  #fault: { readonly cause: unknown } | null = null;
  #reading: AbortController | null = null;
  /** Resolves at the next change that a reader, or the reading of the log, may wait for. */
  #change = Promise.withResolvers<void>();

  constructor(feed: Pick<EventFeed, 'subscribe'>, from: Position) {
    this.#feed = feed;
    this.#from = from;
  }

  /** After a fault the readers leave and come back, and the events that were read are kept for them. */
  get isOver(): boolean {
    return this.#places.size === 0 && this.#fault === null;
  }

  /** Whether the pass has something to tell a reader: at its end, the log may have grown since. */
  includes(position: Position): boolean {
    if (position < this.#from) return false;
    return position < this.#upTo || (position === this.#upTo && (this.#chunks.length === 0 || this.#fault !== null));
  }

  async *read({ categories, after, until, signal }: BehindReader): AsyncGenerator<CaughtUpPart> {
    const place = { position: after, started: false };
    const wanted = new Set(categories);
    const changed = (): void => this.#changed();
    signal.addEventListener('abort', changed);
    this.#places.add(place);
    this.#include(wanted);
    try {
      while (!signal.aborted) {
        const part = this.#take(place, wanted, until);
        if (part === null) {
          if (this.#fault !== null) throw this.#fault.cause;
          await this.#change.promise;
          continue;
        }
        yield part;
        place.position = part.upTo;
        place.started = true;
        this.#changed();
      }
    } finally {
      signal.removeEventListener('abort', changed);
      this.#places.delete(place);
      if (this.#places.size === 0) {
        this.#reading?.abort();
        // A reader that comes before this pass is forgotten reads on.
        this.#reading = null;
      }
      this.#changed();
    }
  }

  get #upTo(): Position {
    return this.#chunks.at(-1)?.upTo ?? this.#from;
  }

  get #slowest(): Position {
    return Math.min(...Array.from(this.#places, ({ position }) => position)) as Position;
  }

  /** For a category that was not read so far, reads again from the place of the slowest reader on. */
  #include(categories: ReadonlySet<string>): void {
    const complete = categories.isSubsetOf(this.#categories);
    if (complete && this.#fault === null && this.#reading !== null) return;
    if (!complete) {
      for (const category of categories) this.#categories.add(category);
      this.#from = this.#slowest;
      this.#chunks = [];
    }
    this.#fault = null;
    const last = this.#chunks.pop();
    if (last !== undefined) this.#chunks.push({ ...last, caughtUp: false });
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    void this.#run(reading.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      // Readers that come at the same time ask for one subscription together.
      await new Promise(setImmediate);
      if (signal.aborted) return;
      const options = { after: this.#upTo, categories: [...this.#categories], reader: READER, signal };
      for await (const batch of this.#feed.subscribe(options)) {
        if (signal.aborted) return;
        this.#add(batch);
        while (!signal.aborted && this.#isFarAhead()) await this.#change.promise;
        if (signal.aborted) return;
      }
      throw new Error('the subscription ended');
    } catch (cause) {
      if (signal.aborted) return;
      this.#fault = { cause };
      this.#changed();
    }
  }

  #add({ events, upTo, caughtUp }: LogBatch): void {
    const entries = events.map(entryOf);
    // After a subscription has caught up, its batches need not say so again.
    const live = caughtUp || this.#chunks.at(-1)?.caughtUp === true;
    this.#chunks.push({ entries, upTo, caughtUp: live, bytes: bytesOf(entries) });
    const slowest = this.#slowest;
    while (this.#chunks.length > 1 && (this.#chunks[0] as Chunk).upTo <= slowest && isBatch(this.#chunks.slice(1)))
      this.#from = (this.#chunks.shift() as Chunk).upTo;
    this.#changed();
  }

  #isFarAhead(): boolean {
    return isBatch(this.#after(this.#slowest), BATCHES_AHEAD);
  }

  #after(position: Position): readonly Chunk[] {
    return this.#chunks.filter(({ upTo }) => upTo > position);
  }

  #take({ position, started }: Place, wanted: ReadonlySet<string>, until: Position | undefined): CaughtUpPart | null {
    const chunks = this.#after(position);
    const last = this.#chunks.at(-1);
    if (last === undefined || (started && last.upTo <= position)) return null;
    const ends = last.caughtUp || (until !== undefined && last.upTo >= until);
    if (!ends && !isBatch(chunks)) return null;
    const all = this.#categories.isSubsetOf(wanted);
    const entries: TailEntry[] = [];
    for (const chunk of chunks)
      for (const entry of chunk.entries)
        if (entry.stored.position > position && (all || wanted.has(entry.category))) entries.push(entry);
    return { entries, upTo: last.upTo > position ? last.upTo : position, caughtUp: last.caughtUp };
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

function isBatch(chunks: readonly Chunk[], batches = 1): boolean {
  const events = chunks.reduce((sum, chunk) => sum + chunk.entries.length, 0);
  if (events >= BATCH_EVENTS * batches) return true;
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0) >= BATCH_BYTES * batches;
}

function bytesOf(entries: readonly TailEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}
