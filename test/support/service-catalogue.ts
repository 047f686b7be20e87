import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, WEEKDAYS, type Weekday } from '../../src/domain/activity/vocabulary.ts';

type Hours = { readonly open: string; readonly last_entry: string; readonly close: string };

const DAY: Hours = { open: '09:00', last_entry: '17:00', close: '18:00' };
const LATE: Hours = { open: '18:00', last_entry: '00:30', close: '02:00' };

function venue(id: string, name: string, address: string, [lat, lon]: readonly [lat: number, lon: number]) {
  return { id, name, address, lat, lon };
}

/** A small catalogue whose every property some test needs. `closed` names weekdays. */
function activity(
  id: string,
  name: string,
  venueId: string,
  facts: object,
  hours: Hours = DAY,
  closed: Weekday[] = [],
) {
  const textIn = (language: string) => ({
    title: `${name} (${language})`,
    description: `What guests of the ${name} do there (${language}).`,
    check_in: `Show the code at the desk (${language}).`,
  });
  return {
    id,
    venue: venueId,
    category: 'cultural',
    setting: 'mixed',
    difficulty: 'easy',
    duration_minutes: 90,
    travel_types: ['solo', 'family'],
    age_groups: ['adult'],
    best_times: ['morning'],
    opening: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, closed.includes(weekday) ? null : hours])),
    closed_dates: [],
    seasons: [],
    confirmation: 'instant',
    cancellation: { free_until_hours: 24, percent_kept: 50 },
    images: [],
    texts: Object.fromEntries(LANGUAGES.map((language) => [language, textIn(language)])),
    ...facts,
  };
}

const BANGKOK = {
  city: 'Bangkok',
  venues: [
    venue('old-pier', 'Old Pier', '1 Pier Road, Bangkok 10200', [13.75, 100.49]),
    venue('rail-yard', 'Rail Yard', '2 Yard Road, Bangkok 10400', [13.76, 100.55]),
  ],
  activities: [
    activity('river-walk', 'River Walk', 'old-pier', { capacity: 10, price: 120.5 }),
    activity('night-market', 'Night Market', 'rail-yard', { category: 'nightlife', capacity: 30, price: 350 }, LATE),
    activity(
      'paper-museum',
      'Paper Museum',
      'old-pier',
      {
        closed_dates: ['2026-12-05'],
        seasons: [{ from: '12-20', to: '01-05', price: 300, capacity: 8 }],
        capacity: 25,
        price: 250,
      },
      DAY,
      ['mon'],
    ),
    activity('thai-kitchen', 'Thai Kitchen', 'rail-yard', {
      category: 'dinner',
      confirmation: 'on_request',
      capacity: 12,
      price: 900,
    }),
  ],
};

const SINGAPORE = {
  city: 'Singapore',
  venues: [venue('harbour-front', 'Harbour Front', '3 Harbour Road, Singapore 098000', [1.27, 103.82])],
  activities: [
    activity('sea-tunnel', 'Sea Tunnel', 'harbour-front', { category: 'aquarium', capacity: 40, price: 39.9 }),
    activity('rope-garden', 'Rope Garden', 'harbour-front', { category: 'adventure', capacity: 40, price: 39.9 }),
    activity('light-show', 'Light Show', 'harbour-front', { category: 'nightlife', capacity: 40, price: 18 }),
  ],
};

const SAIGON = {
  city: 'Ho Chi Minh',
  venues: [venue('clay-house', 'Clay House', '4 Clay Road, Ho Chi Minh 700000', [10.77, 106.7])],
  activities: [activity('clay-workshop', 'Clay Workshop', 'clay-house', { capacity: 15, price: 450_000 })],
};

/** Writes the catalogue's files into a directory, leaving out the activities named. */
export function writeServiceCatalogue(
  directory: string,
  { without = [] }: { readonly without?: readonly string[] } = {},
) {
  mkdirSync(directory, { recursive: true });
  for (const city of [BANGKOK, SINGAPORE, SAIGON]) {
    const activities = city.activities.filter(({ id }) => !without.includes(id));
    const text = { ...city, estimated_on: '2026-11-01', note: 'Made up, for tests of the service.', activities };
    writeFileSync(join(directory, `${city.city.toLowerCase().replaceAll(' ', '-')}.json`), JSON.stringify(text));
  }
}
