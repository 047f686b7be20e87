import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { Activity, ActivityId, LocalDate } from '../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../domain/activity/cities.ts';
import { conditionsAt } from '../domain/activity/conditions.ts';
import { addDays, type Day, dayOf } from '../domain/activity/schedule.ts';
import type { Budget } from '../domain/recommendation/profile.ts';
import { perMille } from '../domain/recommendation/score.ts';
import type { Forecast, WeatherUnavailable } from '../ports/weather.ts';
import { type GroupedModes, groupOfAllotment, testGroup, withTestSlots } from './allotments-of-mode.ts';
import { type Candidate, type CandidateColumns, columnsOf } from './candidate-columns.ts';
import { type DateSlots, dateSlotsOf } from './date-slots.ts';
import { priceFactor } from './factors/price.ts';
import { planVisit, type VisitPlan } from './factors/time.ts';
import { type GroundTruths, Learnt } from './learnt.ts';
import type { AskedDays } from './request.ts';
import { type WeatherOfVisits, weatherOfVisits } from './visit-weather.ts';

/** By default recommend considers today and this many days after it. */
export const DAYS_AHEAD = 7;

/** Dates that a city keeps: two longest ranges. The one unused for longest is dropped first. */
export const MAX_DATES = 20;

/** Forecasts that a city keeps the weather of visits for. Positions in different parts of a city have different ones. */
const MAX_FORECASTS = 4;

/** One date of a city. */
export type CandidateDate = {
  readonly date: LocalDate;
  /** The day after it. */
  readonly next: LocalDate;
  /** Of its live allotments. */
  readonly group: string;
  /** By timetable; null: closed. */
  readonly hours: readonly (CandidateHours | null)[];
};
export type CandidateHours = Pick<Day, 'opensAtMs' | 'lastEntryMs'> & {
  /** Of guests who can arrive before the opening. */
  readonly openingVisit: VisitPlan;
};

/** The numbers of changes of the allotments when the slots were made; `testGroup` is '' for live keys. */
type KnownSlots = {
  readonly testGroup: string;
  readonly changes: number;
  readonly testChanges: number;
  readonly slots: DateSlots;
};

/** The weather of a city's visits by one forecast, or by the typical weather. */
export type KnownWeather = {
  readonly weatherOf: WeatherOfVisits;
  /** Weather factors of the opening visits of a date, by visit; -1 for those that are not computed yet. */
  readonly openingWeathers: (date: CandidateDate) => Int16Array;
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
  /** The one used last comes last. */
  readonly #weathers = new Map<Forecast | 'typical', KnownWeather>();
  readonly #priceFactors = new Map<Budget | null, Int16Array>();
  #learnt: Learnt | null = null;
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
      next: addDays(date, 1),
      group: groupOfAllotment({ city: this.name, date }),
      hours: this.columns.timetables.examples.map((activity) => hoursOn(activity, date)),
    };
    this.#dates.delete(date);
    this.#dates.set(date, found);
    const [oldest] = this.#dates.keys();
    if (this.#dates.size > MAX_DATES && oldest !== undefined) this.#dates.delete(oldest);
    return found;
  }

  /** The index of a candidate; undefined if the activity is none. */
  indexOf(id: ActivityId): number | undefined {
    return this.#indexes.get(id);
  }

  /** The ground truth of the candidates; kept until some ground truth changes. */
  groundTruthIn(source: GroundTruths): Learnt {
    if (this.#learnt?.isOf(source) === true) this.#learnt.update();
    else this.#learnt = new Learnt(this.candidates, source);
    return this.#learnt;
  }

  /** The price factors at the prices of the catalogue without a discount, in thousandths. */
  priceFactors(budget: Budget | null): Int16Array {
    const known = this.#priceFactors.get(budget);
    if (known !== undefined) return known;
    const factors = Int16Array.from(this.columns.levels, (level) => perMille(priceFactor(budget, level, 0)));
    this.#priceFactors.set(budget, factors);
    return factors;
  }

  /** Kept between requests, because the conditions of an hour cost more than the score of a candidate. */
  weatherIn(weather: Forecast | WeatherUnavailable): KnownWeather {
    const key = weather.kind === 'forecast' ? weather : 'typical';
    const found = this.#weathers.get(key) ?? this.#weatherBy(weather);
    this.#weathers.delete(key);
    this.#weathers.set(key, found);
    const [oldest] = this.#weathers.keys();
    if (this.#weathers.size > MAX_FORECASTS && oldest !== undefined) this.#weathers.delete(oldest);
    return found;
  }

  #weatherBy(weather: Forecast | WeatherUnavailable): KnownWeather {
    const known = new WeakMap<CandidateDate, Int16Array>();
    return {
      weatherOf: weatherOfVisits((hourMs) => conditionsAt(weather, this.name, hourMs)),
      openingWeathers: (date) => {
        const found = known.get(date) ?? new Int16Array(this.columns.visits.examples.length).fill(-1);
        known.set(date, found);
        return found;
      },
    };
  }

  /** What live keys can book on a date. Kept until one of its allotments changes. */
  slotsOn(date: CandidateDate, { allotments }: Pick<GroupedModes, 'allotments'>): DateSlots {
    const { group } = date;
    const madeOf = { testGroup: '', changes: allotments.changesIn(group), testChanges: 0 };
    return this.#slotsOf(date, madeOf, this.#slots, () => this.#byIndex(allotments.inGroup(group)));
  }

  /** What test keys can book on a date, after the test bookings of `testDay`. */
  testSlotsOn(date: CandidateDate, testDay: LocalDate, { allotments, testAllotments }: GroupedModes): DateSlots {
    const live = date.group;
    const ofTests = testGroup(live, testDay);
    const [changes, testChanges] = [allotments.changesIn(live), testAllotments.changesIn(ofTests)];
    return this.#slotsOf(date, { testGroup: ofTests, changes, testChanges }, this.#testSlots, () => {
      const tests = this.#byIndex(testAllotments.inGroup(ofTests));
      const documents = new Map(tests);
      for (const [index, document] of this.#byIndex(allotments.inGroup(live)))
        documents.set(index, withTestSlots(document, tests.get(index)) ?? document);
      return documents;
    });
  }

  #slotsOf(
    date: CandidateDate,
    madeOf: Omit<KnownSlots, 'slots'>,
    before: WeakMap<CandidateDate, KnownSlots>,
    documents: () => ReadonlyMap<number, InventoryDocument>,
  ): DateSlots {
    const known = before.get(date);
    const { testGroup: group, changes, testChanges } = madeOf;
    if (known?.testGroup === group && known.changes === changes && known.testChanges === testChanges)
      return known.slots;
    const slots = dateSlotsOf(date.date, this.candidates, this.columns, documents());
    before.set(date, { ...madeOf, slots });
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
  const dates: CandidateDate[] = [];
  let date = days?.from ?? today;
  while (days === null ? dates.length <= DAYS_AHEAD : date <= days.to) {
    const found = city.on(date);
    dates.push(found);
    date = found.next;
  }
  return { city, today, dates };
}

function hoursOn(activity: Activity, date: LocalDate): CandidateHours | null {
  const day = dayOf(activity, date);
  if (day === null) return null;
  const { opensAtMs, lastEntryMs } = day;
  const { utcOffsetMinutes } = cityFacts(activity.city);
  const openingVisit = planVisit(day, { nowMs: opensAtMs, utcOffsetMinutes, distanceKm: null }, activity.bestTimes);
  return openingVisit === null ? null : { opensAtMs, lastEntryMs, openingVisit };
}
