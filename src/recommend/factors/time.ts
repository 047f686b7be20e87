import { timeOfDay } from '../../domain/activity/conditions.ts';
import type { Day } from '../../domain/activity/schedule.ts';
import type { TimeOfDay } from '../../domain/activity/vocabulary.ts';
import { HOUR_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';

const HOURS_A_DAY = 24;

/** Weights of the factor's parts; their sum is 1. */
const BEST_TIME_WEIGHT = 0.5;
const SOON_WEIGHT = 0.3;
const NEAR_WEIGHT = 0.2;

/** Score of a time of day that is not among the activity's best times. */
const OTHER_HOUR = 0.3;
/** Hours of waiting after which the score is 0.5. */
const SOON_HALF_AT_HOURS = 24;
/** Minutes of travel after which the score is 0.5. */
const NEAR_HALF_AT_MINUTES = 60;

/** City travel time per kilometre of straight-line distance, including detours. */
const MINUTES_PER_KM = 3;

/** The planned visit on a date. */
export type VisitPlan = {
  /** Ms since the epoch. */
  readonly startMs: number;
  /** The best time of day at which the visit starts; null if it starts at another time. */
  readonly bestTime: TimeOfDay | null;
};

/**
 * Plans the visit of a guest who sets out at `nowMs`: at the first full hour, opening time or arrival in one of the activity's best
 * times, else as early as possible. Null if the last entry is before the arrival.
 *
 * @param distanceKm straight-line distance; null if the guest's position is unknown
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
 * How well the time fits, in (0,1]. Weight 0.5: best time of day (1, else 0.3). Weight 0.3: waiting time (1 now, 0.5 in a
 * day, 0.33 in two days). Weight 0.2: travel time (1 here, 0.5 at an hour). An unknown position counts as distance 0 for
 * every activity, which does not change the order.
 */
export function timeFactor(
  { startMs, bestTime }: VisitPlan,
  { nowMs, distanceKm }: { readonly nowMs: number; readonly distanceKm: number | null },
): number {
  const good = bestTime === null ? OTHER_HOUR : 1;
  const waitHours = Math.max(0, startMs - nowMs) / HOUR_MS;
  const soon = 1 / (1 + waitHours / SOON_HALF_AT_HOURS);
  const near = 1 / (1 + travelMinutes(distanceKm) / NEAR_HALF_AT_MINUTES);
  return BEST_TIME_WEIGHT * good + SOON_WEIGHT * soon + NEAR_WEIGHT * near;
}

export function travelMinutes(distanceKm: number | null): number {
  return (distanceKm ?? 0) * MINUTES_PER_KM;
}

function hourAt(atMs: number, utcOffsetMinutes: number): number {
  return Math.floor((atMs + utcOffsetMinutes * MINUTE_MS) / HOUR_MS) % HOURS_A_DAY;
}

/** Every supported city has a whole-hour UTC offset, so full hours in UTC are full hours there. */
function nextHour(atMs: number): number {
  return (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
}
