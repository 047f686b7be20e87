import { type Position, START } from '../eventsourcing/message.ts';

/** The position that a reader of the log has reached, and the calls that wait for a later one. */
export class Progress {
  readonly #waiting = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  #position: Position;

  constructor(position: Position = START) {
    this.#position = position;
  }

  get position(): Position {
    return this.#position;
  }

  set(position: Position): void {
    this.#position = position;
    for (const waiting of this.#waiting) if (position >= waiting.position) waiting.resolve();
  }

  /** True once the position is reached; false if it is not within `timeoutMs`. */
  reached(position: Position, timeoutMs?: number): Promise<boolean> {
    if (this.#position >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        resolve(reached);
      };
      const waiting = { position, resolve: () => end(true) };
      const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, false);
      this.#waiting.add(waiting);
    });
  }
}
