import { type Position, START } from '../eventsourcing/message.ts';
import type { ReaderProgress } from '../ports/log-follower.ts';

/** The position that a reader of the log has reached, and the calls that wait for a later one. */
export class Progress implements ReaderProgress {
  readonly #waiting = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  /** Those that follow this one and have waiting calls: an advance costs nothing for the others. */
  readonly #waitedFor = new Set<Progress>();
  #source: Progress | null = null;
  #position: Position;

  constructor(position: Position = START) {
    this.#position = position;
  }

  get position(): Position {
    const ahead = this.#source?.position;
    return ahead !== undefined && ahead > this.#position ? ahead : this.#position;
  }

  set(position: Position): void {
    this.#position = position;
    this.#settle();
  }

  follow(source: Progress | null): void {
    if (source === this.#source) return;
    this.#position = this.position;
    this.#tellSource(false);
    this.#source = source;
    this.#tellSource(this.#waiting.size > 0);
    this.#settle();
  }

  /** True once the position is reached; false if it is not within `timeoutMs`. */
  reached(position: Position, timeoutMs?: number): Promise<boolean> {
    if (this.position >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) this.#tellSource(false);
        resolve(reached);
      };
      const waiting = { position, resolve: () => end(true) };
      const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, false);
      this.#waiting.add(waiting);
      this.#tellSource(true);
    });
  }

  #tellSource(waitedFor: boolean): void {
    if (this.#source === null) return;
    if (waitedFor) this.#source.#waitedFor.add(this);
    else this.#source.#waitedFor.delete(this);
  }

  #settle(): void {
    if (this.#waiting.size > 0) {
      const { position } = this;
      for (const waiting of this.#waiting) if (position >= waiting.position) waiting.resolve();
    }
    for (const follower of this.#waitedFor) follower.#settle();
  }
}

/**
 * How far readers of the log are that have not reached a position yet: `filling 43 % (bookings, feed)`. Null once all have. The
 * part is that of positions, which count events or bytes.
 */
export function fillingText(
  readers: Iterable<{ readonly name: string; readonly position: Position }>,
  target: Position,
): string | null {
  const behind = [...readers].filter(({ position }) => position < target);
  if (behind.length === 0) return null;
  const least = Math.min(...behind.map(({ position }) => position));
  return `filling ${Math.floor((100 * least) / target)} % (${behind.map(({ name }) => name).join(', ')})`;
}
