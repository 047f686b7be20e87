import { describe, expect, test } from 'bun:test';
import { CITY_NAMES, type CityName } from '../../../src/domain/activity/cities.ts';
import { addDays, dayOf, midnightMs, parseLocalDate } from '../../../src/domain/activity/schedule.ts';
import { CATEGORIES, type Category, type Language, WEEKDAYS } from '../../../src/domain/activity/vocabulary.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';
import { loadCatalogue } from '../../support/catalogue-files.ts';

const reading = await loadCatalogue(CATALOGUE_DIRECTORY);
const { activities, hotels } = reading.kind === 'catalogue' ? reading : { activities: [], hotels: [] };

test('the shipped catalogue is valid', () => {
  expect(reading.kind === 'faults' ? describeFaults(reading.faults) : '').toBe('');
});

describe('Bangkok', () => {
  const bangkok = activities.filter((activity) => activity.city === 'Bangkok');

  test('has at least a dozen venues', () => {
    expect(new Set(bangkok.map((activity) => activity.venue.id)).size).toBeGreaterThanOrEqual(12);
  });

  test.each([
    ['lets guests in after 23:00', 'lastEntryMs', 23],
    ['is open after midnight', 'closesAtMs', 24],
  ] as const)('on every day of the week some venue %s', (_, moment, hour) => {
    const monday = parseLocalDate('2026-11-02');
    if (monday === null) throw new Error('no date');
    const dates = WEEKDAYS.map((_weekday, ahead) => addDays(monday, ahead));
    const without = dates.filter((date) => {
      const late = midnightMs('Bangkok', date) + hour * HOUR_MS;
      return !bangkok.some((activity) => (dayOf(activity, date)?.[moment] ?? 0) > late);
    });
    expect(without).toEqual([]);
  });
});

test('there are at least 200 activities', () => {
  expect(activities.length).toBeGreaterThanOrEqual(200);
});

/** The id prefix of each city. */
const PREFIXES: Readonly<Record<CityName, string>> = {
  Bangkok: 'bkk',
  Phuket: 'hkt',
  'Chiang Mai': 'cnx',
  Pattaya: 'pyx',
  Krabi: 'kbv',
  'Ho Chi Minh': 'sgn',
  Hanoi: 'han',
  'Da Nang': 'dad',
  'Nha Trang': 'nha',
  Bali: 'bali',
  Jakarta: 'jkt',
  Yogyakarta: 'jog',
  'Kuala Lumpur': 'kul',
  Penang: 'pen',
  Langkawi: 'lgk',
  Singapore: 'sin',
};

/** Categories that a city does not have; it has all others. */
const WITHOUT: Partial<Record<CityName, readonly Category[]>> = {
  'Da Nang': ['aquarium'],
  Krabi: ['theme-park', 'aquarium'],
  'Nha Trang': ['zoo'],
  Yogyakarta: ['aquarium'],
};

describe('each city', () => {
  const ofCity = (city: CityName) => activities.filter((activity) => activity.city === city);

  test.each(CITY_NAMES.map((city) => [city]))('%s has ten activities and more that are for everybody', (city) => {
    const open = ofCity(city).filter((activity) => activity.exclusiveTo === null);
    expect(open.length).toBeGreaterThanOrEqual(10);
  });

  test.each(CITY_NAMES.map((city) => [city]))('%s has every category that there is in the city', (city) => {
    const has = new Set(ofCity(city).map((activity) => activity.category));
    expect(CATEGORIES.filter((category) => !has.has(category))).toEqual([...(WITHOUT[city] ?? [])]);
  });

  test.each(CITY_NAMES.map((city) => [city]))('%s has ids of words that begin with its letters', (city) => {
    const ids = [
      ...ofCity(city).flatMap(({ id, venue }): string[] => [id, venue.id]),
      ...hotels.filter((hotel) => hotel.city === city).map(({ id }): string => id),
    ];
    const readable = new RegExp(`^${PREFIXES[city]}(-[a-z0-9]+)+$`);
    expect(ids.filter((id) => !readable.test(id))).toEqual([]);
  });

  test('has unique activity ids', () => {
    const ids = activities.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(CITY_NAMES.map((city) => [city]))(
    '%s has hotels with rates, and an activity for the guests of one',
    (city) => {
      const rated = hotels.filter((hotel) => hotel.city === city && hotel.rates.length > 0);
      expect(rated.length).toBeGreaterThanOrEqual(4);
      const exclusive = activities.filter((activity) => activity.city === city && activity.exclusiveTo !== null);
      expect(exclusive.length).toBeGreaterThanOrEqual(1);
    },
  );
});

/** Characters that identify a language; Chinese: no kana. */
const SCRIPTS: readonly (readonly [Language, RegExp])[] = [
  ['th', /\p{Script=Thai}/u],
  ['vi', /[\u00C0-\u1EF9]/],
  ['zh', /^\P{Script=Hiragana}*\p{Script=Han}\P{Script=Hiragana}*$/u],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
];

describe('texts', () => {
  test.each(SCRIPTS)('in %s are written in its own script', (language, script) => {
    const all = activities.flatMap(({ texts }) => Object.values(texts[language]));
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((text) => !script.test(text))).toEqual([]);
  });

  test('are different in each of the eight languages', () => {
    const counts = activities.map(({ texts }) => new Set(Object.values(texts).map((text) => text.description)).size);
    expect(counts.filter((count) => count !== 8)).toEqual([]);
  });
});
