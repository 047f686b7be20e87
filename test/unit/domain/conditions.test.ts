import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { LocalDate } from '../../../src/domain/activity/activity.ts';
import { CITY_NAMES, type CityName } from '../../../src/domain/activity/cities.ts';
import { CLIMATE, inMonth } from '../../../src/domain/activity/climate.ts';
import {
  type Conditions,
  conditionsAt,
  forecastConditions,
  normalConditions,
  timeOfDay,
} from '../../../src/domain/activity/conditions.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import type { Forecast, ForecastHour } from '../../../src/ports/weather.ts';
import { date } from '../../support/examples.ts';

const at = (iso: string): number => Date.parse(iso);
const MONTHS = Array.from({ length: 12 }, (_, month) => date(`2026-${String(month + 1).padStart(2, '0')}-15`));
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const ANY_CITY = fc.constantFrom(...CITY_NAMES);
const ANY_DATE = fc.nat({ max: 3 * 365 }).map((days) => addDays(date('2026-01-01'), days));
const ANY_HOUR = fc.integer({ min: 0, max: 23 });

describe('the conditions of a forecast', () => {
  const forecast = forecastFrom('2026-11-21T00:00:00Z', [
    { temperatureC: 24.5, precipitationPercent: 80, windKmh: 11.2 },
    { temperatureC: 26, precipitationPercent: 5, windKmh: 9 },
  ]);
  const first: Conditions = {
    temperatureC: 24.5,
    precipitationProbability: 0.8,
    windKmh: 11.2,
    source: 'open-meteo',
  };
  const second: Conditions = { temperatureC: 26, precipitationProbability: 0.05, windKmh: 9, source: 'open-meteo' };

  test.each<[string, Conditions | null]>([
    ['2026-11-20T23:29:59.999Z', null],
    ['2026-11-20T23:30:00Z', first],
    ['2026-11-21T00:00:00Z', first],
    ['2026-11-21T00:29:59.999Z', first],
    ['2026-11-21T00:30:00Z', second],
    ['2026-11-21T01:00:00Z', second],
    ['2026-11-21T01:29:59.999Z', second],
    ['2026-11-21T01:30:00Z', null],
  ])('at %s are those of the nearest hour, none outside its span', (instant, expected) => {
    expect(forecastConditions(forecast, at(instant))).toEqual(expected);
  });

  test('are null in a gap of the forecast', () => {
    const [early, late] = forecastFrom('2026-11-21T00:00:00Z', [{}, {}, {}, {}]).hours.filter((_, n) => n % 3 === 0);
    if (early === undefined || late === undefined) throw new Error('too few hours');
    const gapped: Forecast = { ...forecast, hours: [early, late] };
    const instants = ['00:29', '00:30', '01:00', '02:29', '02:30'].map((time) => at(`2026-11-21T${time}:00Z`));
    const known = instants.map((instant) => forecastConditions(gapped, instant) !== null);
    expect(known).toEqual([true, false, false, false, true]);
  });
});

describe('the conditions at an instant', () => {
  const forecast = forecastFrom('2026-11-21T00:00:00Z', [{ temperatureC: 21 }]);

  test('are those of the forecast if it covers the instant', () => {
    const conditions = conditionsAt(forecast, 'Bangkok', at('2026-11-21T00:10:00Z'));
    expect([conditions.source, conditions.temperatureC]).toEqual(['open-meteo', 21]);
  });

  test('are climate normals at the local hour beyond the forecast, and without one', () => {
    const none = { kind: 'unavailable', reason: 'off' } as const;
    // 17:30 in UTC is half past midnight of the next day in Bangkok, and half past one in Singapore.
    const instant = at('2026-10-31T17:30:00Z');
    expect([
      conditionsAt(none, 'Bangkok', instant),
      conditionsAt(forecast, 'Bangkok', instant),
      conditionsAt(none, 'Singapore', instant),
    ]).toEqual([
      normalConditions('Bangkok', date('2026-11-01'), 0),
      normalConditions('Bangkok', date('2026-11-01'), 0),
      normalConditions('Singapore', date('2026-11-01'), 1),
    ]);
  });
});

describe('climate normals', () => {
  test('are those of the month and of the hour', () => {
    expect(normalConditions('Bangkok', date('2026-09-30'), 15)).toEqual({
      temperatureC: 32.7,
      precipitationProbability: 0.25,
      windKmh: 8,
      source: 'climate-normals',
    });
    expect(normalConditions('Bangkok', date('2026-12-01'), 15)).toEqual({
      temperatureC: 31.6,
      precipitationProbability: 0.01,
      windKmh: 9,
      source: 'climate-normals',
    });
  });

  test('are lowest at six and highest at two in the afternoon, and change little from hour to hour', () => {
    fc.assert(
      fc.property(ANY_CITY, ANY_DATE, ANY_HOUR, (city, day, hour) => {
        const low = inMonth(CLIMATE[city].lowC, day);
        const high = inMonth(CLIMATE[city].highC, day);
        const warm = temperature(city, day, hour);
        expect([temperature(city, day, 6), temperature(city, day, 14)]).toEqual([low, high]);
        expect(warm).toBeWithin(low, high + 0.01);
        expect(Math.abs(warm - temperature(city, day, (hour + 1) % 24))).toBeLessThan((high - low) / 4);
      }),
    );
  });

  test('are plausible in every city, month and hour of the region', () => {
    for (const city of CITY_NAMES) {
      for (const day of MONTHS) {
        for (const hour of HOURS) {
          const { temperatureC, precipitationProbability, windKmh, source } = normalConditions(city, day, hour);
          expect(temperatureC).toBeWithin(12, 38);
          expect(precipitationProbability).toBeWithin(0, 0.5);
          expect(windKmh).toBeWithin(3, 25);
          expect(source).toBe('climate-normals');
        }
      }
    }
  });

  test('are consistent within each month, and change gradually from month to month', () => {
    for (const city of CITY_NAMES) {
      const { highC, lowC, rainDays, windKmh } = CLIMATE[city];
      for (const [month, high] of highC.entries()) {
        const next = (month + 1) % 12;
        expect(high - (lowC[month] ?? 0)).toBeWithin(4, 18);
        expect(rainDays[month]).toBeWithin(0, 25);
        expect(Math.abs(high - (highC[next] ?? 0))).toBeLessThan(5);
        expect(Math.abs((lowC[month] ?? 0) - (lowC[next] ?? 0))).toBeLessThan(5);
        expect(Math.abs((rainDays[month] ?? 0) - (rainDays[next] ?? 0))).toBeLessThan(13);
        expect(Math.abs((windKmh[month] ?? 0) - (windKmh[next] ?? 0))).toBeLessThan(6);
      }
    }
  });

  test.each<[city: CityName, wet: number, dry: number]>([
    ['Bangkok', 9, 1],
    ['Phuket', 9, 2],
    ['Ho Chi Minh', 9, 2],
    ['Hanoi', 8, 12],
    ['Da Nang', 10, 3],
    ['Nha Trang', 11, 3],
    ['Bali', 1, 8],
    ['Jakarta', 1, 8],
    ['Yogyakarta', 1, 8],
    ['Kuala Lumpur', 11, 6],
    ['Langkawi', 10, 2],
    ['Singapore', 12, 2],
  ])('know the seasons: afternoons in %s are wetter in month %i than in month %i', (city, wet, dry) => {
    const [wetMonth, dryMonth] = [MONTHS[wet - 1], MONTHS[dry - 1]];
    if (wetMonth === undefined || dryMonth === undefined) throw new Error('no such month');
    expect(rain(city, wetMonth, 15)).toBeGreaterThan(rain(city, dryMonth, 15));
  });

  test('differ by time of day: inland, afternoons are wetter than mornings', () => {
    for (const city of ['Bangkok', 'Chiang Mai', 'Kuala Lumpur', 'Yogyakarta', 'Singapore'] as const) {
      for (const day of MONTHS) expect(rain(city, day, 15)).toBeGreaterThanOrEqual(rain(city, day, 9));
    }
    expect(rain('Kuala Lumpur', date('2026-11-15'), 15)).toBeGreaterThan(
      3 * rain('Kuala Lumpur', date('2026-11-15'), 9),
    );
  });

  test('are equal on all days of a month', () => {
    expect(normalConditions('Hanoi', date('2028-02-29'), 9)).toEqual(normalConditions('Hanoi', date('2028-02-01'), 9));
  });
});

test('the parts of the day', () => {
  const begins = HOURS.filter((hour) => timeOfDay(hour) !== timeOfDay((hour + 23) % 24));
  expect(begins.map((hour) => [hour, timeOfDay(hour)])).toEqual([
    [6, 'morning'],
    [12, 'afternoon'],
    [18, 'evening'],
    [22, 'night'],
  ]);
});

function temperature(city: CityName, day: LocalDate, hour: number): number {
  return normalConditions(city, day, hour).temperatureC;
}

function rain(city: CityName, day: LocalDate, hour: number): number {
  return normalConditions(city, day, hour).precipitationProbability;
}

/** Consecutive hours with ordinary values, except for the given ones. */
function forecastFrom(start: string, changes: readonly Partial<ForecastHour>[]): Forecast {
  const ordinary = { temperatureC: 30, precipitationPercent: 10, precipitationMm: 0, windKmh: 10, weatherCode: 1 };
  const hours = changes.map((change, n) => ({ ...ordinary, ...change, atMs: at(start) + n * 3_600_000 }));
  return { kind: 'forecast', source: 'open-meteo', fetchedAt: '2026-11-21T00:00:00.000Z', hours };
}
