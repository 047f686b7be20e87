import type { Activity } from '../domain/activity/activity.ts';
import { cityFacts } from '../domain/activity/cities.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import type { Setting } from '../domain/activity/vocabulary.ts';
import { priceLevel } from './factors/price.ts';

export type Candidate = {
  readonly activity: Activity;
  /** Of the activity's stream. */
  readonly revision: number;
};

/**
 * What a ranking reads of every candidate of a city, by the candidate's index. The activities themselves are spread over
 * the memory: to read thousands of them for each answer took longer than to score them.
 */
export type CandidateColumns = {
  /** Candidates that pass the same filters (without the price), fit the same travellers and have the same currency. */
  readonly kinds: Classes;
  /** Candidates with the same opening hours and best times. */
  readonly timetables: Classes;
  /** Candidates with the same timetable, setting and duration: the same weather. */
  readonly visits: VisitClasses;
  readonly capacities: Int32Array;
  readonly pricesMinor: Float64Array;
  /** Level of the catalogue price among the city's. */
  readonly levels: Float64Array;
  readonly lats: Float64Array;
  readonly lons: Float64Array;
  /** No candidate is farther from the centre of the city. */
  readonly radiusKm: number;
  /** Those with seasons, by index. */
  readonly seasonal: readonly number[];
};

/** The class of each candidate, and one activity of each class. */
export type Classes = { readonly of: Uint32Array; readonly examples: readonly Activity[] };

export type VisitClasses = Classes & {
  /** By class, as the activities themselves are far apart in memory. */
  readonly settings: readonly Setting[];
  readonly durationsMinutes: Int32Array;
};

/** @param sortedPrices all prices, ascending */
export function columnsOf(activities: readonly Activity[], sortedPrices: readonly number[]): CandidateColumns {
  const numbers = new Numbers();
  const classesBy = (valuesOf: (activity: Activity, index: number) => readonly unknown[]): Classes =>
    classesOf(activities, (activity, index) =>
      valuesOf(activity, index)
        .map((value) => numbers.of(value))
        .join(),
    );
  const timetables = classesBy(({ openings, closedDates, bestTimes }) => [openings, closedDates, bestTimes]);
  return {
    kinds: classesBy(({ travelTypes, ageGroups, category, setting, difficulty, exclusiveTo, currency }) => [
      travelTypes,
      ageGroups,
      category,
      setting,
      difficulty,
      exclusiveTo,
      currency,
    ]),
    timetables,
    visits: visitsOf(
      classesBy(({ setting, durationMinutes }, index) => [timetables.of[index], setting, durationMinutes]),
    ),
    capacities: Int32Array.from(activities, ({ capacity }) => capacity),
    pricesMinor: Float64Array.from(activities, ({ priceMinor }) => priceMinor),
    levels: Float64Array.from(activities, ({ priceMinor }) => priceLevel(priceMinor, sortedPrices)),
    lats: Float64Array.from(activities, ({ venue }) => venue.lat),
    lons: Float64Array.from(activities, ({ venue }) => venue.lon),
    radiusKm: activities.reduce((far, { city, venue }) => Math.max(far, distanceKm(cityFacts(city), venue)), 0),
    seasonal: activities.flatMap(({ seasons }, index) => (seasons.length > 0 ? index : [])),
  };
}

function visitsOf(classes: Classes): VisitClasses {
  const { examples } = classes;
  return {
    ...classes,
    settings: examples.map(({ setting }) => setting),
    durationsMinutes: Int32Array.from(examples, ({ durationMinutes }) => durationMinutes),
  };
}

/**
 * A number for each value; the same for values with the same JSON. A catalogue in memory shares its equal lists, so that few
 * are written as JSON, which took most of the time that an index takes.
 */
class Numbers {
  readonly #known = new Map<unknown, number>();
  readonly #ofJson = new Map<string, number>();

  of(value: unknown): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const json = JSON.stringify(value);
    const number = this.#ofJson.get(json) ?? this.#ofJson.size;
    this.#ofJson.set(json, number);
    this.#known.set(value, number);
    return number;
  }
}

function classesOf(activities: readonly Activity[], keyOf: (activity: Activity, index: number) => string): Classes {
  const known = new Map<string, number>();
  const examples: Activity[] = [];
  const of = Uint32Array.from(activities, (activity, index) => {
    const key = keyOf(activity, index);
    const found = known.get(key) ?? examples.push(activity) - 1;
    known.set(key, found);
    return found;
  });
  return { of, examples };
}
