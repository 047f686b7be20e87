import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { dayOf, parseLocalDate } from '../../../src/domain/activity/schedule.ts';
import { CATEGORIES, LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { parseCatalogue } from '../../../src/supply/catalogue-file.ts';
import {
  activitiesOf,
  activityText,
  type Change,
  changed,
  FILE,
  faultsOf,
  lineOf,
  reportsEach,
  TEXT,
} from './small-catalogue.ts';

const id = 'must be lower-case letters and digits, in words separated by single dashes, at most 60 characters';
const time = 'must be a time "HH:MM" from 00:00 to 23:59 (midnight is 00:00)';
const tue = '"open": "08:30", "last_entry": "14:30", "close": "16:30"';
const title = '"title": "palace-walk en"';
const description = '"description": "What guests of palace-walk see, in en."';
const checkIn = '"check_in": "Where to go, in en."';
const january = '"from": "12-20", "to": "01-05", "price": 1100.5';
const leapDay = '"from": "02-29", "to": "02-29", "price": 60, "capacity": 1';

describe('a venue: a fault is', () => {
  const far = 'km from the centre of Bangkok, more than 75; correct the wrong value';
  reportsEach([
    ['"New Park"', '""', 'venues[1].name: must have 1 to 80 characters; it has 0'],
    ['"Old Palace"', '"Old Palace "', 'venues[0].name: must not begin or end with space; remove it'],
    ['"1 Palace Road, Bangkok"', '"Bangkok"', 'venues[0].address: must have 10 to 200 characters; it has 7'],
    ['13.75', '"13.75"', 'venues[0].lat: must be a number from -90 to 90, not "13.75"'],
    ['100.49', '1004.9', 'venues[0].lon: must be a number from -180 to 180, not 1004.9'],
    ['13.75', '14.5', `venues[0].lat: with lon is 83 ${far}`],
    ['100.49', '101.2', `venues[0].lat: with lon is 76 ${far}`, '13.75'],
    [
      '"lat"',
      '"alt": 1, "lat"',
      'venues[0].alt: is unknown; the fields here are id, name, address, lat, lon, contact, admit_at_once',
    ],
    ['"lat"', '"admit_at_once": "yes", "lat"', 'venues[0].admit_at_once: must be true or false, not "yes"'],
    [
      '{ "id": "new-park"',
      '{ "id": "new-park", "id": "new-park"',
      'venues[1].id: appears twice in its object; keep one',
    ],
  ]);

  test('a malformed id, reported once: not again for the activity that refers to it', () => {
    const text = changed(['"old-palace"', '"Old--Palace"'], ['"venue": "old-palace"', '"venue": "Old--Palace"']);
    const line = lineOf('"id": "old-palace"');
    expect(faultsOf(parseCatalogue(FILE, text))).toEqual([`${FILE}:${line} venues[0].id: ${id}, not "Old--Palace"`]);
  });

  test('a duplicate id', () => {
    const text = changed(['"new-park"', '"old-palace"'], ['"venue": "new-park"', '"venue": "old-palace"']);
    expect(faultsOf(parseCatalogue(FILE, text))).toEqual([
      `${FILE}:${lineOf('"new-park"')} venues[1].id: "old-palace" is already used by ${FILE} venues[0].id; ` +
        'remove this venue, or rename it',
    ]);
  });
});

describe('an activity: a fault is', () => {
  const openingFields = 'open, last_entry, close';
  reportsEach([
    [
      '"id": "park-day"',
      '"id": "palace-walk"',
      `activities[1].id: "palace-walk" is already used by ${FILE} activities[0].id; remove this activity, or rename it`,
    ],
    ['"palace-walk"', '"Palace-walk"', `activities[0].id: ${id}, not "Palace-walk"`],
    ['"palace-walk"', '"-palace"', `activities[0].id: ${id}, not "-palace"`],
    ['"palace-walk"', '"palace_walk"', `activities[0].id: ${id}, not "palace_walk"`],
    ['"palace-walk"', `"${'x'.repeat(61)}"`, `activities[0].id: ${id}, not "${'x'.repeat(59)}…`],
    [
      '"venue": "new-park"',
      '"venue": "newpark"',
      'activities[1].venue: "newpark" is not the id of a venue of this file; correct it, or add the venue',
    ],
    ['"cultural"', '"culture"', `activities[0].category: must be one of ${CATEGORIES.join(', ')}, not "culture"`],
    ['"mixed"', '"inside"', 'activities[0].setting: must be one of indoor, outdoor, mixed, not "inside"'],
    ['"easy"', 'null', 'activities[0].difficulty: must be one of easy, moderate, challenging, not null'],
    ['90,', '9,', 'activities[0].duration_minutes: must be a whole number from 10 to 1440, not 9'],
    ['90,', '90.5,', 'activities[0].duration_minutes: must be a whole number, not 90.5'],
    ['"couple"]', '"solo"]', 'activities[0].travel_types[1]: is already in the list; remove it'],
    ['["adult"]', '"adult"', 'activities[0].age_groups: must be a list [ … ], not "adult"'],
    ['["morning"]', '[]', 'activities[0].best_times: must name at least one of morning, afternoon, evening, night'],
    [
      '["morning"]',
      '["noon"]',
      'activities[0].best_times[0]: must be one of morning, afternoon, evening, night, not "noon"',
    ],
    ['"instant"', '"later"', 'activities[0].confirmation: must be one of instant, on_request, not "later"'],
    ['120,', '0,', 'activities[0].capacity: must be a whole number from 1 to 100000, not 0'],
    ['120,', '100001,', 'activities[0].capacity: must be a whole number from 1 to 100000, not 100001'],
    ['950.25', '950.255', 'activities[0].price: 950.255 has too many decimals; THB has 2'],
    ['950.25', '0', 'activities[0].price: must be an amount in THB from 50 to 20000, not 0'],
    ['950.25', '20000.01', 'activities[0].price: must be an amount in THB from 50 to 20000, not 20000.01'],
    ['950.25', '"950 THB"', 'activities[0].price: must be an amount in THB from 50 to 20000, not "950 THB"'],
    [
      '      "price": 950.25,',
      '',
      'activities[0].price: is missing; add it',
      activityText('palace-walk', 'old-palace'),
    ],
    ['24,', '721,', 'activities[0].cancellation.free_until_hours: must be a whole number from 0 to 720, not 721'],
    [': 50 }', ': 101 }', 'activities[0].cancellation.percent_kept: must be a whole number from 0 to 100, not 101'],
    [', "percent_kept": 50', '', 'activities[0].cancellation.percent_kept: is missing; add it'],
    [
      '"https:',
      '"http:',
      'activities[0].images[0]: must be an https address, not "http://images.example/palace-walk.jpg"',
    ],

    ['"mon": null,', '', 'activities[0].opening.mon: is missing; add it', '"opening"'],
    [
      '"mon": null',
      '"mon": "closed"',
      `activities[0].opening.mon: must be an object with ${openingFields}, not "closed"`,
    ],
    [
      '"mon": null',
      '"mon": null, "holiday": null',
      'activities[0].opening.holiday: is unknown; the fields here are sun, mon, tue, wed, thu, fri, sat',
    ],
    ['"08:30"', '"8:30"', `activities[0].opening.tue.open: ${time}, not "8:30"`],
    ['"16:30"', '"24:00"', `activities[0].opening.tue.close: ${time}, not "24:00"`],
    ['"14:30"', '"14:60"', `activities[0].opening.tue.last_entry: ${time}, not "14:60"`],
    ['"14:30"', '"16:31"', `activities[0].opening.tue.last_entry: 16:31 ${between('08:30', '16:30')}`],
    ['"14:30"', '"08:30"', `activities[0].opening.tue.last_entry: 08:30 ${between('08:30', '16:30')}`],
    ['"00:30"', '"02:01"', `activities[0].opening.sat.last_entry: 02:01 ${between('18:00', '02:00')}`],
    [
      '2027-07-28',
      '2027-02-29',
      'activities[0].closed_dates[0]: must be a calendar date, "YYYY-MM-DD", not "2027-02-29"',
    ],

    ['"12-20"', '"02-30"', 'activities[0].seasons[0].from: must be a day of the year, "MM-DD", not "02-30"'],
    ['"04-16"', '"4-16"', 'activities[0].seasons[1].to: must be a day of the year, "MM-DD", not "4-16"'],
    [', "price": 1100.5', '', 'activities[0].seasons[0]: changes nothing; add a price or a capacity'],
    ['1100.5', '49', 'activities[0].seasons[0].price: must be an amount in THB from 50 to 20000, not 49'],
    ['40 }', '40.5 }', 'activities[0].seasons[1].capacity: must be a whole number, not 40.5'],
    ['"from": "04-12", ', '', 'activities[0].seasons[1].from: is missing; add it', '"04-12"'],

    [title, `"title": "${'x'.repeat(81)}"`, 'activities[0].texts.en.title: must have 1 to 80 characters; it has 81'],
    [title, '"title": ""', 'activities[0].texts.en.title: must have 1 to 80 characters; it has 0'],
    [
      description,
      '"description": "Short."',
      'activities[0].texts.en.description: must have 20 to 600 characters; it has 6',
    ],
    [
      checkIn,
      `"check_in": "${'x'.repeat(401)}"`,
      'activities[0].texts.en.check_in: must have 10 to 400 characters; it has 401',
    ],
    ['"title": "palace-walk ko"', '"title": 8', 'activities[0].texts.ko.title: must be a text in double quotes, not 8'],
    [
      '"ms": {',
      '"fr": {}, "ms": {',
      'activities[0].texts.fr: is unknown; the fields here are en, th, vi, id, ms, zh, ja, ko',
    ],
  ]);

  for (const language of LANGUAGES) {
    test(`texts.${language}: is missing`, () => {
      const entry = `"${language}": {`;
      expect(faultsOf(parseCatalogue(FILE, changed([entry, '"xx": {'])))).toEqual([
        `${FILE}:${lineOf('"texts"')} activities[0].texts.${language}: is missing; add it`,
        `${FILE}:${lineOf(entry)} activities[0].texts.xx: is unknown; the fields here are ${LANGUAGES.join(', ')}`,
      ]);
    });
  }
});

function between(open: string, close: string): string {
  return `must be after open ${open} and not after close ${close}; correct the wrong time`;
}

describe('valid is', () => {
  const letters = (count: number): string => `"${'x'.repeat(count)}"`;
  test.each<[what: string, was: string, becomes: string]>([
    ['a venue almost 75 km away', '13.75', '14.43'],
    ['an id of 60 characters', '"palace-walk"', letters(60)],
    ['an id with digits and several dashes', '"palace-walk"', '"1-2-go"'],
    ['the least capacity', '120,', '1,'],
    ['the greatest capacity', '120,', '100000,'],
    ['the least price', '950.25', '50'],
    ['the greatest price', '950.25', '20000'],
    ['no hour of free cancellation', '24,', '0,'],
    ['the most hours of free cancellation', '24,', '720,'],
    ['nothing kept', '50 }', '0 }'],
    ['everything kept', '50 }', '100 }'],
    ['a last entry at the close', tue, '"open": "08:30", "last_entry": "16:30", "close": "16:30"'],
    ['a day that ends at midnight', tue, '"open": "00:00", "last_entry": "23:59", "close": "00:00"'],
    ['a day and a night, entry always', tue, '"open": "08:30", "last_entry": "08:30", "close": "08:30"'],
    ['29 February of a leap year', '2027-07-28', '2028-02-29'],
    ['no closed date', '["2027-07-28"]', '[]'],
    ['a season of both price and capacity, on 29 February', january, leapDay],
    ['a title of 80 letters', title, `"title": "${'ก'.repeat(80)}"`],
    ['a title of 80 characters that are longer in UTF-16', title, `"title": "${'🎡'.repeat(80)}"`],
    ['the shortest description', description, `"description": ${letters(20)}`],
    ['the longest description', description, `"description": ${letters(600)}`],
    ['the shortest check-in text', checkIn, `"check_in": ${letters(10)}`],
    ['the longest check-in text', checkIn, `"check_in": ${letters(400)}`],
    ['no image', '"https://images.example/palace-walk.jpg"', ''],
  ])('%s', (_, was, becomes) => {
    expect(activitiesOf(parseCatalogue(FILE, changed([was, becomes])))).toHaveLength(2);
  });
});

test('an opening is valid exactly if the schedule lets guests in before it closes', () => {
  const [walk] = activitiesOf(parseCatalogue(FILE, TEXT));
  const tuesday = parseLocalDate('2026-12-01');
  if (walk === undefined || tuesday === null) throw new Error('the small catalogue has no Tuesday');
  const anyTime = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '01', '59'))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
  fc.assert(
    fc.property(anyTime, anyTime, anyTime, (open, lastEntry, close) => {
      const opening = `"open": "${open}", "last_entry": "${lastEntry}", "close": "${close}"`;
      const openings = { ...walk.openings, tue: { open, lastEntry, close } };
      const day = dayOf({ ...walk, openings }, tuesday);
      const right = day !== null && day.lastEntryMs <= day.closesAtMs;
      expect(parseCatalogue(FILE, changed([tue, opening])).kind).toBe(right ? 'catalogue' : 'faults');
    }),
  );
});

test("prices have the precision of their city's currency", () => {
  const hanoi: readonly Change[] = [
    ['"Bangkok"', '"Hanoi"'],
    ['"lat": 13.75', '"lat": 21'],
    ['"lon": 100.49', '"lon": 105.8'],
    ['"lat": 13.8, "lon": 100.7', '"lat": 21, "lon": 105.8'],
    ['1100.5', '300000'],
    ['1100.5', '300000'],
    ['950.25', '250000'],
  ];
  const [walk] = activitiesOf(parseCatalogue('hanoi.json', changed(...hanoi, ['950.25', '250000'])));
  expect(walk).toMatchObject({ currency: 'VND', priceMinor: 250_000, seasons: [{ priceMinor: 300_000 }, {}] });
  expect(faultsOf(parseCatalogue('hanoi.json', changed(...hanoi, ['950.25', '250000.5'])))).toEqual([
    `hanoi.json:${TEXT.slice(0, TEXT.lastIndexOf('950.25')).split('\n').length} ` +
      'activities[1].price: 250000.5 has too many decimals; VND has 0',
  ]);
});
