import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import type { Allowance, Counting, Taking, Usage, UsageLimits } from '../../../src/ports/rate-limiter.ts';

/** The contract of RateLimiter in its plainest form: keeps every taking of a key and counts them again at each call. */
export class NaiveRateLimiter {
  readonly #takings: { readonly atMs: number; readonly counting: Counting }[] = [];

  take(limits: UsageLimits, atMs: number, counting: Counting): Taking['kind'] {
    const { minute, day } = this.usage(limits, atMs);
    if (minute.used >= limits.perMinute) return 'rate-limited';
    if (counting === 'minute and day' && day.used >= limits.perDay) return 'quota-exceeded';
    this.#takings.push({ atMs, counting });
    return 'taken';
  }

  usage({ perMinute, perDay }: UsageLimits, atMs: number): Usage {
    const instants = this.#takings.map((taking) => taking.atMs);
    const inMinute = (nowMs: number): number => instants.filter((at) => nowMs - at < MINUTE_MS).length;
    const onDay = (nowMs: number): number =>
      this.#takings.filter((taking) => taking.counting === 'minute and day' && dateOf(taking.atMs) === dateOf(nowMs))
        .length;
    const minute = allowance(perMinute, inMinute(atMs));
    const more = instants
      .map((at) => at + MINUTE_MS)
      .filter((endsAt) => endsAt > atMs && allowance(perMinute, inMinute(endsAt)).remaining > minute.remaining);
    const midnight = Date.parse(`${dateOf(atMs)}T00:00:00Z`) + 24 * 3_600_000;
    return {
      minute: { ...minute, resetMs: more.length === 0 ? 0 : Math.min(...more) - atMs },
      day: { ...allowance(perDay, onDay(atMs)), resetMs: midnight - atMs },
    };
  }

  /** The most takings that any 60 seconds hold, and any day. */
  most(): { readonly inMinute: number; readonly onDay: number } {
    const instants = this.#takings.map(({ atMs }) => atMs);
    const days = Map.groupBy(
      this.#takings.filter(({ counting }) => counting === 'minute and day'),
      ({ atMs }) => dateOf(atMs),
    );
    return {
      inMinute: Math.max(
        0,
        ...instants.map((from) => instants.filter((at) => at >= from && at - from < MINUTE_MS).length),
      ),
      onDay: Math.max(0, ...[...days.values()].map((takings) => takings.length)),
    };
  }
}

function allowance(limit: number, used: number): Omit<Allowance, 'resetMs'> {
  return { limit, used, remaining: Math.max(0, limit - used) };
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
