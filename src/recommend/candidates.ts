import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Activity, LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, type Day, dayOf } from '../domain/activity/schedule.ts';
import { type DateSchedule, dateSchedule } from '../domain/allotment/events.ts';
import { type AllotmentId, allotmentIdOf } from '../domain/ids.ts';

/** Recommend considers today and this many days after it. */
export const DAYS_AHEAD = 7;

/** The activities of a city and their open dates. Depends on the catalogue only, so it is cached between requests. */
export type CityCandidates = {
  readonly city: CityName;
  readonly today: LocalDate;
  /** Sorted by activity id. */
  readonly candidates: readonly Candidate[];
  /** Catalogue prices in the city's currency, ascending. */
  readonly pricesMinor: readonly number[];
};

export type Candidate = {
  readonly activity: Activity;
  /** The dates on which the activity is open, starting today. */
  readonly days: readonly CandidateDay[];
};

export type CandidateDay = { readonly day: Day; readonly allotment: AllotmentId; readonly schedule: DateSchedule };

export function candidatesOf(
  city: CityName,
  today: LocalDate,
  catalogue: Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>,
): CityCandidates {
  const entries = [...catalogue]
    .filter(({ activity, listed }) => listed && activity.city === city)
    .sort((left, right) => (left.activity.id < right.activity.id ? -1 : 1));
  return {
    city,
    today,
    candidates: entries.map(({ activity, revision }) => ({ activity, days: openDays(activity, revision, today) })),
    pricesMinor: entries.map(({ activity }) => activity.priceMinor).sort((left, right) => left - right),
  };
}

function openDays(activity: Activity, revision: number, today: LocalDate): CandidateDay[] {
  const days: CandidateDay[] = [];
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const date = addDays(today, ahead);
    const day = dayOf(activity, date);
    if (day === null) continue;
    days.push({ day, allotment: allotmentIdOf(activity.id, date), schedule: dateSchedule(activity, revision, day) });
  }
  return days;
}
