import { DAY_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import type { Counting, Taking, Usage, UsageLimits } from '../../ports/rate-limiter.ts';
import { peek, type RequestWindow, record, take, utcDayNumber } from '../../ports/sliding-window.ts';

/** How long a node may admit requests from a lease. */
export const LEASE_MS = 1_000;
/** Maximum difference between the clocks of nodes. A clock further behind was set back. */
export const CLOCK_SKEW_MS = 5_000;
/** Maximum size of a lease: what a killed node may cost a key of its daily limit. */
const MAX_SIZE = 16;
/**
 * A lease is at most 1/16 of what is left. If that is below MIN_SIZE, none is granted and each request is counted by itself.
 */
const MAX_FRACTION = 16;
const MIN_SIZE = 2;

/**
 * A part of a key's quota that one node may use without asking the store. Until its holder settles it, all of it counts
 * as used: in the minute as if at its end, in the day permanently. A lease never spans midnight.
 */
export type QuotaLease = { readonly id: string; readonly size: number; readonly day: number; readonly untilMs: number };

/** A lease on its holder's side: the limits it was granted under, and the instants of its requests, oldest first. */
export type HeldLease = QuotaLease & {
  readonly fromMs: number;
  readonly limits: UsageLimits;
  readonly spent: number[];
};

/** The usage of a key that all nodes share: what was counted, and the open leases. */
export type SharedUsage = { readonly used: RequestWindow; readonly leases: readonly QuotaLease[] };

export type Request = { readonly limits: UsageLimits; readonly atMs: number; readonly counting: Counting };

/** `blocked`: refused now, but admitted if the unused part of other nodes' leases came back. */
type DecisionOutcome = Taking | { readonly kind: 'blocked' };

/** The outcomes of one key's requests, in order. `changed` says whether there is anything to write. */
export type UsageDecision = {
  readonly after: SharedUsage;
  readonly outcomes: readonly DecisionOutcome[];
  readonly changed: boolean;
  /** The usage after this decision, including the leases of others. */
  readonly seen: RequestWindow;
};

/**
 * @param own this node's leases; they are settled
 * @param lost ids of leases whose holders did not settle them in time; requests no longer wait for them
 */
export function decide(
  before: SharedUsage,
  own: readonly HeldLease[],
  lost: ReadonlySet<string>,
  group: readonly Request[],
): UsageDecision {
  const { used, leases } = settle(before, own);
  const outcomes = group.map(({ limits, atMs, counting }): DecisionOutcome => {
    const instant = instantOf(used, atMs);
    // Advances the window first, so that nothing lies ahead of the recorded instant if a clock was set back.
    peek(used, limits, instant);
    const taking = take(withLeases({ used, leases }, instant), limits, instant, counting);
    if (taking.kind === 'taken') {
      record(used, instant, counting);
      return taking;
    }
    const gone = withLeases({ used, leases: leases.filter(({ id }) => lost.has(id)) }, instant);
    return take(gone, limits, instant, counting).kind === 'taken' ? { kind: 'blocked' } : taking;
  });
  const latest = used.recent.at(-1) ?? Math.max(0, ...group.map(({ atMs }) => atMs));
  const setBack = group.some(({ atMs }) => isSetBack(before, atMs));
  const earliest = Math.min(...group.map(({ atMs }) => atMs));
  const after = { used, leases: setBack ? leases.map((lease) => notAhead(lease, earliest)) : leases };
  return {
    after: { used, leases: after.leases.filter(({ day }) => day >= utcDayNumber(latest) - 1) },
    outcomes,
    changed: setBack || own.some(({ id }) => isOut(before, id)) || outcomes.some(({ kind }) => kind === 'taken'),
    seen: withLeases(after, latest),
  };
}

/**
 * A lease for a node that admitted `recently` requests of the key within the duration of a lease; null if too little is
 * left or requested. Its size is twice that number, so that a lease grows with its use.
 */
export function leaseFor(
  left: Usage,
  recently: number,
  id: string,
  limits: UsageLimits,
  atMs: number,
): HeldLease | null {
  const remaining = Math.min(left.minute.remaining, left.day.remaining);
  const size = Math.min(MAX_SIZE, recently * 2, Math.floor(remaining / MAX_FRACTION));
  if (size < MIN_SIZE) return null;
  const day = utcDayNumber(atMs);
  return { id, size, day, fromMs: atMs, untilMs: Math.min(atMs + LEASE_MS, (day + 1) * DAY_MS - 1), limits, spent: [] };
}

/**
 * Admits one request from a lease; null if the store has to decide.
 *
 * @param seen the usage when the lease was granted, plus the requests that its holder admitted since
 */
export function spend(lease: HeldLease, seen: RequestWindow, { limits, atMs, counting }: Request): Taking | null {
  const instant = instantOf(seen, atMs);
  const inTime = instant >= lease.fromMs && instant <= lease.untilMs;
  const same = limits.perMinute === lease.limits.perMinute && limits.perDay === lease.limits.perDay;
  if (!inTime || !same || counting !== 'minute and day' || lease.spent.length >= lease.size) return null;
  const taking = take(seen, limits, instant, counting);
  if (taking.kind !== 'taken') return null;
  lease.spent.push(instant);
  return taking;
}

/** What is left at an instant, for the holder of `own`. */
export function usageLeft(before: SharedUsage, own: readonly HeldLease[], limits: UsageLimits, atMs: number): Usage {
  const { used, leases } = settle(before, own);
  const instant = instantOf(used, atMs);
  return peek(withLeases({ used, leases }, instant), limits, instant);
}

/** The stored form of a lease. */
export function stored({ id, size, day, untilMs }: QuotaLease): QuotaLease {
  return { id, size, day, untilMs };
}

/**
 * Replaces own leases by the requests admitted from them. A lease that is no longer stored was settled by a write whose
 * answer was lost, or removed with its day; it is not counted again.
 */
function settle(
  before: SharedUsage,
  own: readonly HeldLease[],
): { used: RequestWindow; leases: readonly QuotaLease[] } {
  const used: RequestWindow = { recent: [...before.used.recent], days: new Map(before.used.days) };
  for (const { id, day, spent } of own) {
    if (!isOut(before, id) || spent.length === 0) continue;
    used.recent = [...used.recent, ...spent].sort((one, other) => one - other);
    used.days.set(day, (used.days.get(day) ?? 0) + spent.length);
  }
  return { used, leases: before.leases.filter(({ id }) => own.every((mine) => mine.id !== id)) };
}

function isOut({ leases }: SharedUsage, id: string): boolean {
  return leases.some((lease) => lease.id === id);
}

/** The usage with every open lease counted as used: at its end, or now if the end is in the future. */
function withLeases({ used, leases }: SharedUsage, atMs: number): RequestWindow {
  const days = new Map(used.days);
  const recent = [...used.recent];
  for (const { size, day, untilMs } of leases) {
    days.set(day, (days.get(day) ?? 0) + size);
    const instant = Math.min(untilMs, atMs);
    if (instant > atMs - MINUTE_MS) for (let n = 0; n < size; n++) recent.push(instant);
  }
  if (leases.length > 0) recent.sort((one, other) => one - other);
  return { recent, days };
}

/** The clock that is ahead counts for all nodes: a request behind it is counted at the latest instant. */
function instantOf({ recent }: RequestWindow, atMs: number): number {
  const latest = recent.at(-1) ?? atMs;
  return latest > atMs && latest - atMs <= CLOCK_SKEW_MS ? latest : atMs;
}

/** Without this check, entries ahead of a clock that was set back would count as used now at each request, forever. */
function isSetBack({ used, leases }: SharedUsage, atMs: number): boolean {
  return (
    instantOf(used, atMs) < (used.recent.at(-1) ?? atMs) ||
    leases.some(({ untilMs }) => untilMs > atMs + LEASE_MS + CLOCK_SKEW_MS)
  );
}

/** Shortens a lease to one duration from now; its holder uses it no longer than that by any clock. */
function notAhead(lease: QuotaLease, atMs: number): QuotaLease {
  return { ...lease, untilMs: Math.min(lease.untilMs, atMs + LEASE_MS) };
}
