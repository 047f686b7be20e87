import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { type Random, seededRandom } from '../../chaos/kill/random.ts';
import { agree, answerTo, openShipped, queryOf, untouched } from '../../support/reckoned.ts';
import {
  type CityFile,
  daysAfter,
  type Entry,
  type Filters,
  type Known,
  readCityFiles,
  reckon,
  wallClock,
} from '../../support/reckoning.ts';
import type { Service } from '../../support/service.ts';

/** Last entries are at full quarters of an hour, so steps of five minutes hit each of them. */
const STEP_MS = 300_000;
const FILES = readCityFiles(CATALOGUE_DIRECTORY);
const CITIES = FILES.map((file) => [file.city, file] as const);
const EVERYTHING = { limit: 50 };
const NOTHING = 'NO_INVENTORY';

test('the model has all sixteen cities, and at least 200 activities', () => {
  expect(FILES).toHaveLength(16);
  expect(FILES.flatMap((file) => file.activities).length).toBeGreaterThanOrEqual(200);
});

/** A Saturday before the season, and the days around New Year, which most seasons span. */
describe.each([['2026-11-21T03:00:00Z'], ['2026-12-30T15:10:00Z']])('at %s', (start) => {
  let service: Service;
  let known: Known;
  beforeAll(async () => {
    service = await openShipped(Date.parse(start));
    known = untouched(service);
  });
  afterAll(() => service.stop());

  const datesIn = ({ city }: CityFile): readonly [today: string, later: string] => {
    const today = wallClock(city, service.clock.nowMs()).date;
    return [today, daysAfter(today, 60)];
  };

  test.each(CITIES)('the inventory of %s, today and in 60 days, matches its schedules', async (city, file) => {
    const [today, later] = datesIn(file);
    expect(await answerTo(service, queryOf({ city }))).toEqual(
      reckon(file, today, service.clock.nowMs(), {}, known) ?? NOTHING,
    );
    for (const date of [today, later]) {
      for (const filters of filtersFor(file)) await agree(service, file, { date, ...filters }, known);
    }
  });

  test.each(CITIES)('an activity of %s, requested with its city and alone', async (city, file) => {
    const [elsewhere] = FILES.filter((other) => other.city !== city);
    for (const date of datesIn(file)) {
      for (const { id: activity_id } of file.activities) {
        const expected = reckon(file, date, service.clock.nowMs(), { activity_id }, known) ?? NOTHING;
        expect(await answerTo(service, queryOf({ city, date, activity_id }))).toEqual(expected);
        expect(await answerTo(service, queryOf({ date, activity_id }))).toEqual(expected);
      }
      const [{ id: activity_id } = { id: '' }] = file.activities;
      expect(await answerTo(service, queryOf({ city: elsewhere?.city, date, activity_id }))).toBe('ACTIVITY_NOT_FOUND');
    }
  });

  test.each(CITIES)('in %s any filters together find what fits all of them', async (city, file) => {
    const random = seededRandom(1_000 + file.city.length);
    for (let round = 0; round < 20; round++) {
      const [today, later] = datesIn(file);
      const filters = someFilters(file, random);
      await agree(service, file, { date: random.pick([today, later]), ...filters }, known);
    }
    expect(city).toBe(file.city);
  });

  test.each(CITIES)('every date in %s on which a season or a closing begins or ends', async (_city, file) => {
    const [today] = datesIn(file);
    for (const date of turningPoints(file, today)) await agree(service, file, { date, ...EVERYTHING }, known);
  });

  test.each(CITIES)('in %s a range has the items of each of its dates', async (_city, file) => {
    const random = seededRandom(2_000 + file.city.length);
    for (let round = 0; round < 5; round++) {
      const [today] = datesIn(file);
      const date = daysAfter(today, random.whole(0, 40));
      const date_to = daysAfter(date, random.whole(0, 30));
      await agree(service, file, { date, date_to, ...someFilters(file, random) }, known);
    }
  });
});

test.each(CITIES)(
  'in %s an activity is left of today until its last entry, and of tomorrow all day',
  async (city, file) => {
    const startMs = Date.parse('2026-12-30T22:00:00Z');
    await using service = await openShipped(startMs);
    // The time of the last check does not matter here.
    const known: Known = { listedAt: expect.any(String), touched: new Map() };
    const moments = new Set(['00:00:00', '00:30:00', '23:30:00']);
    for (const { opening } of file.activities) {
      for (const hours of Object.values(opening)) if (hours !== null) moments.add(`${hours.last_entry}:00`);
    }
    for (let atMs = startMs; atMs <= startMs + DAY_MS; atMs += STEP_MS) {
      if (!moments.has(wallClock(city, atMs).time)) continue;
      for (const moment of [atMs - 1, atMs]) {
        service.clock.set(moment);
        const { date } = wallClock(city, moment);
        for (const day of [date, daysAfter(date, 1)]) await agree(service, file, { date: day, ...EVERYTHING }, known);
      }
    }
  },
);

/** Every filter of the endpoint, at its boundary values and next to them. */
function filtersFor(file: CityFile): readonly Filters[] {
  const prices = few(file.activities.flatMap(({ price, seasons }) => [price, ...seasons.map((it) => it.price)]));
  const capacities = few(
    file.activities.flatMap(({ capacity, seasons }) => [capacity, ...seasons.map((it) => it.capacity)]),
  );
  const categories = ['spa', 'dinner', 'theme-park', 'zoo', 'aquarium', 'adventure', 'cultural', 'nightlife'];
  return [
    EVERYTHING,
    {},
    ...[1, 2, 7].map((limit) => ({ limit })),
    { flash_deals_only: true },
    { flash_deals_only: false, limit: 50 },
    ...categories.map((category) => ({ category })),
    ...capacities.flatMap((capacity) => [{ min_slots: capacity }, { min_slots: capacity + 1 }]),
    ...prices.flatMap((price) => [{ max_price: price }, { max_price: price - 1, limit: 50 }]),
  ];
}

function someFilters(file: CityFile, random: Random): Filters {
  const [first, ...rest] = file.activities;
  if (first === undefined) throw new Error(`${file.city} has no activity`);
  const some = (): Entry => random.pick([first, ...rest]);
  return {
    ...(random.percent(40) && { category: some().category }),
    ...(random.percent(40) && { min_slots: some().capacity }),
    ...(random.percent(40) && { max_price: some().price }),
    ...(random.percent(20) && { activity_id: some().id }),
    ...(random.percent(10) && { flash_deals_only: random.percent(50) }),
    ...(random.percent(30) && { limit: random.whole(1, 50) }),
  };
}

/** The first and last days of seasons and closings within a year from today, and the adjacent days. */
function turningPoints(file: CityFile, today: string): readonly string[] {
  const turning = new Set(
    file.activities.flatMap(({ seasons, closed_dates }) => [
      ...seasons.flatMap(({ from, to }) => [from, to]),
      ...closed_dates.map((date) => date.slice(5)),
    ]),
  );
  const year = [today];
  for (let date = today; year.length <= 365; year.push(date)) date = daysAfter(date, 1);
  const turns = year.map((date) => turning.has(date.slice(5)));
  return year.filter((_date, index) => turns.slice(Math.max(0, index - 1), index + 2).includes(true));
}

/** The smallest, the largest, and some values between. */
function few(values: readonly (number | undefined)[]): readonly number[] {
  const sorted = values.filter((value) => value !== undefined).sort((left, right) => left - right);
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.floor((sorted.length - 1) * share));
  return [...new Set(places.flatMap((place) => sorted[place] ?? []))];
}
