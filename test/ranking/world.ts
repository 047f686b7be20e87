import type { SeededRandom } from '../../src/cli/generate/seeded-random.ts';
import {
  CATEGORIES,
  type Category,
  SETTINGS,
  type Setting,
  TRAVEL_TYPES,
  type TravelType,
} from '../../src/domain/activity/vocabulary.ts';

/** A synthetic city: what its travellers like is hidden from the ranking, and known to the measurement. */
export type World = {
  readonly name: string;
  readonly activities: number;
  /** Activities in an answer. */
  readonly limit: number;
  readonly travellers: number;
  /**
   * Standard deviations of the logarithm of a visit rate: of an activity among all travellers, of a category among those of
   * a travel type, of an activity among those of a travel type.
   */
  readonly tastes: { readonly activity: number; readonly categoryOfType: number; readonly activityOfType: number };
  /** Probability that a traveller who considers an average activity visits it. */
  readonly rate: number;
  /** Travellers consider place k with probability k^-attention. */
  readonly attention: number;
  /** At half time the tastes for every fourth activity are reversed. */
  readonly reversed?: true;
  /** Every fifth activity comes at half time. */
  readonly late?: true;
  /** All requests come from one key; otherwise from 20, of which one has 60 %. */
  readonly oneKey?: true;
};

const STRONG = { activity: 0.5, categoryOfType: 0.6, activityOfType: 0.6 };
const WEAK = { activity: 0.25, categoryOfType: 0.25, activityOfType: 0.25 };
const USUAL = { activities: 50, limit: 10, travellers: 20_000, tastes: STRONG, rate: 0.04, attention: 0.7 };

/** Each differs from the first in what its name says. */
export const WORLDS: readonly World[] = [
  { ...USUAL, name: 'strong tastes' },
  { ...USUAL, name: '14 activities', activities: 14 },
  { ...USUAL, name: 'limit 3', limit: 3 },
  { ...USUAL, name: 'weak tastes', tastes: WEAK },
  { ...USUAL, name: 'weak tastes, limit 3', tastes: WEAK, limit: 3 },
  { ...USUAL, name: 'tastes by category', tastes: { activity: 0.3, categoryOfType: 0.9, activityOfType: 0.2 } },
  { ...USUAL, name: 'a quarter reversed', reversed: true },
  { ...USUAL, name: 'a fifth comes late', late: true },
  { ...USUAL, name: 'few visits', rate: 0.008 },
  { ...USUAL, name: 'attention 1/k', attention: 1, rate: 0.06 },
  { ...USUAL, name: 'one key', oneKey: true },
  { ...USUAL, name: '5,000 travellers', travellers: 5_000 },
];

export function worldNamed(name: string): World {
  const world = WORLDS.find((each) => each.name === name);
  if (world === undefined) throw new Error(`there is no world "${name}"`);
  return world;
}

/** A traveller whom the activity suits, or who has named its category, visits it so many times as often. */
const FIT = 2;
/** Share of the travel types that an activity suits. */
const SUITS = 0.9;

export type SyntheticActivity = {
  readonly index: number;
  readonly category: Category;
  readonly travelTypes: readonly TravelType[];
  readonly ageGroups: readonly [];
  readonly setting: Setting;
  /** Rank of its price in the city, in [0,1]. */
  readonly priceLevel: number;
  readonly late: boolean;
};

/** The hidden rate of a travel type's visits, relative to the city's mean: 1 is average. */
type Rates = ReadonlyMap<TravelType, readonly number[]>;
export type City = {
  readonly activities: readonly SyntheticActivity[];
  readonly rates: Rates;
  readonly ratesFromHalfTime: Rates;
};

export function cityOf({ activities: count, tastes, reversed, late }: World, random: SeededRandom): City {
  const activities = Array.from(
    { length: count },
    (_, index): SyntheticActivity => ({
      index,
      category: CATEGORIES[index % CATEGORIES.length] ?? 'spa',
      travelTypes: TRAVEL_TYPES.filter(() => random.chance(SUITS)),
      ageGroups: [],
      setting: random.pick(SETTINGS),
      priceLevel: random.fraction(),
      late: late === true && index % 5 === 2,
    }),
  );
  const ofActivity = activities.map(() => tastes.activity * normal(random));
  const logs = TRAVEL_TYPES.map((travelType) => {
    const ofCategory = new Map(CATEGORIES.map((category) => [category, tastes.categoryOfType * normal(random)]));
    const taste = activities.map(
      ({ index, category }) =>
        (ofActivity[index] ?? 0) + (ofCategory.get(category) ?? 0) + tastes.activityOfType * normal(random),
    );
    return [travelType, taste] as const;
  });
  const ratesWith = (sign: (index: number) => number): Rates =>
    new Map(
      logs.map(([travelType, taste]) => {
        const rates = activities.map(
          ({ index, travelTypes }) =>
            Math.exp(sign(index) * (taste[index] ?? 0)) * (travelTypes.includes(travelType) ? FIT : 1),
        );
        const mean = rates.reduce((sum, rate) => sum + rate, 0) / count;
        return [travelType, rates.map((rate) => rate / mean)];
      }),
    );
  const before = ratesWith(() => 1);
  return {
    activities,
    rates: before,
    ratesFromHalfTime: reversed ? ratesWith((index) => (index % 4 === 1 ? -1 : 1)) : before,
  };
}

/** How a named interest changes a traveller's rate. */
export function rateOfTraveller(rate: number, interests: readonly Category[], category: Category): number {
  return interests.includes(category) ? rate * FIT : rate;
}

/** Standard normal, by Box and Muller. */
function normal(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}
