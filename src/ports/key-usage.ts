import type { Allowance, Counting, Taking, Usage, UsageLimits } from './usage-counters.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** How often one key was used lately: all that its limits are decided from. */
export type KeyUsage = {
  /** The instants of the last minute (ms since the epoch), oldest first. */
  recent: number[];
  /** Takings by day (days since the epoch, UTC), of today and yesterday. */
  days: Map<number, number>;
};

export function unused(): KeyUsage {
  return { recent: [], days: new Map() };
}

/** The number of the day in UTC on which an instant lies. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Takes one request, where both limits have room. */
export function take(used: KeyUsage, limits: UsageLimits, atMs: number, counting: Counting): Taking {
  const before = look(used, limits, atMs);
  if (before.minute.remaining === 0)
    return { kind: 'rate-limited', usage: before, retryAfterMs: before.minute.resetMs };
  if (counting === 'minute and day' && before.day.remaining === 0)
    return { kind: 'quota-exceeded', usage: before, retryAfterMs: before.day.resetMs };
  record(used, atMs, counting);
  return { kind: 'taken', usage: look(used, limits, atMs) };
}

/** Counts one request, whatever was used before. No instant of `used` may lie ahead of it. */
export function record(used: KeyUsage, atMs: number, counting: Counting): void {
  if (counting === 'minute and day') used.days.set(dayOf(atMs), usedOn(used, atMs) + 1);
  used.recent.push(atMs);
}

/** What is left at an instant. Forgets what no longer counts. */
export function look(used: KeyUsage, { perMinute, perDay }: UsageLimits, atMs: number): Usage {
  moveTo(used, atMs);
  // Of a key that was moved to a smaller plan there may be more than its limit: room comes when only the last few count.
  const frees = used.recent[Math.max(0, used.recent.length - perMinute)];
  return {
    minute: allowance(perMinute, used.recent.length, frees === undefined ? 0 : frees + MINUTE_MS - atMs),
    day: allowance(perDay, usedOn(used, atMs), (dayOf(atMs) + 1) * DAY_MS - atMs),
  };
}

function allowance(limit: number, used: number, resetMs: number): Allowance {
  return { limit, used, remaining: Math.max(0, limit - used), resetMs };
}

function usedOn({ days }: KeyUsage, atMs: number): number {
  return days.get(dayOf(atMs)) ?? 0;
}

function moveTo({ recent, days }: KeyUsage, atMs: number): void {
  // A clock that was set back: what lies ahead is taken for now, so that it counts for a minute and not for longer.
  for (let last = recent.length - 1; last >= 0 && (recent[last] ?? 0) > atMs; last--) recent[last] = atMs;
  const counting = recent.findIndex((at) => at > atMs - MINUTE_MS);
  if (counting !== 0) recent.splice(0, counting === -1 ? recent.length : counting);
  // Yesterday is kept too: around midnight a clock that is set back by a little finds what it had counted.
  for (const day of days.keys()) if (day < dayOf(atMs) - 1) days.delete(day);
}
