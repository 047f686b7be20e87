import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../eventsourcing/durations.ts';

/** Delays of the five retries in the specification, without jitter. */
export const RETRY_DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;

/** Maximum delay that a receiver's `Retry-After` can request, so that each delivery ends. */
export const MAX_PAUSE_MS = 24 * HOUR_MS;

/** Upper bound of a round of attempts in days, if every `Retry-After` requests the maximum. */
export const MAX_ROUND_DAYS = 7;

/** Status codes whose `Retry-After` is used. */
const RETRY_AFTER_CODES: ReadonlySet<number | null> = new Set([429, 503]);

type FailedAttempt = {
  /** From 1. */
  readonly attempt: number;
  /** Null if there was no answer. */
  readonly responseCode: number | null;
  /** The time in the receiver's `Retry-After`, ms since the epoch; null without that header. */
  readonly retryAfterMs: number | null;
  /** ms since the epoch. */
  readonly failedAtMs: number;
};

/**
 * When the next attempt is due (ms since the epoch); null after the last one. `Retry-After` can lengthen the delay up
 * to a day, and never shortens it.
 */
export function nextAttemptAtMs({ attempt, responseCode, retryAfterMs, failedAtMs }: FailedAttempt): number | null {
  const delayMs = RETRY_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  const requestedMs = RETRY_AFTER_CODES.has(responseCode) && retryAfterMs !== null ? retryAfterMs - failedAtMs : 0;
  return failedAtMs + Math.max(delayMs, Math.min(requestedMs, MAX_PAUSE_MS));
}
