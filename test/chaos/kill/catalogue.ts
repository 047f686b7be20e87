import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalDate } from '../../../src/domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../../src/domain/activity/cities.ts';
import { addDays, localDate } from '../../../src/domain/activity/schedule.ts';
import { LANGUAGES, WEEKDAYS } from '../../../src/domain/activity/vocabulary.ts';

export const VENUE = 'kill-venue';

/** Capacity per day. The load of one life sells out each of these on each requested date. */
const SMALL: readonly number[] = [5, 9, 14];
const LARGE = { capacity: 20_000, activities: 8 };

const ALL_DAY = { open: '00:00', last_entry: '00:00', close: '00:00' };

/** The activities by id, and a date of their city that does not end soon. */
export type OnSale = {
  readonly small: readonly [string, ...string[]];
  readonly large: readonly [string, ...string[]];
  /** Its venue confirms each booking. */
  readonly onRequest: string;
  readonly city: CityName;
  readonly today: LocalDate;
};

/** Writes a catalogue of a few activities that sell out and more that do not, all open around the clock. */
export function writeCatalogue(directory: string, nowMs: number): OnSale {
  const city = awayFromMidnight(nowMs);
  const small = SMALL.map((capacity, index) => activity(`kill-small-${index}`, capacity));
  const large = Array.from({ length: LARGE.activities }, (_, index) => activity(`kill-large-${index}`, LARGE.capacity));
  const onRequest = { ...activity('kill-on-request', LARGE.capacity), confirmation: 'on_request' };
  const { lat, lon } = cityFacts(city);
  const catalogue = {
    city,
    estimated_on: '2026-11-01',
    note: 'Made up, for proofs by killing only.',
    venues: [{ id: VENUE, name: 'Kill', address: '1 Kill Road, in the middle of town', lat, lon }],
    hotels: [],
    activities: [...small, ...large, onRequest],
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kill.json'), JSON.stringify(catalogue));
  return { small: idsOf(small), large: idsOf(large), onRequest: onRequest.id, city, today: localDate(city, nowMs) };
}

export function dateAhead({ today }: OnSale, days: number): LocalDate {
  return addDays(today, days);
}

/** Vouchers of today are verified, so today must not end during the run: one of two cities is far from midnight. */
function awayFromMidnight(nowMs: number): CityName {
  const soon = localDate('Bangkok', nowMs + 40 * 60_000);
  return soon === localDate('Bangkok', nowMs) ? 'Bangkok' : 'Singapore';
}

function activity(id: string, capacity: number) {
  const text = {
    title: id,
    description: 'It exists to be booked while the service is killed.',
    check_in: 'Show the QR code.',
  };
  return {
    id,
    venue: VENUE,
    category: 'cultural',
    setting: 'indoor',
    difficulty: 'easy',
    duration_minutes: 60,
    travel_types: ['solo'],
    age_groups: ['adult'],
    best_times: ['morning'],
    opening: Object.fromEntries(WEEKDAYS.map((day) => [day, ALL_DAY])),
    closed_dates: [],
    seasons: [],
    capacity,
    price: 123.45,
    confirmation: 'instant',
    cancellation: { free_until_hours: 24, percent_kept: 50 },
    images: [],
    texts: Object.fromEntries(LANGUAGES.map((language) => [language, text])),
  };
}

function idsOf(activities: readonly { readonly id: string }[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = activities.map(({ id }) => id);
  return [first, ...rest];
}
