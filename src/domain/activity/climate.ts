import type { LocalDate } from './activity.ts';
import type { CityName } from './cities.ts';
import type { TimeOfDay } from './vocabulary.ts';

/** The twelve months, January first. */
export type Year<T> = readonly [T, T, T, T, T, T, T, T, T, T, T, T];

/**
 * At which times of day it rains on a rainy day. In the tropics it rarely rains all day, and mornings differ from
 * afternoons.
 */
type RainRhythm = 'storms' | 'night-storms' | 'coast' | 'steady' | 'drizzle';

/** Climate normals per month. */
export type Climate = {
  /** Mean daily maximum and minimum temperature, °C. */
  readonly highC: Year<number>;
  readonly lowC: Year<number>;
  /** Days with at least 1 mm. */
  readonly rainDays: Year<number>;
  readonly rain: Year<RainRhythm>;
  /** Daily mean, ten metres above ground. */
  readonly windKmh: Year<number>;
};

/** The value of the month that a date is in. */
export function inMonth<T>(year: Year<T>, date: LocalDate): T {
  const value = year[Number(date.slice(5, 7)) - 1];
  if (value === undefined) throw new RangeError(`${date} is in no month`);
  return value;
}

/** Share of wet hours (more than 0.1 mm) per time of day, on a day with rain. */
export const WET_HOURS: Readonly<Record<RainRhythm, Readonly<Record<TimeOfDay, number>>>> = {
  // Thunderstorms after the heat of the day.
  storms: { morning: 0.1, afternoon: 0.36, evening: 0.3, night: 0.14 },
  // Thunderstorms that the delta and its hills delay into the night.
  'night-storms': { morning: 0.18, afternoon: 0.22, evening: 0.28, night: 0.28 },
  // Monsoon showers from the sea at any hour.
  coast: { morning: 0.26, afternoon: 0.32, evening: 0.26, night: 0.28 },
  // Continuous rain where the north-east monsoon meets the mountains.
  steady: { morning: 0.36, afternoon: 0.36, evening: 0.38, night: 0.38 },
  // Light rain in northern winters and springs.
  drizzle: { morning: 0.32, afternoon: 0.18, evening: 0.2, night: 0.28 },
};

const STORMS = allYear('storms');
const COAST = allYear('coast');

/**
 * Climate of the supported cities. Estimates of the editors of 2026-11-21 from general knowledge, not measurements:
 * precise enough to separate a wet afternoon from a dry morning.
 */
export const CLIMATE: Readonly<Record<CityName, Climate>> = {
  Bangkok: {
    highC: [32.5, 33.3, 34.3, 35.4, 34.4, 33.6, 33.2, 32.9, 32.8, 32.6, 32.4, 31.7],
    lowC: [22.6, 24.4, 25.9, 26.9, 26.3, 26.1, 25.7, 25.5, 25, 24.8, 23.9, 22],
    rainDays: [2, 2, 4, 6, 16, 16, 17, 20, 21, 17, 5, 1],
    rain: STORMS,
    windKmh: [9, 10, 11, 11, 10, 10, 10, 10, 8, 8, 9, 9],
  },
  Phuket: {
    highC: [32.9, 33.9, 34, 34, 32.9, 32.4, 32, 31.9, 31.4, 31.4, 31.6, 31.7],
    lowC: [23.7, 23.9, 24.4, 24.8, 24.9, 24.9, 24.5, 24.6, 24.2, 24, 24, 23.9],
    rainDays: [5, 3, 6, 12, 19, 18, 18, 18, 20, 20, 14, 9],
    rain: COAST,
    windKmh: [11, 11, 10, 9, 11, 13, 13, 14, 12, 10, 10, 12],
  },
  'Chiang Mai': {
    highC: [29.8, 32.7, 35.2, 36.3, 34.2, 33, 32, 31.7, 31.7, 31.4, 30.2, 28.6],
    lowC: [14.9, 16.2, 19.5, 22.9, 23.8, 24, 23.9, 23.7, 23.2, 22.2, 19.2, 15.7],
    rainDays: [1, 1, 2, 6, 15, 16, 18, 20, 17, 11, 4, 1],
    rain: STORMS,
    windKmh: [5, 6, 7, 8, 8, 8, 7, 6, 5, 5, 5, 5],
  },
  Pattaya: {
    highC: [32, 32.3, 33, 34, 33.2, 32.6, 32.2, 32, 31.8, 31.7, 31.7, 31.3],
    lowC: [21.8, 23.8, 25.3, 26.4, 26.5, 26.4, 26, 25.9, 25.1, 24.3, 23.2, 21.4],
    rainDays: [2, 3, 5, 7, 13, 13, 13, 14, 18, 18, 7, 2],
    rain: STORMS,
    windKmh: [11, 12, 13, 12, 12, 14, 14, 14, 11, 10, 11, 11],
  },
  Krabi: {
    highC: [32.5, 33.7, 34.2, 34, 32.6, 31.9, 31.6, 31.5, 31.2, 31.2, 31.4, 31.6],
    lowC: [22.5, 22.9, 23.4, 24.1, 24.2, 24, 23.8, 23.9, 23.6, 23.4, 23.3, 22.9],
    rainDays: [5, 3, 6, 12, 18, 17, 18, 18, 19, 20, 15, 9],
    rain: COAST,
    windKmh: [10, 10, 9, 8, 9, 10, 10, 11, 9, 8, 8, 10],
  },
  'Ho Chi Minh': {
    highC: [31.6, 32.9, 33.9, 34.6, 34, 32.4, 32, 31.8, 31.3, 31.2, 31, 30.8],
    lowC: [21.1, 22.5, 24.4, 25.8, 25.2, 24.6, 24.3, 24.3, 24.4, 23.9, 22.8, 21.4],
    rainDays: [2, 1, 2, 5, 17, 19, 22, 22, 23, 21, 12, 7],
    rain: STORMS,
    windKmh: [10, 12, 13, 12, 10, 11, 12, 12, 10, 8, 9, 9],
  },
  Hanoi: {
    highC: [19.7, 20.1, 22.9, 27.2, 31.4, 32.9, 33.1, 32.3, 31.2, 28.8, 25.3, 22],
    lowC: [14.3, 15.3, 18.1, 21.7, 24.6, 26.1, 26.3, 26, 24.9, 22.3, 18.9, 15.6],
    rainDays: [9, 12, 15, 14, 15, 14, 16, 17, 13, 9, 7, 6],
    rain: [...fourMonths('drizzle'), ...fourMonths('night-storms'), 'night-storms', 'steady', 'drizzle', 'drizzle'],
    windKmh: [9, 10, 9, 10, 10, 9, 9, 8, 7, 7, 7, 8],
  },
  'Da Nang': {
    highC: [24.8, 26.1, 28.7, 31, 33.4, 34, 34.3, 33.9, 31.5, 29.6, 27, 24.9],
    lowC: [18.5, 19.8, 21.5, 23.3, 24.9, 25.5, 25.3, 25.5, 24.1, 23.2, 21.6, 19.3],
    rainDays: [14, 7, 5, 6, 9, 8, 10, 12, 16, 21, 21, 20],
    rain: ['steady', 'drizzle', 'drizzle', 'storms', ...fourMonths('storms'), ...fourMonths('steady')],
    windKmh: [11, 11, 11, 11, 10, 9, 9, 9, 11, 13, 14, 13],
  },
  'Nha Trang': {
    highC: [26.9, 27.7, 29.3, 31, 32.3, 32.6, 32.5, 32.6, 31.6, 29.9, 28.4, 26.9],
    lowC: [21.3, 21.8, 22.8, 24.4, 25.4, 25.4, 25.1, 25.1, 24.5, 23.9, 23.3, 21.9],
    rainDays: [10, 5, 4, 5, 9, 9, 9, 11, 15, 18, 18, 15],
    rain: ['coast', 'coast', 'storms', 'storms', ...fourMonths('storms'), 'storms', 'steady', 'steady', 'steady'],
    windKmh: [14, 13, 12, 10, 9, 9, 10, 10, 9, 11, 15, 16],
  },
  Bali: {
    highC: [31, 31.2, 31.3, 31.6, 31.2, 30.4, 29.8, 30, 30.7, 31.7, 31.9, 31.4],
    lowC: [24.5, 24.4, 24.2, 24, 23.8, 23.2, 22.8, 22.7, 23.1, 23.9, 24.4, 24.5],
    rainDays: [18, 16, 14, 9, 7, 5, 4, 3, 4, 7, 11, 16],
    rain: COAST,
    windKmh: [11, 11, 9, 10, 13, 14, 15, 16, 14, 12, 10, 10],
  },
  Jakarta: {
    highC: [30.3, 30.2, 31.2, 32.2, 32.6, 32.3, 32.3, 32.7, 33.2, 33.2, 32.4, 31.4],
    lowC: [24.4, 24.4, 24.7, 25.1, 25.3, 24.9, 24.6, 24.7, 25.1, 25.3, 25.1, 24.8],
    rainDays: [20, 19, 17, 14, 10, 7, 6, 4, 5, 9, 13, 17],
    // During the north-west monsoon it rains on Java's north coast at night and in the morning.
    rain: ['coast', 'coast', 'storms', 'storms', ...fourMonths('storms'), ...fourMonths('storms')],
    windKmh: [9, 9, 8, 7, 8, 8, 9, 10, 10, 9, 8, 9],
  },
  Yogyakarta: {
    highC: [29.9, 30.1, 30.6, 31.2, 31.2, 30.8, 30.3, 30.7, 31.4, 31.9, 31.1, 30.3],
    lowC: [23.4, 23.4, 23.5, 23.6, 23.2, 22.1, 21.4, 21.4, 22.3, 23.3, 23.5, 23.5],
    rainDays: [20, 19, 18, 12, 8, 5, 3, 2, 3, 9, 16, 19],
    rain: STORMS,
    windKmh: [8, 8, 7, 7, 8, 9, 10, 11, 10, 9, 7, 7],
  },
  'Kuala Lumpur': {
    highC: [32, 32.8, 33.1, 33.1, 33, 32.7, 32.3, 32.3, 32.1, 32.1, 31.6, 31.5],
    lowC: [23.1, 23.4, 23.8, 24.2, 24.6, 24.3, 23.9, 23.9, 23.8, 23.8, 23.7, 23.5],
    rainDays: [12, 12, 15, 17, 14, 11, 12, 13, 15, 18, 20, 17],
    rain: STORMS,
    windKmh: [6, 7, 7, 6, 6, 7, 7, 7, 7, 6, 6, 6],
  },
  Penang: {
    highC: [31.6, 32.2, 32.4, 32.2, 31.7, 31.6, 31.2, 31, 30.6, 30.7, 30.8, 31],
    lowC: [23.5, 23.8, 24.1, 24.5, 24.5, 24.3, 23.9, 23.8, 23.6, 23.6, 23.6, 23.6],
    rainDays: [6, 7, 10, 15, 15, 12, 13, 15, 18, 20, 16, 10],
    rain: COAST,
    windKmh: [9, 9, 8, 7, 8, 8, 8, 8, 8, 7, 7, 8],
  },
  Langkawi: {
    highC: [32.4, 33.5, 33.5, 33, 31.9, 31.4, 31, 30.9, 30.7, 30.8, 31.2, 31.4],
    lowC: [23.4, 23.7, 24.2, 24.8, 25.1, 25, 24.6, 24.6, 24.3, 24.1, 24, 23.7],
    rainDays: [4, 3, 7, 13, 16, 15, 16, 17, 19, 20, 14, 7],
    rain: COAST,
    windKmh: [13, 11, 9, 8, 8, 10, 10, 11, 9, 8, 10, 13],
  },
  Singapore: {
    highC: [30.6, 31.5, 32.2, 32.4, 32.3, 31.9, 31.4, 31.4, 31.6, 31.8, 31.2, 30.5],
    lowC: [24.3, 24.6, 24.9, 25.3, 25.7, 25.7, 25.4, 25.3, 25.2, 25, 24.6, 24.3],
    rainDays: [13, 9, 12, 15, 15, 13, 14, 14, 13, 15, 19, 19],
    rain: STORMS,
    windKmh: [10, 10, 8, 6, 6, 8, 9, 10, 8, 6, 6, 8],
  },
};

function allYear(rhythm: RainRhythm): Year<RainRhythm> {
  return [...fourMonths(rhythm), ...fourMonths(rhythm), ...fourMonths(rhythm)];
}

function fourMonths(rhythm: RainRhythm): readonly [RainRhythm, RainRhythm, RainRhythm, RainRhythm] {
  return [rhythm, rhythm, rhythm, rhythm];
}
