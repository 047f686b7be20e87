import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CITY_NAMES, CITY_RADIUS_KM, type CityName, cityFacts } from '../../../src/domain/activity/cities.ts';
import { distanceKm } from '../../../src/domain/activity/distance.ts';
import { ALL_DISTRICTS } from '../../../src/domain/activity/districts.ts';
import { findCity, findPlace, PLACE_NAMES } from '../../../src/domain/activity/find-place.ts';
import { unknownPlace } from '../../../src/domain/activity/nearest-places.ts';
import { REGIONS, SHARED_NAMES } from '../../../src/domain/activity/place-names.ts';
import { foldName } from '../../../src/domain/folded-name.ts';
import { PLACE_SPELLINGS } from '../../support/place-spellings.ts';

const SPELLINGS = CITY_NAMES.flatMap((city) => PLACE_SPELLINGS[city].map((spelling) => [spelling, city] as const));

test('the spellings are at least 164, each once', () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(164);
  expect(new Set(SPELLINGS.map(([spelling]) => spelling)).size).toBe(SPELLINGS.length);
});

test.each(SPELLINGS)('%p is %s', (spelling, city) => {
  expect(findCity(spelling)).toBe(city);
});

describe('every known name', () => {
  test('is understood alone, in capitals, and beside its city', () => {
    for (const [name, city] of PLACE_NAMES) {
      const spellings = [name, name.toUpperCase(), `  ${name}\t`, `${name}, ${city}`, `${name} ${city}`];
      expect([name, ...spellings.map(findCity)]).toEqual([name, ...spellings.map(() => city)]);
    }
  });

  test('means one city only', () => {
    const cities = new Map<string, Set<string>>();
    const add = (name: string, meaning: string): void => {
      const key = foldName(name);
      cities.set(key, (cities.get(key) ?? new Set()).add(meaning));
    };
    for (const [name, city] of PLACE_NAMES) add(name, city);
    for (const shared of [...Object.keys(SHARED_NAMES), ...Object.keys(REGIONS)])
      for (const name of shared.split(', ')) add(name, shared);
    expect([...cities].filter(([, meanings]) => meanings.size > 1)).toEqual([]);
  });

  test('of a district is a place within 75 km of its city, and nearer to no other one of the country', () => {
    for (const { city, names, position } of ALL_DISTRICTS) {
      const km = (other: CityName): number => distanceKm(cityFacts(other), position);
      const ofCountry = CITY_NAMES.filter((other) => cityFacts(other).country === cityFacts(city).country);
      const [nearest] = ofCountry.toSorted((a, b) => km(a) - km(b));
      // The Phi Phi islands belong to Krabi.
      const isNearest = nearest === city || names[0] === 'Maya Bay';
      expect({ names, isNear: km(city) <= CITY_RADIUS_KM, isNearest }).toEqual({
        names,
        isNear: true,
        isNearest: true,
      });
    }
  });
});

test.each([
  ['Chinatown', ['Bangkok', 'Ho Chi Minh', 'Jakarta', 'Kuala Lumpur', 'Singapore']],
  ['Phang Nga', ['Phuket', 'Krabi']],
  ['Thailand', ['Bangkok', 'Phuket', 'Chiang Mai', 'Pattaya', 'Krabi']],
  ['VN', ['Ho Chi Minh', 'Hanoi', 'Da Nang', 'Nha Trang']],
  ['Java, Indonesia', ['Jakarta', 'Yogyakarta']],
  ['Phi Phi, Phuket', ['Krabi', 'Phuket']],
  ['Bangkok, Vietnam', ['Bangkok']],
  ['Kedah', ['Langkawi']],
] satisfies [string, CityName[]][])('%p is not guessed: it names no single city', (text, cities) => {
  expect(findPlace(text)).toEqual({ kind: 'several', cities });
});

test.each([
  '',
  '   ',
  '-',
  'city',
  'the',
  'Paris',
  'Paris, France',
  // The Japanese name of Paris differs from that of Bali by one sign above a letter.
  'パリ',
  '巴里',
  'Bangkokk',
  'Bangkok, Paris',
  'Kuta, Lombok',
  'Ho Chi',
  'Hue',
  'Koh Samui',
  'Johor Bahru',
  'constructor',
  '__proto__',
])('%p names no place', (text) => {
  expect(findPlace(text)).toEqual({ kind: 'unknown' });
});

test('a text of any characters is read without an error, and every city that it names is a supported one', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...PLACE_NAMES.map(([name]) => name)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const text = parts.join(', ').slice(0, 80);
      const city = findCity(text);
      expect(city === null || CITY_NAMES.includes(city)).toBe(true);
      expect(unknownPlace('city', text).cities.toSorted()).toEqual(CITY_NAMES.toSorted());
    }),
  );
});

describe('an unknown place', () => {
  test.each([
    ['Bangkk', '"Bangkok"', 'Bangkok'],
    ['Bankok', '"Bangkok"', 'Bangkok'],
    ['Bangkk, Thailand', '"Bangkok"', 'Bangkok'],
    ['Pukhet', '"Phuket"', 'Phuket'],
    ['Hanio', '"Hanoi"', 'Hanoi'],
    ['Singpore', '"Singapore"', 'Singapore'],
    ['Kuala', '"Kuala Lumpur"', 'Kuala Lumpur'],
    ['Ubdu', '"Ubud" (Bali)', 'Bali'],
    ['Seminiak, Bali', '"Seminyak" (Bali)', 'Bali'],
    ['กรุงเทบ', '"กรุงเทพ" (Bangkok)', 'Bangkok'],
    ['a quiet hotel in Bangkok', '"Bangkok"', 'Bangkok'],
    ['Bangkok, Vietnam', '"Bangkok"', 'Bangkok'],
  ])('%p: did you mean %s?', (text, suggestion, nearest) => {
    const { sentence, cities } = unknownPlace('city', text);
    expect(sentence).toBe(`city ${JSON.stringify(text)} is not a known place; did you mean ${suggestion}?`);
    expect([cities[0], cities.length]).toEqual([nearest as CityName, CITY_NAMES.length]);
  });

  test('between several cities names them', () => {
    expect(unknownPlace('location.city', 'Phang Nga')).toEqual({
      sentence: 'location.city "Phang Nga" names no single city; send one of Phuket, Krabi.',
      cities: ['Phuket', 'Krabi', ...CITY_NAMES.filter((city) => city !== 'Phuket' && city !== 'Krabi')],
    });
  });

  test.each(['Tokyo', 'Hue', 'Manila', 'Lombok', 'Paris, France', 'x'.repeat(80)])(
    'far from every known one names all cities: %p',
    (text) => {
      const shown = text.length > 60 ? `${text.slice(0, 59)}…` : text;
      expect(unknownPlace('city', text)).toEqual({
        sentence: `city "${shown}" is not in the service area; it must be one of ${CITY_NAMES.join(', ')}.`,
        cities: [...CITY_NAMES],
      });
    },
  );
});
