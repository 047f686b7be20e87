import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, WEEKDAYS } from '../../src/domain/activity/vocabulary.ts';

const CAPACITY = 100_000;
const OPEN = { open: '00:01', last_entry: '23:58', close: '23:59' };

/** Writes a catalogue whose activities no load sells out. Returns their ids. */
export function writeBenchCatalogue(directory: string, activities: number): readonly string[] {
  mkdirSync(directory, { recursive: true });
  const ids = Array.from({ length: activities }, (_, index) => `bench-activity-${index}`);
  const text = {
    title: 'A bench activity',
    description: 'It exists to be booked many times a second.',
    check_in: 'Show the QR code.',
  };
  const catalogue = {
    city: 'Bangkok',
    estimated_on: '2026-11-01',
    note: 'Made up, for measuring only.',
    venues: [{ id: 'bench-venue', name: 'Bench', address: '1 Bench Road, Bangkok', lat: 13.75, lon: 100.5 }],
    hotels: [],
    activities: ids.map((id) => ({
      id,
      venue: 'bench-venue',
      category: 'cultural',
      setting: 'indoor',
      difficulty: 'easy',
      duration_minutes: 60,
      travel_types: ['solo'],
      age_groups: ['adult'],
      best_times: ['morning'],
      opening: Object.fromEntries(WEEKDAYS.map((day) => [day, OPEN])),
      closed_dates: [],
      seasons: [],
      capacity: CAPACITY,
      price: 500,
      confirmation: 'instant',
      cancellation: { free_until_hours: 24, percent_kept: 50 },
      images: [],
      texts: Object.fromEntries(LANGUAGES.map((language) => [language, text])),
    })),
  };
  writeFileSync(join(directory, 'bench.json'), JSON.stringify(catalogue));
  return ids;
}
