import type { Clock } from '../../src/ports/clock.ts';

/** A clock that stands still until a test moves it. */
export type MovedClock = Clock & {
  /** Advances the time and resolves waits that it has reached. */
  advance(ms: number): void;
  /** Sets the time, forwards or back (ms since the epoch). */
  set(atMs: number): void;
  /** Number of waits for a later time. */
  readonly waiting: number;
};

export function movedClock(startMs: number = Date.parse('2026-11-21T03:00:00Z')): MovedClock {
  let nowMs = startMs;
  const waiters = new Set<() => void>();
  const set = (atMs: number): void => {
    nowMs = atMs;
    for (const look of waiters) look();
  };
  return {
    nowMs: () => nowMs,
    until: (atMs, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (nowMs < atMs && !signal?.aborted) return;
          waiters.delete(look);
          signal?.removeEventListener('abort', look);
          resolve();
        };
        waiters.add(look);
        signal?.addEventListener('abort', look);
        look();
      }),
    advance: (ms) => set(nowMs + ms),
    set,
    get waiting() {
      return waiters.size;
    },
  };
}
