import { describe, expect, test } from 'bun:test';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { type EntryContext, readEntry, writeEntry } from '../../../src/supply/activity-entry.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { loadCatalogue } from '../../support/catalogue-files.ts';
import { activityId, anActivity, date, hotelId } from '../../support/examples.ts';

const NOW_MS = Date.parse('2026-11-21T18:00:00Z');
/** An entry as a request contains it: parsed from JSON, without fields unknown to requests. */
function asSent(activity: Activity): Record<string, unknown> {
  const { currency: _known, ...entry } = writeEntry(activity);
  return JSON.parse(JSON.stringify(entry));
}
const aquarium = anActivity();
const sent = asSent(aquarium);
const hotel = {
  id: hotelId('pier-house'),
  name: 'The Pier House',
  address: '5 Pier Road, Bangkok 10200',
  city: 'Bangkok' as const,
  lat: 13.75,
  lon: 100.49,
  rates: [],
};
const among: EntryContext = { id: aquarium.id, present: null, listed: [], hotels: [hotel], nowMs: NOW_MS };

function faultsOf(change: Record<string, unknown>, context: Partial<EntryContext> = {}): readonly string[] {
  const read = readEntry({ ...sent, ...change }, { ...among, ...context });
  return read.kind === 'faults' ? read.faults.map(({ field, message }) => `${field} ${message}`) : [];
}

test('readEntry restores every activity of the shipped catalogue from writeEntry', async () => {
  const catalogue = await loadCatalogue(CATALOGUE_DIRECTORY);
  if (catalogue.kind === 'faults') throw new Error('the shipped catalogue has faults');
  const { activities, hotels } = catalogue;
  expect(activities.length).toBeGreaterThan(100);
  const listed = activities.map((activity) => ({ activity }));
  for (const activity of activities) {
    const context = { id: activity.id, present: activity, listed, hotels, nowMs: NOW_MS };
    const read = readEntry(asSent(activity), context);
    // The field order is the same too, so that the same entry has the same digest.
    expect(JSON.stringify(read)).toBe(JSON.stringify({ kind: 'valid', activity }));
  }
});

describe('an optional field of an entry', () => {
  const { id: _id, city: _city, estimated_on: _on, exclusive_to: _hotel, ...least } = sent;

  test('defaults to the existing activity', () => {
    const present = anActivity({ estimatedOn: date('2026-05-04') });
    expect(readEntry(least, { ...among, present })).toEqual({ kind: 'valid', activity: present });
  });

  test('of a new activity defaults to today at its city; the city is required', () => {
    expect(readEntry({ ...least, city: 'Krung Thep' }, among)).toEqual({
      kind: 'valid',
      activity: { ...aquarium, estimatedOn: date('2026-11-22') },
    });
    expect(readEntry(least, among)).toEqual({
      kind: 'faults',
      faults: [{ field: 'city', message: 'is missing; add it' }],
    });
  });

  test('can be null, which means missing', () => {
    expect(faultsOf({ id: null, exclusive_to: null })).toEqual([]);
  });

  test('cannot be null if it is the day of the estimate, because the service would write today', () => {
    expect(faultsOf({ estimated_on: null })).toEqual(['estimated_on must be a calendar date, "YYYY-MM-DD", not null']);
  });
});

describe('a fault is', () => {
  test('every fault of a catalogue file, with its path', () => {
    const opening = { ...(sent['opening'] as object), mon: { open: '25:00', last_entry: '17:00', close: '18:00' } };
    const { texts: _texts, ...rest } = sent;
    const read = readEntry({ ...rest, price: 5, capacity: 0, opening }, among);
    expect(read.kind === 'faults' && read.faults.map(({ field }) => field)).toEqual([
      'texts',
      'opening.mon.open',
      'capacity',
      'price',
    ]);
    expect(faultsOf({ price: 5 })).toEqual(['price must be an amount in THB from 50 to 20000, not 5']);
  });

  test('an id that differs from the path', () => {
    expect(faultsOf({ id: 'another-one' })).toEqual(['id must be "bkk-ocean-world", as in the path, or be left out']);
  });

  test("an unsupported city, or a city that differs from the existing activity's", () => {
    expect(faultsOf({ city: 'Atlantis' })[0]).toStartWith(
      'city "Atlantis" is not a supported city; use one of Bangkok, ',
    );
    expect(faultsOf({ city: 'Phuket' }, { present: aquarium })).toEqual([
      'city cannot change from Bangkok to Phuket; create an activity with another id',
    ]);
  });

  test('a hotel in another city', () => {
    expect(faultsOf({ exclusive_to: 'pier-house' })).toEqual([]);
    expect(faultsOf({ exclusive_to: 'rail-inn' })).toEqual([
      'exclusive_to "rail-inn" is not the id of a hotel of Bangkok; correct it, or add the hotel',
    ]);
  });

  test('a venue id that is used in another city, but not one used in the same city', () => {
    const elsewhere = anActivity({ id: activityId('sea-tunnel'), city: 'Singapore' });
    expect(faultsOf({}, { listed: [{ activity: elsewhere }] })).toEqual([
      'venue has the id "siam-ocean-world" of a venue in Singapore; use another id',
    ]);
    expect(faultsOf({}, { listed: [{ activity: { ...elsewhere, city: 'Bangkok' } }] })).toEqual([]);
  });
});
