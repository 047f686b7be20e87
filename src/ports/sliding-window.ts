import { DAY_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Allowance, Counting, Taking, Usage, UsageLimits } from './rate-limiter.ts';

/** The requests of one key that count for its limits: a sliding minute, and totals by day. */
export type RequestWindow = {
  /** The instants of the last minute (ms since the epoch), oldest first. */
  recent: number[];
  /** Counted requests by day (days since the epoch, UTC), of today and yesterday. */
  days: Map<number, number>;
};

export function emptyWindow(): RequestWindow {
  return { recent: [], days: new Map() };
}

/** The UTC day of an instant, in days since the epoch. */
export function utcDayNumber(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Counts one request if both limits allow it. */
export function take(used: RequestWindow, limits: UsageLimits, atMs: number, counting: Counting): Taking {
  const before = peek(used, limits, atMs);
  if (before.minute.remaining === 0)
    return { kind: 'rate-limited', usage: before, retryAfterMs: before.minute.resetMs };
  if (counting === 'minute and day' && before.day.remaining === 0)
    return { kind: 'quota-exceeded', usage: before, retryAfterMs: before.day.resetMs };
  record(used, atMs, counting);
  return { kind: 'taken', usage: peek(used, limits, atMs) };
}

/** Counts one request without a limit. No instant of `used` may be later. */
export function record(used: RequestWindow, atMs: number, counting: Counting): void {
  if (counting === 'minute and day') used.days.set(utcDayNumber(atMs), usedOn(used, atMs) + 1);
  used.recent.push(atMs);
}

/** What remains at an instant. Drops requests that no longer count. */
export function peek(used: RequestWindow, { perMinute, perDay }: UsageLimits, atMs: number): Usage {
  moveTo(used, atMs);
  // A key that moved to a smaller plan may be above its limit: the next request is allowed when enough of these expire.
  const frees = used.recent[Math.max(0, used.recent.length - perMinute)];
  return {
    minute: allowance(perMinute, used.recent.length, frees === undefined ? 0 : frees + MINUTE_MS - atMs),
    day: allowance(perDay, usedOn(used, atMs), (utcDayNumber(atMs) + 1) * DAY_MS - atMs),
  };
}

function allowance(limit: number, used: number, resetMs: number): Allowance {
  return { limit, used, remaining: Math.max(0, limit - used), resetMs };
}

function usedOn({ days }: RequestWindow, atMs: number): number {
  return days.get(utcDayNumber(atMs)) ?? 0;
}

function moveTo({ recent, days }: RequestWindow, atMs: number): void {
  // After a clock was set back, later instants count as now, so that they expire in a minute.
  for (let last = recent.length - 1; last >= 0 && (recent[last] ?? 0) > atMs; last--) recent[last] = atMs;
  const counting = recent.findIndex((at) => at > atMs - MINUTE_MS);
  if (counting !== 0) recent.splice(0, counting === -1 ? recent.length : counting);
  // Yesterday is kept for clocks that are set back a little around midnight.
  for (const day of days.keys()) if (day < utcDayNumber(atMs) - 1) days.delete(day);
}
