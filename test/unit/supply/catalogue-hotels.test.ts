import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { parseCatalogue } from '../../../src/supply/catalogue-file.ts';
import { loadCatalogue } from '../../support/catalogue-files.ts';
import { activityId, hotelId } from '../../support/examples.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { activitiesOf, changed, changedIn, FILE, faultsOf, lineOf, reportsEach } from './small-catalogue.ts';

const HOTELS = `"hotels": [
    {
      "id": "park-inn",
      "name": "Park Inn",
      "address": "3 Park Road, Bangkok",
      "lat": 13.81,
      "lon": 100.71,
      "rates": [
        { "activity": "palace-walk", "percent_off": 10 },
        { "activity": "park-day", "percent_off": 25 }
      ]
    },
    {
      "id": "old-house",
      "name": "Old House",
      "address": "4 Palace Road, Bangkok",
      "lat": 13.76, "lon": 100.5,
      "rates": []
    }
  ]`;
const PARK_DAY = '"id": "park-day",';
const EXCLUSIVE = `${PARK_DAY}\n      "exclusive_to": "park-inn",`;

/** The small catalogue with two hotels; the day in the park is exclusive to the first. */
const TEXT = changed(['"hotels": []', HOTELS], [PARK_DAY, EXCLUSIVE]);
const PARK_INN = {
  id: hotelId('park-inn'),
  name: 'Park Inn',
  address: '3 Park Road, Bangkok',
  city: 'Bangkok',
  lat: 13.81,
  lon: 100.71,
  rates: [
    { activityId: activityId('palace-walk'), percentOff: 10 },
    { activityId: activityId('park-day'), percentOff: 25 },
  ],
} as const;
const OLD_HOUSE = {
  id: hotelId('old-house'),
  name: 'Old House',
  address: '4 Palace Road, Bangkok',
  city: 'Bangkok',
  lat: 13.76,
  lon: 100.5,
  rates: [],
} as const;

test('a valid file gives its hotels and the activities that are exclusive to one', () => {
  const reading = parseCatalogue(FILE, TEXT);
  expect(reading).toMatchObject({ kind: 'catalogue' });
  expect(reading.kind === 'catalogue' ? reading.hotels : []).toEqual([PARK_INN, OLD_HOUSE]);
  expect(activitiesOf(reading).map((activity) => [activity.id, activity.exclusiveTo])).toEqual([
    [activityId('palace-walk'), null],
    [activityId('park-day'), hotelId('park-inn')],
  ]);
});

describe('a hotel: a fault is', () => {
  const id = 'must be lower-case letters and digits, in words separated by single dashes, at most 60 characters';
  reportsEach(
    [
      ['"id": "old-house"', '"id": "Old House"', `hotels[1].id: ${id}, not "Old House"`],
      [
        '"id": "old-house"',
        '"id": "park-inn"',
        `hotels[1].id: "park-inn" is already used by ${FILE} hotels[0].id; remove this hotel, or rename it`,
      ],
      ['"Park Inn"', '""', 'hotels[0].name: must have 1 to 80 characters; it has 0'],
      ['"4 Palace Road, Bangkok"', '"Bangkok"', 'hotels[1].address: must have 10 to 200 characters; it has 7'],
      ['100.71', '"east"', 'hotels[0].lon: must be a number from -180 to 180, not "east"'],
      [
        '13.81',
        '14.5',
        'hotels[0].lat: with lon is 86 km from the centre of Bangkok, more than 75; correct the wrong value',
      ],
      ['"rates": []', '"rates": null', 'hotels[1].rates: must be a list [ … ], not null'],
      [
        '"lon": 100.5,\n      "rates": []',
        '"lon": 100.5',
        'hotels[1].rates: is missing; add it',
        '{\n      "id": "old-house"',
      ],
      [
        '"rates": []',
        '"rates": [], "stars": 5',
        'hotels[1].stars: is unknown; the fields here are id, name, address, lat, lon, rates, guest_key',
      ],
      [
        '"rates": []',
        '"rates": [], "guest_key": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"',
        'hotels[1].guest_key: must be an Ed25519 public key: 32 bytes in base64url, 43 characters, not "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"',
      ],
    ],
    TEXT,
  );
});

describe("a hotel's rate: a fault is", () => {
  const walk = '"activity": "palace-walk", "percent_off": 10';
  const percent = 'must be a whole number from 1 to 50';
  reportsEach(
    [
      [
        '"activity": "palace-walk"',
        '"activity": "palace-run"',
        'hotels[0].rates[0].activity: "palace-run" is not the id of an activity of this file; correct it, or add the activity',
      ],
      [
        '"activity": "palace-walk"',
        '"activity": 1',
        'hotels[0].rates[0].activity: must be a text in double quotes, not 1',
      ],
      [
        '"activity": "park-day"',
        '"activity": "palace-walk"',
        'hotels[0].rates[1].activity: "palace-walk" already has a rate of this hotel; keep one',
      ],
      [
        '"rates": []',
        '"rates": [{ "activity": "park-day", "percent_off": 5 }]',
        'hotels[1].rates[0].activity: "park-day" is exclusive to "park-inn"; remove the rate',
      ],
      ['"percent_off": 10', '"percent_off": 0', `hotels[0].rates[0].percent_off: ${percent}, not 0`],
      ['"percent_off": 25', '"percent_off": 51', `hotels[0].rates[1].percent_off: ${percent}, not 51`],
      ['"percent_off": 10', '"percent_off": 12.5', 'hotels[0].rates[0].percent_off: must be a whole number, not 12.5'],
      [
        `{ ${walk} }`,
        '"palace-walk"',
        'hotels[0].rates[0]: must be an object with activity, percent_off, not "palace-walk"',
      ],
      [', "percent_off": 10', '', 'hotels[0].rates[0].percent_off: is missing; add it'],
      [
        walk,
        `${walk}, "until": "2027"`,
        'hotels[0].rates[0].until: is unknown; the fields here are activity, percent_off',
      ],
    ],
    TEXT,
  );
});

describe('exclusive_to: a fault is', () => {
  const exclusive = '"exclusive_to": "park-inn"';
  reportsEach(
    [
      // The hotel's rate of the activity is not reported as well.
      [
        exclusive,
        '"exclusive_to": "park-in"',
        'activities[1].exclusive_to: "park-in" is not the id of a hotel of this file; correct it, or add the hotel',
      ],
      [
        exclusive,
        '"exclusive_to": "old-palace"',
        'activities[1].exclusive_to: "old-palace" is not the id of a hotel of this file; correct it, or add the hotel',
      ],
      [exclusive, '"exclusive_to": null', 'activities[1].exclusive_to: must be a text in double quotes, not null'],
    ],
    TEXT,
  );

  test('reported at the rate if the activity is exclusive to the other hotel', () => {
    const text = changedIn(TEXT, ['"exclusive_to": "park-inn"', '"exclusive_to": "old-house"']);
    expect(faultsOf(parseCatalogue(FILE, text))).toEqual([
      `${FILE}:${lineOf('"activity": "park-day"', TEXT)} hotels[0].rates[1].activity: ` +
        '"park-day" is exclusive to "old-house"; remove the rate',
    ]);
  });
});

describe('valid is', () => {
  test.each([
    ['the least rate', '"percent_off": 10', '"percent_off": 1'],
    ['the greatest rate', '"percent_off": 25', '"percent_off": 50'],
    ['a hotel of the same id as a venue', '"id": "old-house"', '"id": "old-palace"'],
    ['the same rate at two hotels', '"rates": []', '"rates": [{ "activity": "palace-walk", "percent_off": 10 }]'],
    ['no hotel', HOTELS, '"hotels": []'],
  ])('%s', (_, was, becomes) => {
    const everybodys = changedIn(TEXT, ['"exclusive_to": "park-inn",', ''], [was, becomes]);
    expect(faultsOf(parseCatalogue(FILE, everybodys))).toEqual([]);
  });
});

test("in an unsupported city a hotel's coordinates are not checked", () => {
  const text = changedIn(TEXT, ['"Bangkok"', '"Paris"'], ['13.81', '48.85']);
  expect(faultsOf(parseCatalogue(FILE, text)).map((fault) => fault.slice(0, fault.indexOf(': ')))).toEqual([
    `${FILE}:${lineOf('"Bangkok"', TEXT)} city`,
  ]);
});

describe('a directory', () => {
  const phuket = TEXT.replace('"Bangkok"', '"Phuket"')
    .replaceAll(/"(palace-walk|park-day|old-palace|new-park)"/g, '"hkt-$1"')
    .replaceAll(/"lat": 13\.\d+/g, '"lat": 7.88')
    .replaceAll(/"lon": 100\.\d+/g, '"lon": 98.39');

  test('gives the hotels of every file, sorted by file name', async () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('bangkok.json'), TEXT);
    writeFileSync(directory.file('phuket.json'), phuket.replaceAll(/"(park-inn|old-house)"/g, '"hkt-$1"'));
    const reading = await loadCatalogue(directory.path);
    const hotels = reading.kind === 'catalogue' ? reading.hotels : faultsOf(reading);
    expect(hotels.map((hotel) => (typeof hotel === 'string' ? hotel : [hotel.id, hotel.city]))).toEqual([
      [hotelId('park-inn'), 'Bangkok'],
      [hotelId('old-house'), 'Bangkok'],
      [hotelId('hkt-park-inn'), 'Phuket'],
      [hotelId('hkt-old-house'), 'Phuket'],
    ]);
  });

  test('has unique hotel ids across all files', async () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('a.json'), TEXT);
    writeFileSync(directory.file('b.json'), phuket.replace('"old-house"', '"hkt-house"'));
    expect(faultsOf(await loadCatalogue(directory.path))).toEqual([
      `b.json:${lineOf('"park-inn"', TEXT)} hotels[0].id: "park-inn" is already used by a.json hotels[0].id; ` +
        'remove this hotel, or rename it',
    ]);
  });
});
