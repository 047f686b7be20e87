import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity, ActivityId, LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, type Day, dayOf } from '../domain/activity/schedule.ts';
import { type GroupedModes, groupOfAllotment, testGroup, withTestSlots } from './allotments-of-mode.ts';
import { type Candidate, type CandidateColumns, columnsOf } from './candidate-columns.ts';
import { type DateSlots, dateSlotsOf } from './date-slots.ts';
import type { AskedDays } from './request.ts';

/** By default recommend considers today and this many days after it. */
export const DAYS_AHEAD = 7;

/** Dates that a city keeps: two longest ranges. The one unused for longest is dropped first. */
export const MAX_DATES = 20;

/** One date of a city. */
export type CandidateDate = {
  readonly date: LocalDate;
  /** By timetable; null: closed. */
  readonly hours: readonly (Pick<Day, 'opensAtMs' | 'lastEntryMs'> | null)[];
};

/** `madeOf`: the groups of the allotments, and their numbers of changes when the slots were made. */
type KnownSlots = { readonly madeOf: string; readonly slots: DateSlots };

/** The ground truth in memory. Without `changesIn` it is read anew for each ranking. */
export type GroundTruths = {
  get(id: string): GroundTruthDocument | undefined;
  /** A number that changes with every change of a document of the group. */
  changesIn?(group: typeof ALL_GROUND_TRUTH): number;
};
export const ALL_GROUND_TRUTH = 'all';

type KnownGroundTruth = {
  readonly source: GroundTruths;
  readonly changes: number | undefined;
  readonly documents: readonly (GroundTruthDocument | undefined)[];
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
  readonly columns: CandidateColumns;
  /** The one used last comes last. */
  readonly #dates = new Map<LocalDate, CandidateDate>();
  readonly #slots = new WeakMap<CandidateDate, KnownSlots>();
  readonly #testSlots = new WeakMap<CandidateDate, KnownSlots>();
  #groundTruth: KnownGroundTruth | null = null;
  /** Of the candidates. */
  readonly #indexes: ReadonlyMap<ActivityId, number>;

  constructor(name: CityName, catalogue: Iterable<Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>) {
    const entries = [...catalogue]
      .filter(({ activity, listed }) => listed && activity.city === name)
      .sort((left, right) => (left.activity.id < right.activity.id ? -1 : 1));
    const pricesMinor = entries.map(({ activity }) => activity.priceMinor).sort((left, right) => left - right);
    this.candidates = entries.map(({ activity, revision }) => ({ activity, revision }));
    this.name = name;
    this.pricesMinor = pricesMinor;
    this.columns = columnsOf(
      entries.map(({ activity }) => activity),
      pricesMinor,
    );
    this.#indexes = new Map(entries.map(({ activity }, index) => [activity.id, index]));
  }

  /** The number of dates in memory. */
  get datesKept(): number {
    return this.#dates.size;
  }

  on(date: LocalDate): CandidateDate {
    const known = this.#dates.get(date);
    const found = known ?? {
      date,
      hours: this.columns.timetables.examples.map((activity) => hoursOn(activity, date)),
    };
    this.#dates.delete(date);
    this.#dates.set(date, found);
    const [oldest] = this.#dates.keys();
    if (this.#dates.size > MAX_DATES && oldest !== undefined) this.#dates.delete(oldest);
    return found;
  }

  /** The ground truth of the candidates, by index; kept until some ground truth changes. */
  groundTruthIn(source: GroundTruths): KnownGroundTruth['documents'] {
    const changes = source.changesIn?.(ALL_GROUND_TRUTH);
    const known = this.#groundTruth;
    if (known?.source === source && changes !== undefined && known.changes === changes) return known.documents;
    const documents = this.candidates.map(({ activity }) => source.get(activity.id));
    this.#groundTruth = { source, changes, documents };
    return documents;
  }

  /** What live keys can book on a date. Kept until one of its allotments changes. */
  slotsOn(date: CandidateDate, { allotments }: Pick<GroupedModes, 'allotments'>): DateSlots {
    const group = groupOfAllotment({ city: this.name, date: date.date });
    const madeOf = `${group} ${allotments.changesIn(group)}`;
    return this.#slotsOf(date, madeOf, this.#slots, () => this.#byIndex(allotments.inGroup(group)));
  }

  /** What test keys can book on a date, after the test bookings of `testDay`. */
  testSlotsOn(date: CandidateDate, testDay: LocalDate, { allotments, testAllotments }: GroupedModes): DateSlots {
    const live = groupOfAllotment({ city: this.name, date: date.date });
    const group = testGroup(live, testDay);
    const madeOf = `${group} ${allotments.changesIn(live)} ${testAllotments.changesIn(group)}`;
    return this.#slotsOf(date, madeOf, this.#testSlots, () => {
      const ofTests = this.#byIndex(testAllotments.inGroup(group));
      const documents = new Map(ofTests);
      for (const [index, document] of this.#byIndex(allotments.inGroup(live)))
        documents.set(index, withTestSlots(document, ofTests.get(index)) ?? document);
      return documents;
    });
  }

  #slotsOf(
    date: CandidateDate,
    madeOf: string,
    before: WeakMap<CandidateDate, KnownSlots>,
    documents: () => ReadonlyMap<number, InventoryDocument>,
  ): DateSlots {
    const known = before.get(date);
    if (known?.madeOf === madeOf) return known.slots;
    const slots = dateSlotsOf(date.date, this.candidates, this.columns, documents());
    before.set(date, { madeOf, slots });
    return slots;
  }

  #byIndex(documents: Iterable<InventoryDocument>): Map<number, InventoryDocument> {
    const found = new Map<number, InventoryDocument>();
    for (const document of documents) {
      const index = this.#indexes.get(document.activityId);
      if (index !== undefined) found.set(index, document);
    }
    return found;
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
