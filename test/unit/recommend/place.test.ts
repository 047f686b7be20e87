import { describe, expect, test } from 'bun:test';
import { CITIES, CITY_NAMES, cityFacts } from '../../../src/domain/activity/cities.ts';
import { distanceKm } from '../../../src/domain/activity/distance.ts';
import type { Hotel } from '../../../src/domain/activity/hotel.ts';
import { COUNTRIES, languageOfCountry, parseCountry } from '../../../src/recommend/countries.ts';
import { type Location, locate } from '../../../src/recommend/place.ts';
import { hotelId } from '../../support/examples.ts';

const PIER_HOUSE: Hotel = {
  id: hotelId('pier-house'),
  name: 'The Pier House',
  address: '5 Pier Road, Bangkok 10200',
  city: 'Bangkok',
  lat: 13.75,
  lon: 100.49,
  rates: [],
};
const HOTELS = new Map([[PIER_HOUSE.id as string, PIER_HOUSE]]);
const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const NOWHERE: Location = { city: null, lat: null, lon: null, hotelId: null, hotelToken: null };
const IN_BANGKOK = { lat: 13.7, lon: 100.6 };
/** A point within 75 km of two cities. */
const BETWEEN_PHUKET_AND_KRABI = { lat: 7.98, lon: 98.65 };

describe('a place', () => {
  test.each<[Partial<Location>, object]>([
    [{ city: ' saigon ' }, { city: 'Ho Chi Minh', position: null, hotel: null, hotelGrant: null }],
    [{ ...IN_BANGKOK }, { city: 'Bangkok', position: IN_BANGKOK, hotel: null, hotelGrant: null }],
    [{ hotelId: 'pier-house' }, { city: 'Bangkok', position: PIER_HOUSE, hotel: PIER_HOUSE, hotelGrant: null }],
    [
      { hotelId: 'pier-house', ...IN_BANGKOK },
      { city: 'Bangkok', position: IN_BANGKOK, hotel: PIER_HOUSE, hotelGrant: null },
    ],
    [
      { city: 'bkk', hotelId: 'pier-house' },
      { city: 'Bangkok', position: PIER_HOUSE, hotel: PIER_HOUSE, hotelGrant: null },
    ],
    [
      { city: 'Krabi', ...BETWEEN_PHUKET_AND_KRABI },
      { city: 'Krabi', position: BETWEEN_PHUKET_AND_KRABI, hotel: null, hotelGrant: null },
    ],
    [
      { city: 'Phuket', ...BETWEEN_PHUKET_AND_KRABI },
      { city: 'Phuket', position: BETWEEN_PHUKET_AND_KRABI, hotel: null, hotelGrant: null },
    ],
  ])('is resolved from %j', (location, place) => {
    expect<object>(locate({ ...NOWHERE, ...location }, HOTELS, NOW_MS)).toEqual({ kind: 'place', place });
  });

  test.each<[Partial<Location>, string, RegExp, boolean]>([
    [{}, 'location', /^location is empty; send city \(Bangkok, .+\), or lat and lon, or hotel_id\.$/, true],
    [
      { city: 'Hue' },
      'location.city',
      /^location\.city "Hue" is not in the service area; it must be one of Bangkok, /,
      true,
    ],
    [{ lat: 13 }, 'location.lon', /^location\.lon is missing; send it with location\.lat, or neither\.$/, false],
    [{ lon: 100 }, 'location.lat', /^location\.lat is missing; send it with location\.lon, or neither\.$/, false],
    [
      { lat: 0, lon: 0 },
      'location.lat',
      /^location\.lat and location\.lon \(0, 0\) lie more than 75 km from every/,
      true,
    ],
    [{ city: 'Hanoi', ...IN_BANGKOK }, 'location.lat', /are near Bangkok, but location\.city is Hanoi;/, false],
    [{ hotelId: 'x' }, 'location.hotel_id', /^location\.hotel_id "x" is not a known hotel;/, false],
    [
      { city: 'Hanoi', hotelId: 'pier-house' },
      'location.hotel_id',
      /is a hotel in Bangkok, but location\.city is Hanoi;/,
      false,
    ],
    [
      { lat: 1.3, lon: 103.8, hotelId: 'pier-house' },
      'location.hotel_id',
      /is a hotel in Bangkok, but the coordinates are near Singapore;/,
      false,
    ],
  ])('is not resolved from %j', (location, member, sentence, offersCities) => {
    const located = locate({ ...NOWHERE, ...location }, HOTELS, NOW_MS);
    expect<object>(located).toEqual({
      kind: 'fault',
      fault: { member, sentence: expect.stringMatching(sentence), cities: offersCities ? [...CITY_NAMES] : [] },
    });
  });

  test('of a district is its city, and its misspelling is suggested', () => {
    expect(locate({ ...NOWHERE, city: 'Ubud' }, HOTELS, NOW_MS)).toEqual({
      kind: 'place',
      place: { city: 'Bali', position: null, hotel: null, hotelGrant: null },
    });
    expect(locate({ ...NOWHERE, city: 'Ubdu' }, HOTELS, NOW_MS)).toEqual({
      kind: 'fault',
      fault: {
        member: 'location.city',
        sentence: 'location.city "Ubdu" is not a known place; did you mean "Ubud" (Bali)?',
        cities: ['Bali', ...CITY_NAMES.filter((city) => city !== 'Bali')],
      },
    });
  });

  test('reaches 75 km around a city centre, and no farther', () => {
    const { lat, lon } = CITIES.Singapore;
    const kmPerDegree = distanceKm({ lat: 0, lon: 0 }, { lat: 1, lon: 0 });
    expect(locate({ ...NOWHERE, lat: lat - 74.9 / kmPerDegree, lon }, HOTELS, NOW_MS).kind).toBe('place');
    expect(locate({ ...NOWHERE, lat: lat - 75.1 / kmPerDegree, lon }, HOTELS, NOW_MS).kind).toBe('fault');
  });

  test('from coordinates alone is the nearest city', () => {
    for (const name of CITY_NAMES) {
      const { lat, lon } = cityFacts(name);
      expect(locate({ ...NOWHERE, lat, lon }, HOTELS, NOW_MS)).toMatchObject({ place: { city: name } });
    }
  });
});

describe('a distance', () => {
  test('is the great-circle distance', () => {
    expect(distanceKm(CITIES.Bangkok, CITIES.Singapore)).toBeCloseTo(1_425, -1);
    expect(distanceKm(CITIES.Bangkok, CITIES.Bangkok)).toBe(0);
    expect(distanceKm({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111.2, 0);
  });
});

describe('a country', () => {
  test('is one of the 249 ISO codes, in upper or lower case', () => {
    expect(COUNTRIES.size).toBe(249);
    expect(['DE', 'de', 'Th', 'XX', 'UK', 'EU', 'D', '', 'DEU', 'ß'].map(parseCountry)).toEqual([
      'DE',
      'DE',
      'TH',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test('has a name in every language', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect([...COUNTRIES].filter((code) => names.of(code) === undefined)).toEqual([]);
  });

  test('maps to its main language if that is supported', () => {
    const countries = ['TH', 'VN', 'ID', 'MY', 'CN', 'TW', 'JP', 'KR', 'SG', 'DE', null];
    const languages = ['th', 'vi', 'id', 'ms', 'zh', 'zh', 'ja', 'ko', null, null, null];
    expect<readonly (string | null)[]>(countries.map(languageOfCountry)).toEqual(languages);
  });
});
