import { readFileSync, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** Maximum delay of a timer; longer waits are split. */
const LONGEST_TIMER_MS = 2_000_000_000;

/** The system clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  async until(atMs, signal) {
    while (!signal?.aborted && Date.now() < atMs) {
      const ms = Math.min(atMs - Date.now(), LONGEST_TIMER_MS);
      await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
    }
  },
};

/**
 * A clock that a test controls: a file holds the current time (ISO 8601, or ms since the epoch), and waits end when the
 * file reaches their time. Between writes the time stands still.
 */
export function fileClock(path: string): Clock {
  const read = (): number => {
    const text = readFileSync(path, 'utf8').trim();
    const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
    if (Number.isNaN(ms)) throw new Error(`WAYMARK_TEST_CLOCK: ${path} holds no time, but "${text.slice(0, 40)}"`);
    return ms;
  };
  let nowMs = read();
  const waiting = new Set<() => void>();
  watch(path, () => {
    nowMs = readOr(nowMs, read);
    for (const look of waiting) look();
  }).unref();
  return {
    nowMs: () => {
      nowMs = readOr(nowMs, read);
      return nowMs;
    },
    until: (atMs, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (nowMs < atMs && !signal?.aborted) return;
          waiting.delete(look);
          signal?.removeEventListener('abort', look);
          resolve();
        };
        waiting.add(look);
        signal?.addEventListener('abort', look);
        look();
      }),
  };
}

/** During a write the file may be empty for a moment; then the time is unchanged. */
function readOr(before: number, read: () => number): number {
  try {
    return read();
  } catch {
    return before;
  }
}
