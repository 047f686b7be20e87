import { describe, expect, test } from 'bun:test';
import { unknownName } from '../../../src/domain/unknown-name.ts';

const BOOKING = [
  'activity_id',
  'user_email',
  'user_name',
  'booking_date',
  'num_adults',
  'num_children',
  'dry_run',
  'expected_total',
];
const RECOMMEND = [
  'user_profile',
  'user_profile.travel_type',
  'user_profile.nationality',
  'user_profile.budget',
  'location',
  'location.city',
  'location.lat',
  'limit',
  'date',
  'date_to',
  'guests',
];
const INVENTORY = ['city', 'date', 'date_to', 'category', 'min_slots', 'max_price', 'limit'];

describe('the nearest known name of', () => {
  test.each([
    ['dryRun', BOOKING, 'dry_run'],
    ['DRY-RUN', BOOKING, 'dry_run'],
    ['dri_run', BOOKING, 'dry_run'],
    ['preview', BOOKING, 'dry_run'],
    ['numberOfGuests', BOOKING, 'num_adults'],
    ['party_size', BOOKING, 'num_adults'],
    ['kids', BOOKING, 'num_children'],
    ['guest_name', BOOKING, 'user_name'],
    ['email', BOOKING, 'user_email'],
    ['visit_date', BOOKING, 'booking_date'],
    ['id', BOOKING, 'activity_id'],
    ['total', BOOKING, 'expected_total'],
    ['city', RECOMMEND, 'location.city'],
    ['latitude', RECOMMEND, 'location.lat'],
    ['traveler_type', RECOMMEND, 'user_profile.travel_type'],
    ['country', RECOMMEND, 'user_profile.nationality'],
    ['max_budget', RECOMMEND, 'user_profile.budget'],
    ['top_k', RECOMMEND, 'limit'],
    ['people', RECOMMEND, 'guests'],
    ['end_date', RECOMMEND, 'date_to'],
    ['when', INVENTORY, 'date'],
    ['location', INVENTORY, 'city'],
    ['adults', INVENTORY, 'min_slots'],
    ['price_max', INVENTORY, 'max_price'],
    ['page_size', INVENTORY, 'limit'],
  ])('%s', (name, known, nearest) => {
    expect(unknownName('field', '', name, known)).toBe(
      `unknown field ${JSON.stringify(name)}; did you mean "${nearest}"?`,
    );
  });
});

describe('the sentence about a name', () => {
  test('that is near none lists the names beside it', () => {
    expect(unknownName('field', 'location', 'weather', RECOMMEND)).toBe(
      'unknown field "location.weather"; the fields here are city, lat.',
    );
    expect(unknownName('parameter', '', 'weather', [])).toBe(
      'unknown parameter "weather"; this request takes no parameters.',
    );
  });

  test('in an object of a list has the index, also in the suggestion', () => {
    expect(unknownName('field', 'seasons[2]', 'prise', ['seasons', 'seasons.price'])).toBe(
      'unknown field "seasons[2].prise"; did you mean "seasons[2].price"?',
    );
  });

  test('that is a path says where to write it', () => {
    expect(unknownName('field', '', 'location.city', RECOMMEND)).toBe(
      'unknown field "location.city"; send "city" inside the object "location".',
    );
  });

  test('that is long is cut, and not compared', () => {
    const sentence = unknownName('field', '', 'x'.repeat(60_000), INVENTORY);
    expect(sentence).toBe(`unknown field "${'x'.repeat(60)}…"; the fields here are ${INVENTORY.join(', ')}.`);
  });

  test('that every object inherits is like any other', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(unknownName('field', '', name, INVENTORY)).toStartWith(
        `unknown field "${name}"; the fields here are city, `,
      );
  });
});
