import type { Clock } from '../ports/clock.ts';

const BETWEEN_LOOKS_MS = 250;

/**
 * Looks again and again until something is as it should be.
 * @returns the last look, whatever it saw: at the latest `patienceMs` after the first
 */
export async function eventually<T>(
  look: () => Promise<T>,
  arrived: (seen: T) => boolean,
  patienceMs: number,
  clock: Clock,
): Promise<T> {
  const deadlineMs = clock.nowMs() + patienceMs;
  for (;;) {
    const seen = await look();
    if (arrived(seen) || clock.nowMs() >= deadlineMs) return seen;
    await clock.until(Math.min(deadlineMs, clock.nowMs() + BETWEEN_LOOKS_MS));
  }
}
