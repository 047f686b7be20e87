const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** From a failed attempt to the next one: the five retries of the specification, without jitter. */
export const RETRY_DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;

/** A receiver may ask for patience, but not for so much that a delivery never comes to its end. */
export const LONGEST_PAUSE_MS = 24 * HOUR_MS;

/** More days than a round of attempts can take, where every receiver asks for all the patience there is. */
export const LONGEST_ROUND_DAYS = 7;

/** The answers whose `Retry-After` counts: too many requests, and out of service. */
const ASKS_FOR_PATIENCE: ReadonlySet<number | null> = new Set([429, 503]);

export type FailedAttempt = {
  /** From 1. */
  readonly attempt: number;
  /** Null where there was no answer. */
  readonly responseCode: number | null;
  /** What the receiver's `Retry-After` came to, in ms since the epoch; null where it sent none. */
  readonly retryAfterMs: number | null;
  /** When the attempt had failed, in ms since the epoch. */
  readonly failedAtMs: number;
};

/**
 * When the next attempt is due (ms since the epoch), null after the last one. `Retry-After` can lengthen the pause, up
 * to a day, and never shortens it.
 */
export function nextAttemptAtMs({ attempt, responseCode, retryAfterMs, failedAtMs }: FailedAttempt): number | null {
  const delayMs = RETRY_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  const askedMs = ASKS_FOR_PATIENCE.has(responseCode) && retryAfterMs !== null ? retryAfterMs - failedAtMs : 0;
  return failedAtMs + Math.max(delayMs, Math.min(askedMs, LONGEST_PAUSE_MS));
}
