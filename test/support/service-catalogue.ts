import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, WEEKDAYS, type Weekday } from '../../src/domain/activity/vocabulary.ts';

/** The cancellation policy of most activities, as answers show it in English. */
export const USUAL_POLICY = {
  free_until_hours: 24,
  percent_kept: 50,
  text: 'Free cancellation until 24 hours before opening on the date; after that 50% of the price is kept.',
};

type Hours = { readonly open: string; readonly last_entry: string; readonly close: string };

/** Fields in which catalogue entries differ; the others are the same for all. */
type Listing = {
  readonly id: string;
  readonly venue: string;
  readonly name: string;
  readonly capacity: number;
  readonly price: number;
  readonly hours?: Hours;
  readonly closed?: Weekday;
  /** Closed on all other days. */
  readonly only?: Weekday;
  readonly category?: string;
  readonly confirmation?: string;
  readonly cancellation?: { readonly free_until_hours: number; readonly percent_kept: number };
  readonly exclusive_to?: string;
  readonly closed_dates?: readonly string[];
  readonly seasons?: readonly object[];
};

const BY_DAY: Hours = { open: '09:00', last_entry: '17:00', close: '18:00' };
const BY_NIGHT: Hours = { open: '18:00', last_entry: '00:30', close: '02:00' };

/** A small catalogue. Tests depend on each of its properties. */
const CATALOGUE = [
  {
    city: 'Bangkok',
    venues: [
      { id: 'old-pier', name: 'Old Pier', address: '1 Pier Road, Bangkok 10200', lat: 13.75, lon: 100.49 },
      { id: 'rail-yard', name: 'Rail Yard', address: '2 Yard Road, Bangkok 10400', lat: 13.76, lon: 100.55 },
    ],
    hotels: [
      {
        id: 'pier-house',
        name: 'The Pier House',
        address: '5 Pier Road, Bangkok 10200',
        lat: 13.7505,
        lon: 100.491,
        rates: [{ activity: 'river-walk', percent_off: 15 }],
      },
    ],
    activities: [
      entry({ id: 'river-walk', venue: 'old-pier', name: 'River Walk', capacity: 10, price: 120.5 }),
      entry({
        id: 'night-market',
        venue: 'rail-yard',
        name: 'Night Market',
        category: 'nightlife',
        hours: BY_NIGHT,
        capacity: 30,
        price: 350,
      }),
      entry({
        id: 'paper-museum',
        venue: 'old-pier',
        name: 'Paper Museum',
        closed: 'mon',
        closed_dates: ['2026-12-05'],
        seasons: [{ from: '12-20', to: '01-05', price: 300, capacity: 8 }],
        capacity: 25,
        price: 250,
      }),
      entry({
        id: 'roof-terrace',
        venue: 'old-pier',
        name: 'Roof Terrace',
        category: 'dinner',
        exclusive_to: 'pier-house',
        capacity: 6,
        price: 700,
      }),
    ],
  },
  {
    city: 'Singapore',
    venues: [
      {
        id: 'harbour-front',
        name: 'Harbour Front',
        address: '3 Harbour Road, Singapore 098000',
        lat: 1.27,
        lon: 103.82,
      },
    ],
    hotels: [],
    activities: [
      entry({ id: 'sea-tunnel', venue: 'harbour-front', name: 'Sea Tunnel', capacity: 40, price: 39.9 }),
      entry({ id: 'rope-garden', venue: 'harbour-front', name: 'Rope Garden', capacity: 40, price: 39.9 }),
      entry({ id: 'light-show', venue: 'harbour-front', name: 'Light Show', capacity: 40, price: 18 }),
    ],
  },
  {
    city: 'Bali',
    venues: [
      { id: 'rice-terrace', name: 'Rice Terrace', address: '6 Terrace Road, Bali 80571', lat: -8.43, lon: 115.28 },
    ],
    hotels: [],
    activities: [
      entry({
        id: 'fire-dance',
        venue: 'rice-terrace',
        name: 'Fire Dance',
        capacity: 20,
        price: 333_333.33,
        cancellation: { free_until_hours: 6, percent_kept: 33 },
      }),
      entry({
        id: 'village-loom',
        venue: 'rice-terrace',
        name: 'Village Loom',
        capacity: 8,
        price: 150_000,
        cancellation: { free_until_hours: 0, percent_kept: 100 },
      }),
      entry({
        id: 'village-kitchen',
        venue: 'rice-terrace',
        name: 'Village Kitchen',
        category: 'dinner',
        confirmation: 'on_request',
        capacity: 12,
        price: 450_000,
      }),
    ],
  },
  {
    city: 'Ho Chi Minh',
    venues: [
      { id: 'clay-house', name: 'Clay House', address: '4 Clay Road, Ho Chi Minh 700000', lat: 10.77, lon: 106.7 },
    ],
    hotels: [],
    activities: [
      entry({ id: 'clay-workshop', venue: 'clay-house', name: 'Clay Workshop', capacity: 15, price: 450_000 }),
    ],
  },
];

/** Replaced members of entries, by activity id. */
export type CatalogueChanges = Readonly<Record<string, object>>;

/** Writes the catalogue's files into a directory, without the named activities and their hotel rates. */
export function writeServiceCatalogue(
  directory: string,
  without: readonly string[] = [],
  changes: CatalogueChanges = {},
): void {
  mkdirSync(directory, { recursive: true });
  for (const file of CATALOGUE) {
    const activities = file.activities
      .filter(({ id }) => !without.includes(id))
      .map((activity) => ({ ...activity, ...changes[activity.id] }));
    const hotels = file.hotels.map((hotel) => ({
      ...hotel,
      rates: hotel.rates.filter(({ activity }) => !without.includes(activity)),
    }));
    writeCatalogueFile(directory, { ...file, hotels, activities });
  }
}

/** Writes the file of a city into an existing directory. */
export function writeCatalogueFile(
  directory: string,
  file: {
    readonly city: string;
    readonly venues: readonly object[];
    readonly hotels: readonly object[];
    readonly activities: readonly object[];
  },
): void {
  const text = { ...file, estimated_on: '2026-11-01', note: 'Made up, for tests of the service.' };
  writeFileSync(join(directory, `${file.city.toLowerCase().replaceAll(' ', '-')}.json`), JSON.stringify(text));
}

/** Builds an entry of a catalogue file; the other fields are the same for all. */
export function entry({ name, hours = BY_DAY, closed, only, ...listing }: Listing) {
  const isOpen = (weekday: Weekday): boolean => weekday !== closed && (only === undefined || weekday === only);
  const textIn = (language: string) => ({
    title: `${name} (${language})`,
    description: `What guests of the ${name} do there (${language}).`,
    check_in: `Show the code at the desk (${language}).`,
  });
  return {
    category: 'cultural',
    setting: 'mixed',
    difficulty: 'easy',
    duration_minutes: 90,
    travel_types: ['solo', 'family'],
    age_groups: ['adult'],
    best_times: ['morning'],
    opening: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, isOpen(weekday) ? hours : null])),
    closed_dates: [],
    seasons: [],
    confirmation: 'instant',
    cancellation: { free_until_hours: USUAL_POLICY.free_until_hours, percent_kept: USUAL_POLICY.percent_kept },
    images: [],
    texts: Object.fromEntries(LANGUAGES.map((language) => [language, textIn(language)])),
    ...listing,
  };
}
