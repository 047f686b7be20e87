import type { Clock } from '../../ports/clock.ts';

const POLL_INTERVAL_MS = 250;

/**
 * Repeats `read` until its result is accepted or the timeout has passed.
 * @returns the last result, accepted or not
 */
export async function pollUntil<T>(
  read: () => Promise<T>,
  accepts: (result: T) => boolean,
  timeoutMs: number,
  clock: Clock,
): Promise<T> {
  const deadlineMs = clock.nowMs() + timeoutMs;
  for (;;) {
    const result = await read();
    if (accepts(result) || clock.nowMs() >= deadlineMs) return result;
    await clock.until(Math.min(deadlineMs, clock.nowMs() + POLL_INTERVAL_MS));
  }
}
