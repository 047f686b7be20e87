import type { Activity, LocalDate } from '../../domain/activity/activity.ts';
import { addDays, dayOf, localDate } from '../../domain/activity/schedule.ts';
import { dateSchedule } from '../../domain/allotment/events.ts';
import { slotsLeft } from '../../domain/allotment/terms.ts';
import { allotmentIdOf } from '../../domain/ids.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Moment, SimulatedService } from './simulated-service.ts';

/** What a traveller wants to book. */
export type Wish = {
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
};

/** Mean days from a booking to its date. */
const MEAN_DAYS_AHEAD = 12;
const MAX_DAYS_AHEAD = 90;
/** A closed activity is asked for its next open date within so many days. */
const CLOSED_DAYS = 8;
/** Dates and activities that are tried until one has room. */
const TRIES = 40;
/** Greater numbers make the most popular activities more popular. */
const SKEW = 1.6;
/** A booking for today is made so long before the last entry. */
const ARRIVAL_MS = 90 * MINUTE_MS;

/** The activities that anybody can book, the most popular ones first. */
export function popularActivities({ views }: SimulatedService, random: SeededRandom): readonly Activity[] {
  const activities = [...views.catalogue.values()].flatMap(({ activity, listed }) =>
    listed && activity.exclusiveTo === null ? [activity] : [],
  );
  return activities
    .map((activity) => ({ activity, order: random.uint32() }))
    .sort((left, right) => left.order - right.order || (left.activity.id < right.activity.id ? -1 : 1))
    .map(({ activity }) => activity);
}

/** Null if no date with room was found. */
export function wishAt(moment: Moment, popular: readonly Activity[], service: SimulatedService): Wish | null {
  const { random } = moment;
  const party = partyOf(random);
  for (let tries = 0; tries < TRIES; tries++) {
    const activity = popular[Math.floor(popular.length * random.fraction() ** SKEW)];
    const date = activity && dateWithRoom(activity, party.numAdults + party.numChildren, moment, service);
    if (activity !== undefined && date) return { activityId: activity.id, date, ...party };
  }
  return null;
}

/** A date on which the activity is open and has room for the guests; null if the first one found has none. */
export function dateWithRoom(
  activity: Activity,
  guests: number,
  moment: Moment,
  { views, config }: SimulatedService,
): LocalDate | null {
  const nowMs = moment.nowMs();
  const ahead = Math.floor(Math.min(moment.random.exponential(MEAN_DAYS_AHEAD), MAX_DAYS_AHEAD, config.daysAhead));
  const first = addDays(localDate(activity.city, nowMs), ahead);
  for (let days = 0; days < CLOSED_DAYS && ahead + days <= config.daysAhead; days++) {
    const date = addDays(first, days);
    const day = dayOf(activity, date);
    if (day === null || day.lastEntryMs < nowMs + ARRIVAL_MS) continue;
    const terms = views.allotments.get(allotmentIdOf(activity.id, date));
    const revision = views.catalogue.get(activity.id)?.revision ?? 0;
    const left = terms === undefined ? day.capacity : slotsLeft(terms, dateSchedule(activity, revision, day));
    return left >= guests ? date : null;
  }
  return null;
}

function partyOf(random: SeededRandom): Pick<Wish, 'numAdults' | 'numChildren'> {
  return { numAdults: random.pick([1, 2, 2, 2, 2, 3, 4]), numChildren: random.pick([0, 0, 0, 0, 1, 2]) };
}
