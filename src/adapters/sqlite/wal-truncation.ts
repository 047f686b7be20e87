import { StoreUnavailable } from '../../ports/store-unavailable.ts';

/** Pauses double from 1 ms up to this value. A failed attempt costs microseconds, since no pages are left to copy. */
const MAX_PAUSE_MS = 25;
/** About two seconds of attempts: a short reader, such as the checkpointer, has finished by then. */
const MAX_ATTEMPTS = 80;

export type WalTruncation = {
  /**
   * Calls `resolve` after the write-ahead log was truncated, or `reject` with the fault: StoreUnavailable if another
   * reader uses the file.
   */
  request(resolve: () => void, reject: (fault: unknown) => void): void;
  /** Makes one last attempt for all pending requests. */
  stop(): void;
};

type Waiting = { readonly resolve: () => void; readonly reject: (fault: unknown) => void; attemptsLeft: number };

/**
 * Truncates a write-ahead log, once for all pending requests. Repeats the attempt while another connection uses the
 * log, without blocking other work.
 *
 * @param truncate returns false if another connection uses the log
 */
export function openWalTruncation(truncate: () => boolean): WalTruncation {
  let waiting: Waiting[] = [];
  let next: ReturnType<typeof setTimeout> | undefined;

  function attempt(pauseMs: number): void {
    next = undefined;
    try {
      if (truncate()) {
        for (const { resolve } of takeWaiting()) resolve();
        return;
      }
    } catch (fault) {
      for (const { reject } of takeWaiting()) reject(fault);
      return;
    }
    for (const each of waiting) each.attemptsLeft--;
    for (const { reject } of takeWaiting(({ attemptsLeft }) => attemptsLeft <= 0)) reject(walInUse());
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

function walInUse(): StoreUnavailable {
  return new StoreUnavailable('event store', 'SQLite: another connection keeps the write-ahead log in use');
}
