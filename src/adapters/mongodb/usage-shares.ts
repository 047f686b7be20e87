import { DAY_MS, dayOf, type KeyUsage, look, MINUTE_MS, record, take } from '../../ports/key-usage.ts';
import type { Counting, Taking, Usage, UsageLimits } from '../../ports/usage-counters.ts';

/** So long a node may take from a share. */
export const SHARE_MS = 1_000;
/** Clocks of nodes may differ by so much. One that is further behind was set back. */
export const CLOCK_SKEW_MS = 5_000;
/** The most that one share holds: what a node that is killed may cost a key of its day. */
const LARGEST = 16;
/** No share is more than this part of what is left, and none is given where that is less than two: there each counts singly. */
const PART = 16;
const SMALLEST = 2;

/**
 * What one node may take of a key without asking. Until its holder settles it, all of it counts as taken: for the minute
 * as if at its end, for the day for good. It never lies across midnight.
 */
export type Share = { readonly id: string; readonly size: number; readonly day: number; readonly untilMs: number };

/** A share as its holder has it: under which limits it was given, and at which instants it was taken from, oldest first. */
export type HeldShare = Share & { readonly fromMs: number; readonly limits: UsageLimits; readonly spent: number[] };

/** What is stored of a key: what was counted, and which shares are out. */
export type SharedUsage = { readonly used: KeyUsage; readonly shares: readonly Share[] };

export type Request = { readonly limits: UsageLimits; readonly atMs: number; readonly counting: Counting };

/** `held up`: refused as it stands, and not if the shares that others hold came back. */
export type Deciding = Taking | { readonly kind: 'held up' };

/** Decides the requests of one key in order. `changed` is whether there is anything to write. */
export type Decision = {
  readonly after: SharedUsage;
  readonly outcomes: readonly Deciding[];
  readonly changed: boolean;
  /** The requests of this decision that were taken, with the shares of others: what is left now. */
  readonly seen: KeyUsage;
};

/**
 * @param own what this node holds; it is settled
 * @param lost ids of shares that are not waited for any more, since nobody settled them in time
 */
export function decide(
  before: SharedUsage,
  own: readonly HeldShare[],
  lost: ReadonlySet<string>,
  group: readonly Request[],
): Decision {
  const { used, shares } = settle(before, own);
  const outcomes = group.map(({ limits, atMs, counting }): Deciding => {
    const instant = instantOf(used, atMs);
    // Moves the minute on, so that nothing lies ahead of what is recorded, also where a clock was set back.
    look(used, limits, instant);
    const taking = take(withShares({ used, shares }, instant), limits, instant, counting);
    if (taking.kind === 'taken') {
      record(used, instant, counting);
      return taking;
    }
    const gone = withShares({ used, shares: shares.filter(({ id }) => lost.has(id)) }, instant);
    return take(gone, limits, instant, counting).kind === 'taken' ? { kind: 'held up' } : taking;
  });
  const latest = used.recent.at(-1) ?? Math.max(0, ...group.map(({ atMs }) => atMs));
  const setBack = group.some(({ atMs }) => isSetBack(before, atMs));
  const earliest = Math.min(...group.map(({ atMs }) => atMs));
  const after = { used, shares: setBack ? shares.map((share) => notAhead(share, earliest)) : shares };
  return {
    after: { used, shares: after.shares.filter(({ day }) => day >= dayOf(latest) - 1) },
    outcomes,
    changed: setBack || own.some(({ id }) => isOut(before, id)) || outcomes.some(({ kind }) => kind === 'taken'),
    seen: withShares(after, latest),
  };
}

/**
 * A share for a node that took `lately` requests of the key in the time that a share lasts; null where too little is left,
 * or not enough is asked for. It doubles what was taken, so that a share grows with its use.
 */
export function shareFor(left: Usage, lately: number, id: string, limits: UsageLimits, atMs: number): HeldShare | null {
  const remaining = Math.min(left.minute.remaining, left.day.remaining);
  const size = Math.min(LARGEST, lately * 2, Math.floor(remaining / PART));
  if (size < SMALLEST) return null;
  const day = dayOf(atMs);
  return { id, size, day, fromMs: atMs, untilMs: Math.min(atMs + SHARE_MS, (day + 1) * DAY_MS - 1), limits, spent: [] };
}

/**
 * Takes one request from a share; null where it has to be asked for.
 *
 * @param seen what was used as its holder saw it when it got the share, with what it took since
 */
export function spend(share: HeldShare, seen: KeyUsage, { limits, atMs, counting }: Request): Taking | null {
  const instant = instantOf(seen, atMs);
  const inTime = instant >= share.fromMs && instant <= share.untilMs;
  const same = limits.perMinute === share.limits.perMinute && limits.perDay === share.limits.perDay;
  if (!inTime || !same || counting !== 'minute and day' || share.spent.length >= share.size) return null;
  const taking = take(seen, limits, instant, counting);
  if (taking.kind !== 'taken') return null;
  share.spent.push(instant);
  return taking;
}

/** What is left at an instant, to whoever holds `own`. */
export function lookShared(before: SharedUsage, own: readonly HeldShare[], limits: UsageLimits, atMs: number): Usage {
  const { used, shares } = settle(before, own);
  const instant = instantOf(used, atMs);
  return look(withShares({ used, shares }, instant), limits, instant);
}

/** The stored form of a share that is about to be held. */
export function stored({ id, size, day, untilMs }: Share): Share {
  return { id, size, day, untilMs };
}

/**
 * Puts what was taken in the place of the shares. One that is not out any more was settled by a write whose answer did not
 * arrive, or forgotten with its day: nothing is counted twice.
 */
function settle(before: SharedUsage, own: readonly HeldShare[]): { used: KeyUsage; shares: readonly Share[] } {
  const used: KeyUsage = { recent: [...before.used.recent], days: new Map(before.used.days) };
  for (const { id, day, spent } of own) {
    if (!isOut(before, id) || spent.length === 0) continue;
    used.recent = [...used.recent, ...spent].sort((one, other) => one - other);
    used.days.set(day, (used.days.get(day) ?? 0) + spent.length);
  }
  return { used, shares: before.shares.filter(({ id }) => own.every((mine) => mine.id !== id)) };
}

function isOut({ shares }: SharedUsage, id: string): boolean {
  return shares.some((share) => share.id === id);
}

/** What was used, where all that is out counts as taken: at its end, or now where that is still to come. */
function withShares({ used, shares }: SharedUsage, atMs: number): KeyUsage {
  const days = new Map(used.days);
  const recent = [...used.recent];
  for (const { size, day, untilMs } of shares) {
    days.set(day, (days.get(day) ?? 0) + size);
    const instant = Math.min(untilMs, atMs);
    if (instant > atMs - MINUTE_MS) for (let n = 0; n < size; n++) recent.push(instant);
  }
  if (shares.length > 0) recent.sort((one, other) => one - other);
  return { recent, days };
}

/** The clock that is ahead is that of all: a request behind it counts as one of now, so that its place is free no sooner. */
function instantOf({ recent }: KeyUsage, atMs: number): number {
  const latest = recent.at(-1) ?? atMs;
  return latest > atMs && latest - atMs <= CLOCK_SKEW_MS ? latest : atMs;
}

/** What lies ahead of a clock that was set back would else count as taken now at each request, and never end. */
function isSetBack({ used, shares }: SharedUsage, atMs: number): boolean {
  return (
    instantOf(used, atMs) < (used.recent.at(-1) ?? atMs) ||
    shares.some(({ untilMs }) => untilMs > atMs + SHARE_MS + CLOCK_SKEW_MS)
  );
}

/** Whoever holds it may take from it for as long as a share lasts, by any clock. */
function notAhead(share: Share, atMs: number): Share {
  return { ...share, untilMs: Math.min(share.untilMs, atMs + SHARE_MS) };
}
