import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity, ActivityId, LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, type Day, dayOf } from '../domain/activity/schedule.ts';
import { type GroupedAllotments, groupOfAllotment, testGroup } from './allotments-of-mode.ts';
import { priceLevel } from './factors/price.ts';
import type { AskedDays } from './request.ts';

/** By default recommend considers today and this many days after it. */
export const DAYS_AHEAD = 7;

/** Dates that a city keeps: two longest ranges. The one unused for longest is dropped first. */
export const MAX_DATES = 20;

export type Candidate = {
  readonly activity: Activity;
  /** Of the activity's stream. */
  readonly revision: number;
  /** Index of its opening hours among those of the city. */
  readonly timetable: number;
  /** Level of the catalogue price among the city's. */
  readonly level: number;
};

/** One date of a city. */
export type CandidateDate = {
  readonly date: LocalDate;
  /** By timetable; null: closed. */
  readonly hours: readonly (Pick<Day, 'opensAtMs' | 'lastEntryMs'> | null)[];
};

/** The allotments of a date by candidate, and the number of changes when they were read. */
type DateAllotments = {
  readonly group: string;
  readonly changes: number;
  readonly documents: readonly (InventoryDocument | undefined)[];
};

/** The activities of a city and the dates that a request considers. */
export type CityCandidates = {
  readonly city: CityIndex;
  readonly today: LocalDate;
  /** In order, without gaps. The first one is today or later. */
  readonly dates: readonly CandidateDate[];
};

/** The listed activities of a city. Depends on the catalogue only, so it is kept between requests. */
export class CityIndex {
  readonly name: CityName;
  /** Sorted by activity id. */
  readonly candidates: readonly Candidate[];
  /** Catalogue prices in the city's currency, ascending. */
  readonly pricesMinor: readonly number[];
  /** One activity with each timetable. Many activities of a city share one. */
  readonly #timetables: readonly Activity[];
  /** The one used last comes last. */
  readonly #dates = new Map<LocalDate, CandidateDate>();
  readonly #allotments = new WeakMap<CandidateDate, DateAllotments>();
  readonly #testAllotments = new WeakMap<CandidateDate, DateAllotments>();
  /** Of the candidates. */
  readonly #indexes: ReadonlyMap<ActivityId, number>;

  constructor(name: CityName, catalogue: Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>) {
    const entries = [...catalogue]
      .filter(({ activity, listed }) => listed && activity.city === name)
      .sort((left, right) => (left.activity.id < right.activity.id ? -1 : 1));
    const pricesMinor = entries.map(({ activity }) => activity.priceMinor).sort((left, right) => left - right);
    const timetables = new Map<string, number>();
    const examples: Activity[] = [];
    this.candidates = entries.map(({ activity, revision }) => {
      const key = JSON.stringify([activity.openings, activity.closedDates, activity.bestTimes]);
      const timetable = timetables.get(key) ?? examples.push(activity) - 1;
      timetables.set(key, timetable);
      return { activity, revision, timetable, level: priceLevel(activity.priceMinor, pricesMinor) };
    });
    this.name = name;
    this.pricesMinor = pricesMinor;
    this.#timetables = examples;
    this.#indexes = new Map(entries.map(({ activity }, index) => [activity.id, index]));
  }

  get timetables(): number {
    return this.#timetables.length;
  }

  /** The number of dates in memory. */
  get datesKept(): number {
    return this.#dates.size;
  }

  on(date: LocalDate): CandidateDate {
    const known = this.#dates.get(date);
    const found = known ?? {
      date,
      hours: this.#timetables.map((activity) => hoursOn(activity, date)),
    };
    this.#dates.delete(date);
    this.#dates.set(date, found);
    const [oldest] = this.#dates.keys();
    if (this.#dates.size > MAX_DATES && oldest !== undefined) this.#dates.delete(oldest);
    return found;
  }

  /**
   * The live allotments of a date, by candidate. They are kept until one of them changes: thousands of lookups by id cost
   * more than all other steps of a ranking.
   */
  allotmentsOn(date: CandidateDate, allotments: GroupedAllotments): DateAllotments['documents'] {
    return this.#collected(date, this.#groupOn(date), allotments, this.#allotments);
  }

  /** The test allotments of a date that test bookings of `testDay` have opened, by candidate. */
  testAllotmentsOn(date: CandidateDate, testDay: LocalDate, allotments: GroupedAllotments) {
    return this.#collected(date, testGroup(this.#groupOn(date), testDay), allotments, this.#testAllotments);
  }

  #groupOn({ date }: CandidateDate): string {
    return groupOfAllotment({ city: this.name, date });
  }

  #collected(
    date: CandidateDate,
    group: string,
    allotments: GroupedAllotments,
    before: WeakMap<CandidateDate, DateAllotments>,
  ): DateAllotments['documents'] {
    const changes = allotments.changesIn(group);
    const known = before.get(date);
    if (known?.group === group && known.changes === changes) return known.documents;
    // Full from the start: JavaScript engines read arrays with gaps slowly.
    const documents: (InventoryDocument | undefined)[] = this.candidates.map(() => undefined);
    for (const document of allotments.inGroup(group)) {
      const index = this.#indexes.get(document.activityId);
      if (index !== undefined) documents[index] = document;
    }
    before.set(date, { group, changes, documents });
    return documents;
  }
}

export function candidatesOf(city: CityIndex, today: LocalDate, days: AskedDays | null = null): CityCandidates {
  const { from, to } = days ?? { from: today, to: addDays(today, DAYS_AHEAD) };
  const dates: CandidateDate[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) dates.push(city.on(date));
  return { city, today, dates };
}

function hoursOn(activity: Activity, date: LocalDate): CandidateDate['hours'][number] {
  const day = dayOf(activity, date);
  return day === null ? null : { opensAtMs: day.opensAtMs, lastEntryMs: day.lastEntryMs };
}
