import { describe, expect, test } from 'bun:test';
import { CITIES, CITY_NAMES, type CityName, cityFacts, findCity } from '../../../src/domain/activity/cities.ts';

const ALIASES = CITY_NAMES.flatMap((city) => cityFacts(city).aliases.map((alias) => [alias, city] as const));

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

describe('a city is found', () => {
  test.each(CITY_NAMES.map((city) => [city]))('by its canonical name: %s', (city) => {
    expect(findCity(city)).toBe(city);
  });

  test.each(ALIASES)('by its alias %p: %s', (alias, city) => {
    expect(findCity(alias)).toBe(city);
    expect(findCity(alias.toUpperCase())).toBe(city);
  });

  test.each([
    ['Saigon', 'Ho Chi Minh'],
    ['Sài Gòn', 'Ho Chi Minh'],
    ['HCMC', 'Ho Chi Minh'],
    ['Hồ Chí Minh', 'Ho Chi Minh'],
    ['Thành phố Hồ Chí Minh', 'Ho Chi Minh'],
    ['TP.HCM', 'Ho Chi Minh'],
    ['TP. HCM', 'Ho Chi Minh'],
    ['KL', 'Kuala Lumpur'],
    ['Krung Thep', 'Bangkok'],
    ['Đà Nẵng', 'Da Nang'],
    ['ĐÀ NẴNG', 'Da Nang'],
    ['đà nẵng', 'Da Nang'],
    ['Da-Nang', 'Da Nang'],
    ['Hà Nội', 'Hanoi'],
    ['Ha\u0300 No\u0323\u0302i', 'Hanoi'],
    ['Nha_Trang', 'Nha Trang'],
    ['  chiang   MAI ', 'Chiang Mai'],
    ['\tbali\n', 'Bali'],
    ['George Town', 'Penang'],
    ['Jogja', 'Yogyakarta'],
  ] satisfies [string, CityName][])('whatever the case, accents and punctuation: %p is %s', (name, city) => {
    expect(findCity(name)).toBe(city);
  });
});

test.each([[''], ['   '], ['Paris'], ['Bangkokk'], ['Bang kok'], ['Ho Chi'], ['constructor'], ['-']])(
  'no city is meant by %p',
  (name) => {
    expect(findCity(name)).toBeNull();
  },
);

test('no alias names two cities', () => {
  const names = [...CITY_NAMES.map((city) => city.toLowerCase()), ...ALIASES.map(([alias]) => alias)];
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
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
