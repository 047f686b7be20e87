import { expect, test } from 'bun:test';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { type CatalogueReading, parseCatalogue } from '../../../src/supply/catalogue-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';

const textsOf = (id: string): string =>
  LANGUAGES.map(
    (language) => `        "${language}": {
          "title": "${id} ${language}",
          "description": "What guests of ${id} see, in ${language}.",
          "check_in": "Where to go, in ${language}."
        }`,
  ).join(',\n');

export const activityText = (id: string, venue: string): string => `    {
      "id": "${id}",
      "venue": "${venue}",
      "category": "cultural",
      "setting": "mixed",
      "difficulty": "easy",
      "duration_minutes": 90,
      "travel_types": ["solo", "couple"],
      "age_groups": ["adult"],
      "best_times": ["morning"],
      "opening": {
        "mon": null,
        "tue": { "open": "08:30", "last_entry": "14:30", "close": "16:30" },
        "wed": { "open": "09:30", "last_entry": "14:30", "close": "16:30" },
        "thu": { "open": "09:30", "last_entry": "14:30", "close": "16:30" },
        "fri": { "open": "09:30", "last_entry": "14:30", "close": "16:30" },
        "sat": { "open": "18:00", "last_entry": "00:30", "close": "02:00" },
        "sun": { "open": "09:30", "last_entry": "14:30", "close": "16:30" }
      },
      "closed_dates": ["2027-07-28"],
      "seasons": [
        { "from": "12-20", "to": "01-05", "price": 1100.5 },
        { "from": "04-12", "to": "04-16", "capacity": 40 }
      ],
      "capacity": 120,
      "price": 950.25,
      "confirmation": "instant",
      "cancellation": { "free_until_hours": 24, "percent_kept": 50 },
      "images": ["https://images.example/${id}.jpg"],
      "texts": {
${textsOf(id)}
      }
    }`;

/** One entry per line, so that a fault's line identifies the entry. */
export const TEXT = `{
  "city": "Bangkok",
  "estimated_on": "2026-11-01",
  "note": "All figures are estimates of ours.",
  "venues": [
    {
      "id": "old-palace",
      "name": "Old Palace",
      "address": "1 Palace Road, Bangkok",
      "lat": 13.75,
      "lon": 100.49
    },
    { "id": "new-park", "name": "New Park", "address": "2 Park Road, Bangkok", "lat": 13.8, "lon": 100.7 }
  ],
  "hotels": [],
  "activities": [
${activityText('palace-walk', 'old-palace')},
${activityText('park-day', 'new-park')}
  ]
}
`;

export const FILE = 'bangkok.json';
export type Change = readonly [was: string, becomes: string];

/** The small catalogue with the first occurrence of `was` replaced, for each change. */
export function changed(...changes: readonly Change[]): string {
  return changedIn(TEXT, ...changes);
}

export function changedIn(text: string, ...changes: readonly Change[]): string {
  return changes.reduce((sofar, [was, becomes]) => {
    expect(sofar).toContain(was);
    return sofar.replace(was, () => becomes);
  }, text);
}

/** A second catalogue, for another city, with different names. */
export const PHUKET = [
  ['"Bangkok"', '"Phuket"'],
  ['"old-palace"', '"old-town"'],
  ['"lat": 13.75', '"lat": 7.88'],
  ['"lon": 100.49', '"lon": 98.39'],
  ['"new-park"', '"new-beach"'],
  ['"lat": 13.8, "lon": 100.7', '"lat": 7.9, "lon": 98.3'],
  ['"palace-walk"', '"town-walk"'],
  ['"venue": "old-palace"', '"venue": "old-town"'],
  ['"park-day"', '"beach-day"'],
  ['"venue": "new-park"', '"venue": "new-beach"'],
].reduce((sofar, [was = '', becomes = '']) => sofar.replace(was, becomes), TEXT);

/** The line of the first occurrence of a text in the small catalogue, or in another text. */
export function lineOf(snippet: string, text = TEXT): number {
  expect(text).toContain(snippet);
  return text.slice(0, text.indexOf(snippet)).split('\n').length;
}

export function faultsOf(reading: CatalogueReading): string[] {
  return reading.kind === 'faults' ? describeFaults(reading.faults).split('\n') : [];
}

export function activitiesOf(reading: CatalogueReading): readonly Activity[] {
  expect(faultsOf(reading)).toEqual([]);
  return reading.kind === 'catalogue' ? reading.activities : [];
}

/** A change and the expected fault, on the line of the change unless another line is given. */
export type Case = readonly [was: string, becomes: string, fault: string, on?: string];

export function reportsEach(cases: readonly Case[], text = TEXT): void {
  for (const [was, becomes, fault, on = was] of cases) {
    test(fault, () => {
      const reading = parseCatalogue(FILE, changedIn(text, [was, becomes]));
      expect(faultsOf(reading)).toEqual([`${FILE}:${lineOf(on, text)} ${fault}`]);
    });
  }
}
