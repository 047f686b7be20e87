import { timeOfDay } from '../../domain/activity/conditions.ts';
import type { Day } from '../../domain/activity/schedule.ts';
import type { TimeOfDay } from '../../domain/activity/vocabulary.ts';

const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;
const MINUTE_MS = 60_000;

/** The parts of the factor; together 1. */
const AT_A_GOOD_HOUR = 0.5;
const SOON = 0.3;
const NEAR = 0.2;

/** What an hour is worth at which the activity is not at its best. */
const OTHER_HOUR = 0.3;
/** After so many hours of waiting it is half as soon. */
const HALF_AS_SOON_HOURS = 24;
/** A way of so many minutes is half as near. */
const HALF_AS_NEAR_MINUTES = 60;

/** Through a city, with the detours that streets make: a straight kilometre takes so many minutes. */
const MINUTES_PER_KM = 3;

/** When a guest would go on a date. */
export type VisitPlan = {
  /** Ms since the epoch. */
  readonly startMs: number;
  /** The part of the day at which the activity is at its best, where the guest can go then. */
  readonly bestTime: TimeOfDay | null;
};

/**
 * When a guest who sets out now would go on a date: at the first full or opening hour at which the activity is at its
 * best, else as soon as they can. Null where nobody can enter any more by the time they are there.
 *
 * @param distanceKm in a straight line; null where it is not known where the guest is
 */
export function planVisit(
  day: Pick<Day, 'opensAtMs' | 'lastEntryMs'>,
  at: { readonly nowMs: number; readonly utcOffsetMinutes: number; readonly distanceKm: number | null },
  bestTimes: readonly TimeOfDay[],
): VisitPlan | null {
  const arrivalMs = at.nowMs + travelMinutes(at.distanceKm) * MINUTE_MS;
  const earliestMs = Math.max(day.opensAtMs, arrivalMs);
  if (earliestMs >= day.lastEntryMs) return null;
  for (let startMs = earliestMs; startMs < day.lastEntryMs; startMs = nextHour(startMs)) {
    const part = timeOfDay(hourAt(startMs, at.utcOffsetMinutes));
    if (bestTimes.includes(part)) return { startMs, bestTime: part };
  }
  return { startMs: earliestMs, bestTime: null };
}

/**
 * How well the time suits, in (0,1]: half of it whether the visit falls into a part of the day at which the activity is at
 * its best (1, else 0.3), 0.3 how soon it is (1 now, 0.5 a day from now, 0.33 in two), 0.2 how near it is (1 here, 0.5 at an
 * hour's way). Distance stands here because it is time: a way to go, on every date. Where it is not known where the guest
 * is, every activity counts as here, which changes no order.
 */
export function timeFactor(
  { startMs, bestTime }: VisitPlan,
  { nowMs, distanceKm }: { readonly nowMs: number; readonly distanceKm: number | null },
): number {
  const good = bestTime === null ? OTHER_HOUR : 1;
  const waitHours = Math.max(0, startMs - nowMs) / HOUR_MS;
  const soon = 1 / (1 + waitHours / HALF_AS_SOON_HOURS);
  const near = 1 / (1 + travelMinutes(distanceKm) / HALF_AS_NEAR_MINUTES);
  return AT_A_GOOD_HOUR * good + SOON * soon + NEAR * near;
}

export function travelMinutes(distanceKm: number | null): number {
  return (distanceKm ?? 0) * MINUTES_PER_KM;
}

function hourAt(atMs: number, utcOffsetMinutes: number): number {
  return Math.floor((atMs + utcOffsetMinutes * MINUTE_MS) / HOUR_MS) % HOURS_A_DAY;
}

/** Every supported city is whole hours from UTC, so their full hours are those of UTC. */
function nextHour(atMs: number): number {
  return (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
}
