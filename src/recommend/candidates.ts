import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Activity, LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, type Day, dayOf } from '../domain/activity/schedule.ts';
import { type DateSchedule, dateSchedule } from '../domain/allotment/events.ts';
import { type AllotmentId, allotmentIdOf } from '../domain/ids.ts';
import type { AskedDays } from './request.ts';

/** By default recommend considers today and this many days after it. */
export const DAYS_AHEAD = 7;

/** The activities of a city and their open dates. Depends on the catalogue only, so it is cached between requests. */
export type CityCandidates = {
  readonly city: CityName;
  readonly today: LocalDate;
  /** The first date that is considered: today or later. */
  readonly from: LocalDate;
  /** Sorted by activity id. */
  readonly candidates: readonly Candidate[];
  /** Catalogue prices in the city's currency, ascending. */
  readonly pricesMinor: readonly number[];
};

export type Candidate = {
  readonly activity: Activity;
  /** The considered dates on which the activity is open. */
  readonly days: readonly CandidateDay[];
};

export type CandidateDay = { readonly day: Day; readonly allotment: AllotmentId; readonly schedule: DateSchedule };

export function candidatesOf(
  city: CityName,
  today: LocalDate,
  catalogue: Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>,
  days: AskedDays | null = null,
): CityCandidates {
  const { from, to } = days ?? { from: today, to: addDays(today, DAYS_AHEAD) };
  const entries = [...catalogue]
    .filter(({ activity, listed }) => listed && activity.city === city)
    .sort((left, right) => (left.activity.id < right.activity.id ? -1 : 1));
  return {
    city,
    today,
    from,
    candidates: entries.map(({ activity, revision }) => ({ activity, days: openDays(activity, revision, from, to) })),
    pricesMinor: entries.map(({ activity }) => activity.priceMinor).sort((left, right) => left - right),
  };
}

function openDays(activity: Activity, revision: number, from: LocalDate, to: LocalDate): CandidateDay[] {
  const days: CandidateDay[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) {
    const day = dayOf(activity, date);
    if (day === null) continue;
    days.push({ day, allotment: allotmentIdOf(activity.id, date), schedule: dateSchedule(activity, revision, day) });
  }
  return days;
}
