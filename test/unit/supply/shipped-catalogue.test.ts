import { describe, expect, test } from 'bun:test';
import { addDays, dayOf, midnightMs, parseLocalDate } from '../../../src/domain/activity/schedule.ts';
import { CATEGORIES, type Language, WEEKDAYS } from '../../../src/domain/activity/vocabulary.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';
import { loadCatalogue } from '../../support/catalogue-files.ts';

const HOUR_MS = 3_600_000;
const reading = await loadCatalogue(CATALOGUE_DIRECTORY);
const { activities, hotels } = reading.kind === 'catalogue' ? reading : { activities: [], hotels: [] };

test('the shipped catalogue has no fault', () => {
  expect(reading.kind === 'faults' ? describeFaults(reading.faults) : '').toBe('');
});

describe('Bangkok', () => {
  const bangkok = activities.filter((activity) => activity.city === 'Bangkok');

  test('has a dozen venues and more', () => {
    expect(new Set(bangkok.map((activity) => activity.venue.id)).size).toBeGreaterThanOrEqual(12);
  });

  test('has every category', () => {
    expect(CATEGORIES.filter((category) => !bangkok.some((activity) => activity.category === category))).toEqual([]);
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

describe('each city', () => {
  const cities = [...new Set(activities.map((activity) => activity.city))];

  test.each(cities.map((city) => [city]))('%s has hotels with rates, and an activity for the guests of one', (city) => {
    const rated = hotels.filter((hotel) => hotel.city === city && hotel.rates.length > 0);
    expect(rated.length).toBeGreaterThanOrEqual(4);
    const exclusive = activities.filter((activity) => activity.city === city && activity.exclusiveTo !== null);
    expect(exclusive.length).toBeGreaterThanOrEqual(1);
  });
});

/** Letters that tell a language's texts; in Chinese, that there are no kana. */
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

  test('are other texts in each of the eight languages', () => {
    const counts = activities.map(({ texts }) => new Set(Object.values(texts).map((text) => text.description)).size);
    expect(counts.filter((count) => count !== 8)).toEqual([]);
  });
});
