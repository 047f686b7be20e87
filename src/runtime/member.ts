import type { Position } from '../eventsourcing/message.ts';
import type { BatchEnd, ReaderProgress } from '../ports/log-follower.ts';
import type { Progress } from './progress.ts';
import type { Tail, TailEntry } from './tail.ts';

type Membership = {
  readonly categories: readonly string[];
  readonly position: Position;
  readonly progress: ReaderProgress;
};

/** A reader of the shared subscription. */
export class Member {
  readonly #tail: Tail;
  readonly #shared: Progress;
  readonly #categories: readonly string[];
  readonly #progress: ReaderProgress;
  readonly #leave: () => void;
  /** Everything up to here was taken. */
  #position: Position;
  /** Nothing waits for this reader. */
  #resting = false;
  #woken: () => void = () => {};

  constructor(tail: Tail, shared: Progress, { categories, position, progress }: Membership, leave: () => void) {
    this.#tail = tail;
    this.#shared = shared;
    this.#categories = categories;
    this.#position = position;
    this.#progress = progress;
    this.#leave = leave;
  }

  /** The next entries; none if no event waits; null if the reader was too slow: the tail has dropped some. */
  take(limit: number): (BatchEnd & { readonly entries: readonly TailEntry[] }) | null {
    if (!this.#tail.covers(this.#categories, this.#position)) return null;
    const entries = this.#tail.after(this.#categories, this.#position, limit);
    const last = entries.at(-1)?.stored.position ?? this.#position;
    const caughtUp = !this.#tail.hasAfter(this.#categories, last);
    const { position } = this.#shared;
    this.#position = caughtUp && position > last ? position : last;
    return { entries, upTo: this.#position, caughtUp };
  }

  /** If nothing waits: from here on the reader's position is the follower's, until the next event of its categories. */
  rest(): void {
    // The tail may also have received and dropped an event since the last `take`.
    if (!this.#tail.covers(this.#categories, this.#position)) return;
    if (this.#tail.hasAfter(this.#categories, this.#position)) return;
    this.#resting = true;
    this.#progress.follow(this.#shared);
  }

  /** Everything up to here was taken, or needs not be. */
  get position(): Position {
    return this.#position;
  }

  wake(): void {
    if (!this.#resting) return;
    this.#resting = false;
    const { position } = this.#shared;
    if (position > this.#position) this.#position = position;
    this.#progress.follow(null);
    this.#woken();
  }

  /**
   * Resolves when an event waits or the signal aborts: false. If `ms` is given, also within this time after the follower has
   * passed `after`: true. A log that stands still costs no timer.
   */
  async wait(ms: number | undefined, after: Position, signal: AbortSignal): Promise<boolean> {
    if (!this.#resting || signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#woken = resolve;
    signal.addEventListener('abort', this.#woken);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = (): void => {
      // At the same time for all members, so that a store can write their checkpoints together.
      if (ms !== undefined && this.#woken === resolve) timer = setTimeout(resolve, ms - (performance.now() % ms));
    };
    if (ms !== undefined) void this.#shared.reached((after + 1) as Position).then(passed);
    await promise;
    signal.removeEventListener('abort', this.#woken);
    clearTimeout(timer);
    this.#woken = () => {};
    return this.#resting;
  }

  leave(): void {
    this.wake();
    this.#leave();
  }
}
