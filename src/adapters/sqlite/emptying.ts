import { StoreUnavailable } from '../../ports/store-unavailable.ts';

/** Pauses double from 1 ms up to this one. A try that fails costs microseconds, since there is nothing left to copy. */
const LONGEST_PAUSE_MS = 25;
/** About two seconds of tries: who is in the way for a moment only, as the checkpointer is, is out of it by then. */
const TRIES = 80;

export type Emptying = {
  /**
   * Once the write-ahead log was empty after this call: `resolve`, or `reject` with what prevents it, StoreUnavailable
   * where that is another reader of the file.
   */
  whenEmpty(resolve: () => void, reject: (fault: unknown) => void): void;
  /** One last try, for all who wait. */
  stop(): void;
};

type Waiting = { readonly resolve: () => void; readonly reject: (fault: unknown) => void; triesLeft: number };

/**
 * Empties a write-ahead log for all who ask at once, again and again where others use it, and keeps nobody else waiting
 * meanwhile.
 *
 * @param empty false where somebody is in the way
 */
export function openEmptying(empty: () => boolean): Emptying {
  let waiting: Waiting[] = [];
  let next: ReturnType<typeof setTimeout> | undefined;

  function attempt(pauseMs: number): void {
    next = undefined;
    try {
      if (empty()) {
        for (const { resolve } of takeWaiting()) resolve();
        return;
      }
    } catch (fault) {
      for (const { reject } of takeWaiting()) reject(fault);
      return;
    }
    for (const each of waiting) each.triesLeft--;
    for (const { reject } of takeWaiting(({ triesLeft }) => triesLeft <= 0)) reject(inTheWay());
    if (waiting.length > 0) next = setTimeout(attempt, pauseMs, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
  }

  function takeWaiting(which: (each: Waiting) => boolean = () => true): readonly Waiting[] {
    const taken = waiting.filter(which);
    waiting = waiting.filter((each) => !which(each));
    return taken;
  }

  return {
    whenEmpty(resolve, reject) {
      waiting.push({ resolve, reject, triesLeft: TRIES });
      next ??= setTimeout(attempt, 0, 1);
    },
    stop() {
      if (next === undefined) return;
      clearTimeout(next);
      for (const each of waiting) each.triesLeft = 1;
      attempt(0);
    },
  };
}

function inTheWay(): StoreUnavailable {
  return new StoreUnavailable('event store', 'SQLite: something else keeps the write-ahead log in use');
}
