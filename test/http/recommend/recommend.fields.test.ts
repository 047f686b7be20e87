import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ErrorCode } from '../../../src/application/refusal.ts';
import { CITY_NAMES } from '../../../src/domain/activity/cities.ts';
import { AN_ASKER, openService, type Service } from '../../support/service.ts';
import { faulty, refused } from '../../support/service-answers.ts';

const TRAVEL_TYPES = 'one of family, couple, solo, business, friends';
const CATEGORIES = 'a list of any of spa, dinner, theme-park, zoo, aquarium, adventure, cultural, nightlife';
const CITIES = CITY_NAMES.map((city) => ({ city }));

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** `AN_ASKER` with one field changed, given by its path. */
function asking(path: string, value: unknown): Readonly<Record<string, unknown>> {
  const [owner = '', member] = path.split('.');
  if (member === undefined) return { ...AN_ASKER, [owner]: value };
  const body: Readonly<Record<string, unknown>> = { ...AN_ASKER };
  return { ...AN_ASKER, [owner]: { ...(body[owner] as object | undefined), [member]: value } };
}

const OBJECTS = ['a text', 7, [], true];
const RULES: readonly (readonly [string, ErrorCode, string, readonly unknown[]])[] = [
  ['user_profile', 'INVALID_PROFILE', 'an object with at least travel_type', OBJECTS],
  ['user_profile.travel_type', 'INVALID_PROFILE', TRAVEL_TYPES, ['Solo!', 'group', 7, '']],
  [
    'user_profile.nationality',
    'INVALID_PROFILE',
    'a country code of ISO 3166-1 alpha-2, like DE',
    ['XX', 'DEU', 'Germany', '', 'ß', 49],
  ],
  ['user_profile.interests', 'INVALID_PROFILE', CATEGORIES, ['spa', ['spa', 'golf'], [7], {}]],
  ['user_profile.budget', 'INVALID_PROFILE', 'one of budget, mid, luxury', ['high', 100]],
  ['user_profile.age_group', 'INVALID_PROFILE', 'one of family, young_adult, adult, senior', ['child', 30]],
  ['location', 'INVALID_LOCATION', 'an object with city, or lat and lon, or hotel_id', OBJECTS],
  ['location.city', 'INVALID_LOCATION', `one of ${CITY_NAMES.join(', ')}`, [7, 'x'.repeat(81)]],
  ['location.lat', 'INVALID_LOCATION', 'degrees from -90 to 90', ['13,7', 90.1]],
  ['location.hotel_id', 'INVALID_LOCATION', 'the id of a hotel', [7, '']],
  ['filters', 'INVALID_REQUEST', 'an object', OBJECTS],
  ['filters.is_indoor', 'INVALID_REQUEST', 'true or false', ['yes', 1]],
  ['filters.difficulty', 'INVALID_REQUEST', 'one of easy, moderate, challenging', ['hard', 1]],
  [
    'filters.max_price',
    'INVALID_REQUEST',
    'an amount in baht above 0, with at most two decimals',
    [0, -1, 10.005, '5e2', 1e13],
  ],
  ['filters.categories', 'INVALID_REQUEST', CATEGORIES, ['spa', ['golf'], [null]]],
  ['limit', 'INVALID_REQUEST', 'a whole number from 1 to 20', [0, 21, 1.5, ' 5']],
  ['include_flash_deals', 'INVALID_REQUEST', 'true or false', ['yes', 0]],
];

describe('a field', () => {
  const cases = RULES.flatMap(([path, code, rule, values]) => values.map((value) => ({ path, value, code, rule })));

  test.each(cases)('$path that is $value is refused', async ({ path, value, code, rule }) => {
    const shown = JSON.stringify(value);
    const cut = shown.length > 80 ? `${shown.slice(0, 77)}…` : shown;
    const change = path === 'location.lat' ? { location: { lat: value, lon: 100 } } : asking(path, value);
    expect((await service.recommend(change)).refusal).toEqual(faulty(code, `${path} must be ${rule}; it was ${cut}.`));
  });

  test.each([
    ['user_profile', 'INVALID_PROFILE', 'an object with at least travel_type'],
    ['user_profile.travel_type', 'INVALID_PROFILE', TRAVEL_TYPES],
    ['location', 'INVALID_LOCATION', 'an object with city, or lat and lon, or hotel_id'],
  ] as const)('%s that is missing, or null, is refused', async (path, code, rule) => {
    for (const nothing of [undefined, null]) {
      expect((await service.recommend(asking(path, nothing))).refusal).toEqual(
        faulty(code, `${path} is missing; it must be ${rule}.`),
      );
    }
  });

  test('that is null counts as missing', async () => {
    const nulls = {
      user_profile: {
        ...AN_ASKER.user_profile,
        nationality: null,
        interests: null,
        budget: null,
        age_group: null,
      },
      location: { ...AN_ASKER.location, lat: null, lon: null, hotel_id: null },
      filters: { is_indoor: null, difficulty: null, max_price: null, categories: null },
      limit: null,
      include_flash_deals: null,
    };
    expect((await service.recommend(nulls)).data.recommendations).toHaveLength(3);
    expect((await service.recommend({ filters: null })).data.recommendations).toHaveLength(3);
  });

  test('at the end of its range is valid', async () => {
    for (const limit of [1, 20]) expect((await service.recommend({ limit })).status).toBe(200);
    for (const nationality of ['DE', 'de', 'zw']) {
      expect((await service.recommend(asking('user_profile.nationality', nationality))).status).toBe(200);
    }
    expect((await service.recommend({ filters: { max_price: 120.5 } })).data.recommendations).toHaveLength(1);
  });
});

describe('a location', () => {
  const offering = (sentence: string) =>
    refused(400, 'INVALID_LOCATION', sentence, { details: sentence, alternatives: CITIES });
  const names = CITY_NAMES.join(', ');

  test('that is empty is refused with the supported cities as alternatives', async () => {
    const sentence = `location is empty; send city (${names}), or lat and lon, or hotel_id.`;
    expect((await service.recommend({ location: {} })).refusal).toEqual(offering(sentence));
  });

  test('outside the service area is refused with the supported cities as alternatives', async () => {
    expect((await service.recommend({ location: { city: 'Hue' } })).refusal).toEqual(
      offering(`location.city "Hue" is not in the service area; it must be one of ${names}.`),
    );
    const { refusal } = await service.recommend({ location: { lat: 52.5, lon: 13.4 } });
    expect(refusal).toMatchObject({ code: 'INVALID_LOCATION', alternatives: CITIES });
    expect(refusal.error).toStartWith('location.lat and location.lon (52.5, 13.4) lie more than 75 km from every');
  });

  test.each([
    [{ lat: 13.7 }, 'location.lon is missing; send it with location.lat, or neither.'],
    [
      { city: 'Bangkok', lat: 1.3, lon: 103.8 },
      'location.lat and location.lon (1.3, 103.8) are near Singapore, but location.city is Bangkok; send values that agree.',
    ],
    [{ hotel_id: 'the-ritz' }, 'location.hotel_id "the-ritz" is not a known hotel; leave it out and send city.'],
    [
      { city: 'Singapore', hotel_id: 'pier-house' },
      'location.hotel_id "pier-house" is a hotel in Bangkok, but location.city is Singapore; send values that agree.',
    ],
  ])('%j is refused', async (location, sentence) => {
    expect((await service.recommend({ location })).refusal).toEqual(faulty('INVALID_LOCATION', sentence));
  });
});

describe('several faults', () => {
  test('are listed in the order of the specification; the first gives the code', async () => {
    const body = {
      limit: 0,
      location: { lon: 100 },
      user_profile: { interests: ['golf'], budget: 'low' },
      filters: { difficulty: 'hard' },
    };
    const { refusal } = await service.post('/api/b2a/recommend', body, service.key);
    expect(refusal.code).toBe('INVALID_PROFILE');
    expect(refusal.details.match(/\b(user_profile|location|filters|limit)(\.\w+)? (must|is)/g)).toEqual([
      'user_profile.travel_type is',
      'user_profile.interests must',
      'user_profile.budget must',
      'location.lat is',
      'filters.difficulty must',
      'limit must',
    ]);
  });

  test('of objects that are not there name the objects, not their members', async () => {
    const first = 'user_profile is missing; it must be an object with at least travel_type.';
    const second = 'location is missing; it must be an object with city, or lat and lon, or hotel_id.';
    expect((await service.post('/api/b2a/recommend', {}, service.key)).refusal).toEqual(
      refused(400, 'INVALID_PROFILE', first, { details: `${first} ${second}` }),
    );
  });
});
