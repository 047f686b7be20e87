import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { parseCatalogue } from '../../../src/supply/catalogue-file.ts';
import { loadCatalogue } from '../../support/catalogue-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { activitiesOf, changed, FILE, faultsOf, lineOf, PHUKET, reportsEach, TEXT } from './small-catalogue.ts';

test('a valid file gives its activities in file order', () => {
  const activities = activitiesOf(parseCatalogue(FILE, TEXT));
  const walk: unknown = activities[0];
  const hours = { open: '09:30', lastEntry: '14:30', close: '16:30' };
  expect(walk).toEqual({
    id: 'palace-walk',
    city: 'Bangkok',
    venue: { id: 'old-palace', name: 'Old Palace', address: '1 Palace Road, Bangkok', lat: 13.75, lon: 100.49 },
    category: 'cultural',
    setting: 'mixed',
    difficulty: 'easy',
    durationMinutes: 90,
    travelTypes: ['solo', 'couple'],
    ageGroups: ['adult'],
    bestTimes: ['morning'],
    openings: {
      mon: null,
      tue: { open: '08:30', lastEntry: '14:30', close: '16:30' },
      wed: hours,
      thu: hours,
      fri: hours,
      sat: { open: '18:00', lastEntry: '00:30', close: '02:00' },
      sun: hours,
    },
    closedDates: ['2027-07-28'],
    seasons: [
      { from: '12-20', to: '01-05', priceMinor: 110_050 },
      { from: '04-12', to: '04-16', capacity: 40 },
    ],
    capacity: 120,
    priceMinor: 95_025,
    currency: 'THB',
    confirmation: 'instant',
    exclusiveTo: null,
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    images: ['https://images.example/palace-walk.jpg'],
    texts: Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        {
          title: `palace-walk ${language}`,
          description: `What guests of palace-walk see, in ${language}.`,
          checkIn: `Where to go, in ${language}.`,
        },
      ]),
    ),
    estimatedOn: '2026-11-01',
  });
  const venues = activities.map((activity): string[] => [activity.id, activity.venue.id]);
  expect(venues).toEqual([
    ['palace-walk', 'old-palace'],
    ['park-day', 'new-park'],
  ]);
});

const PALACE_LON = '"lon": 100.49';

function contacted(contact: string): string {
  return `"lon": 100.49, "contact": ${contact}`;
}

test('a venue may have a contact, whose language is English unless given', () => {
  const contactIn = (contact: string): unknown =>
    activitiesOf(parseCatalogue(FILE, changed([PALACE_LON, contacted(contact)])))[0]?.venue.contact;
  expect(contactIn('{ "email": "desk@palace.example" }')).toEqual({ email: 'desk@palace.example', language: 'en' });
  expect(contactIn('{ "email": "desk@palace.example", "language": "th" }')).toMatchObject({ language: 'th' });
});

describe('the contact of a venue: a fault is', () => {
  const form = 'a mail address, with its domain in lower case';
  reportsEach([
    [PALACE_LON, contacted('{ "email": "desk" }'), `venues[0].contact.email: must be ${form}, not "desk"`],
    [
      PALACE_LON,
      contacted('{ "email": "desk@palace.example", "language": "fr" }'),
      'venues[0].contact.language: must be one of en, th, vi, id, ms, zh, ja, ko, not "fr"',
    ],
    [PALACE_LON, contacted('{}'), 'venues[0].contact.email: is missing; add it'],
  ]);
});

describe('the file as a whole: a fault is', () => {
  reportsEach([
    ['"Bangkok"', '7', 'city: must be a text in double quotes, not 7'],
    ['"Bangkok"', '"bangkok"', 'city: must be written "Bangkok", not "bangkok"'],
    [
      '"Bangkok"',
      '"Paris"',
      'city: "Paris" is not a supported city; use one of Bangkok, Phuket, Chiang Mai, Pattaya, Krabi, Ho Chi Minh, ' +
        'Hanoi, Da Nang, Nha Trang, Bali, Jakarta, Yogyakarta, Kuala Lumpur, Penang, Langkawi, Singapore',
    ],
    ['2026-11-01', '2026-11-31', 'estimated_on: must be a calendar date, "YYYY-MM-DD", not "2026-11-31"'],
    ['2026-11-01', '1 Nov 2026', 'estimated_on: must be a calendar date, "YYYY-MM-DD", not "1 Nov 2026"'],
    ['  "note": "All figures are estimates of ours.",', '', 'note: is missing; add it', '{'],
    ['"All figures are estimates of ours."', '"Estimates."', 'note: must have 20 to 600 characters; it has 10'],
    [
      '"note"',
      '"remark": "", "note"',
      'remark: is unknown; the fields here are city, estimated_on, note, venues, hotels, activities',
    ],
    ['"note"', '"note": "", "note"', 'note: appears twice in its object; keep one'],
  ]);

  test('a root that is not an object', () => {
    expect(faultsOf(parseCatalogue(FILE, '\n[]'))).toEqual([
      `${FILE}:2 must be an object with city, estimated_on, note, venues, hotels, activities, not []`,
    ]);
  });

  test('malformed JSON, at the line of the error', () => {
    expect(parseCatalogue(FILE, changed(['"category": "cultural",', '"category": "cultural"']))).toEqual({
      kind: 'faults',
      faults: [
        {
          file: FILE,
          line: lineOf('"setting"'),
          column: 7,
          field: '',
          message: 'is not JSON here: expected "," or "}", found "setting"',
        },
      ],
    });
  });
});

describe('of several faults', () => {
  test('all are reported, sorted by line', () => {
    const text = changed(
      ['"Bangkok"', '"Paris"'],
      ['2026-11-01', '2026-13-01'],
      ['"venue": "old-palace"', '"venue": "old"'],
      ['"mixed"', '"both"'],
      ['"close": "16:30"', '"close": "4 pm", "tea": "15:00"'],
      ['120,', '-1,'],
      ['"palace-walk en"', '" "'],
      ['"venue": "new-park"', '"venue": 2'],
    );
    const reading = parseCatalogue(FILE, text);
    expect(reading.kind === 'faults' ? reading.faults.map(({ file, line, field }) => [file, line, field]) : []).toEqual(
      [
        [FILE, lineOf('"Bangkok"'), 'city'],
        [FILE, lineOf('2026-11-01'), 'estimated_on'],
        [FILE, lineOf('"venue": "old-palace"'), 'activities[0].venue'],
        [FILE, lineOf('"mixed"'), 'activities[0].setting'],
        [FILE, lineOf('"close": "16:30"'), 'activities[0].opening.tue.tea'],
        [FILE, lineOf('"close": "16:30"'), 'activities[0].opening.tue.close'],
        [FILE, lineOf('120,'), 'activities[0].capacity'],
        [FILE, lineOf('"palace-walk en"'), 'activities[0].texts.en.title'],
        [FILE, lineOf('"venue": "new-park"'), 'activities[1].venue'],
      ],
    );
  });

  test('none is reported inside another', () => {
    const text = changed(
      ['"cancellation": {', '"cancellation": 7, "texts": "none", "penalty": {'],
      ['"texts": {', '"words": {'],
    );
    expect(faultsOf(parseCatalogue(FILE, text)).map((fault) => fault.replace(/:(?= (?:must|is)).*/, ''))).toEqual([
      `${FILE}:${lineOf('"cancellation"')} activities[0].penalty`,
      `${FILE}:${lineOf('"cancellation"')} activities[0].cancellation`,
      `${FILE}:${lineOf('"cancellation"')} activities[0].texts`,
      `${FILE}:${lineOf('"texts"')} activities[0].words`,
    ]);
  });
});

describe('a directory', () => {
  test('is one catalogue, sorted by file name; other files than *.json are ignored', async () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('phuket.json'), PHUKET);
    writeFileSync(directory.file('bangkok.json'), TEXT);
    writeFileSync(directory.file('README.md'), 'how to edit');
    const ids = activitiesOf(await loadCatalogue(directory.path)).map((activity): string => activity.id);
    expect(ids).toEqual(['palace-walk', 'park-day', 'town-walk', 'beach-day']);
  });

  test('has unique cities and ids across all files', async () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('a.json'), TEXT);
    writeFileSync(directory.file('b.json'), TEXT);
    const taken = (line: number, field: string, name: string, kind: string): string =>
      `b.json:${line} ${field}: "${name}" is already used by a.json ${field}; remove this ${kind}, or rename it`;
    expect(faultsOf(await loadCatalogue(directory.path))).toEqual([
      taken(lineOf('"Bangkok"'), 'city', 'Bangkok', 'city'),
      taken(lineOf('"old-palace"'), 'venues[0].id', 'old-palace', 'venue'),
      taken(lineOf('"new-park"'), 'venues[1].id', 'new-park', 'venue'),
      taken(lineOf('"palace-walk"'), 'activities[0].id', 'palace-walk', 'activity'),
      taken(lineOf('"park-day"'), 'activities[1].id', 'park-day', 'activity'),
    ]);
  });

  test('reports the faults of every file', async () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('a.json'), changed(['120,', '0,']));
    writeFileSync(directory.file('b.json'), '{');
    writeFileSync(directory.file('c.json'), PHUKET.replace('"mixed"', '"both"'));
    expect(faultsOf(await loadCatalogue(directory.path))).toEqual([
      `a.json:${lineOf('120,')} activities[0].capacity: must be a whole number from 1 to 100000, not 0`,
      'b.json:1 is not JSON here: expected "," or "}", found the end of the file',
      `c.json:${lineOf('"mixed"')} activities[0].setting: must be one of indoor, outdoor, mixed, not "both"`,
    ]);
  });

  test('without a file is a fault; a missing directory throws', async () => {
    using directory = temporaryDirectory();
    expect(faultsOf(await loadCatalogue(directory.path))).toEqual([
      `${directory.path}:1 has no *.json file; add one for each city`,
    ]);
    const thrown = await loadCatalogue(directory.file('nowhere')).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ENOENT' });
  });
});
