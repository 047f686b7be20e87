import type { Activity, ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { addDays, localDate, openDays } from '../../domain/activity/schedule.ts';
import { dateSchedule } from '../../domain/allotment/events.ts';
import { slotsLeft } from '../../domain/allotment/terms.ts';
import { allotmentIdOf, type Mode } from '../../domain/ids.ts';
import { allotmentsOf } from '../../recommend/allotments-of-mode.ts';
import type { BookingContext } from '../booking/booking-context.ts';

/** Maximum number of alternatives in an answer. */
export const ALTERNATIVES = 5;
/** The alternatives lie within this many days from the first date that was searched. */
export const SEARCHED_DAYS = 60;

/** A date on which an activity has enough free slots, as `alternatives` shows it. */
export type FreeDate = {
  readonly activity_id: ActivityId;
  readonly date: LocalDate;
  readonly available_slots: number;
};

/** The next dates from `from` on with enough free slots, from memory. A hint: the allotment decides. */
export function freeDates(
  mode: Mode,
  { activity, revision }: { readonly activity: Activity; readonly revision: number },
  guests: number,
  from: LocalDate,
  context: Pick<BookingContext, 'streams' | 'allotments' | 'testAllotments' | 'clock' | 'limits'>,
): FreeDate[] {
  const { streams, clock, limits } = context;
  const nowMs = clock.nowMs();
  const allotments = allotmentsOf(mode, localDate(activity.city, nowMs), context);
  const latest = addDays(localDate(activity.city, nowMs), limits.daysAhead);
  const found: FreeDate[] = [];
  for (const day of openDays(activity, from, nowMs, SEARCHED_DAYS)) {
    const { date } = day;
    if (date > latest || found.length >= ALTERNATIVES) break;
    const id = allotmentIdOf(activity.id, date);
    // The actor's state is newer than the read model's.
    const state = mode === 'live' ? streams.allotments.peek(id) : undefined;
    const terms = state?.status === 'open' ? state : allotments.get(id);
    const available = terms === undefined ? day.capacity : slotsLeft(terms, dateSchedule(activity, revision, day));
    if (available >= guests) found.push({ activity_id: activity.id, date, available_slots: available });
  }
  return found;
}

/** For an error text: ` (2026-11-24, 2026-11-25)`; empty without dates. */
export function namedDates(alternatives: readonly Pick<FreeDate, 'date'>[]): string {
  const dates = new Set(alternatives.map(({ date }) => date));
  return dates.size === 0 ? '' : ` (${[...dates].join(', ')})`;
}
