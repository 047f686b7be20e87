import { describe, expect, test } from 'bun:test';
import { CITIES, CITY_NAMES, cityFacts } from '../../../src/domain/activity/cities.ts';

test('the cities are the 16 of the contract, each with its country', () => {
  const byCountry = Map.groupBy(CITY_NAMES, (city) => cityFacts(city).country);
  expect(Object.fromEntries(byCountry)).toEqual({
    TH: ['Bangkok', 'Phuket', 'Chiang Mai', 'Pattaya', 'Krabi'],
    VN: ['Ho Chi Minh', 'Hanoi', 'Da Nang', 'Nha Trang'],
    ID: ['Bali', 'Jakarta', 'Yogyakarta'],
    MY: ['Kuala Lumpur', 'Penang', 'Langkawi'],
    SG: ['Singapore'],
  });
});

test('the currency of a city is that of its country', () => {
  const currencies = { TH: 'THB', VN: 'VND', ID: 'IDR', MY: 'MYR', SG: 'SGD' } as const;
  for (const city of CITY_NAMES) expect(cityFacts(city).currency).toBe(currencies[cityFacts(city).country]);
});

describe('the UTC offset of a city is that of its time zone', () => {
  const months = [2026, 2027, 2028].flatMap((year) =>
    Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(year, month, 15, 12))),
  );

  test.each(CITY_NAMES.map((city) => [city, CITIES[city].timeZone] as const))(
    '%s in %s, in every month of 2026 to 2028',
    (city, timeZone) => {
      const offsets = months.map((month) => offsetMinutes(timeZone, month));
      expect(offsets).toEqual(months.map(() => cityFacts(city).utcOffsetMinutes));
    },
  );
});

test('the centre of each city lies in its country', () => {
  for (const city of CITY_NAMES) {
    const { lat, lon } = cityFacts(city);
    expect([city, lat > -11 && lat < 24, lon > 95 && lon < 120]).toEqual([city, true, true]);
  }
});

/** The offset by the zone's rules: the local time read as UTC, less the instant. */
function offsetMinutes(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return (Date.UTC(year, month - 1, day, hour, minute) - at.getTime()) / 60_000;
}
