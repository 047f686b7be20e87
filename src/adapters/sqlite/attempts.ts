import { type Engine, StoreUnavailable } from '../../ports/store-unavailable.ts';

/** Pauses double from 1 ms up to this value. A failed attempt costs microseconds. */
const MAX_PAUSE_MS = 25;
/** About two seconds of attempts: a short reader, such as the checkpointer, has finished by then. */
const MAX_ATTEMPTS = 80;

export type Attempts = {
  /**
   * Calls `resolve` after an attempt has succeeded, or `reject` with its fault: StoreUnavailable if another connection still
   * uses the file after the last attempt.
   */
  request(resolve: () => void, reject: (fault: unknown) => void): void;
  /** Makes one last attempt for all pending requests. */
  stop(): void;
};

type Waiting = { readonly resolve: () => void; readonly reject: (fault: unknown) => void; attemptsLeft: number };

/**
 * Does work on a file that another connection may use, once for all pending requests. Repeats the attempt while that
 * connection uses the file, without blocking other work.
 *
 * @param engine named by the fault after the last attempt
 * @param work returns false if another connection uses the file
 */
export function openAttempts(engine: Engine, work: () => boolean): Attempts {
  const inUse = (): StoreUnavailable =>
    new StoreUnavailable(engine, 'SQLite: another connection keeps the file in use');
  let waiting: Waiting[] = [];
  let next: ReturnType<typeof setTimeout> | undefined;

  function attempt(pauseMs: number): void {
    next = undefined;
    try {
      if (work()) {
        for (const { resolve } of takeWaiting()) resolve();
        return;
      }
    } catch (fault) {
      for (const { reject } of takeWaiting()) reject(fault);
      return;
    }
    for (const each of waiting) each.attemptsLeft--;
    for (const { reject } of takeWaiting(({ attemptsLeft }) => attemptsLeft <= 0)) reject(inUse());
    if (waiting.length > 0) next = setTimeout(attempt, pauseMs, Math.min(pauseMs * 2, MAX_PAUSE_MS));
  }

  function takeWaiting(which: (each: Waiting) => boolean = () => true): readonly Waiting[] {
    const taken = waiting.filter(which);
    waiting = waiting.filter((each) => !which(each));
    return taken;
  }

  return {
    request(resolve, reject) {
      waiting.push({ resolve, reject, attemptsLeft: MAX_ATTEMPTS });
      next ??= setTimeout(attempt, 0, 1);
    },
    stop() {
      if (next === undefined) return;
      clearTimeout(next);
      for (const each of waiting) each.attemptsLeft = 1;
      attempt(0);
    },
  };
}
