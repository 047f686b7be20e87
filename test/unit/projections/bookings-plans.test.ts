import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import { type BookingsQuery, listArrivals, listBookings } from '../../../projections/bookings/query.ts';
import { createTable, keyColumnsOf } from '../../../src/adapters/sqlite/read-model-collection.ts';
import { indexOf, type SqlValue, selectsOf } from '../../../src/adapters/sqlite/read-model-query.ts';
import type { Find, ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { activityId, date, fingerprint, keyId, venueId } from '../../support/examples.ts';

const NEWEST = { value: '2026-11-21T03:00:00.000Z', id: 'bk_1' };
const ANY: BookingsQuery = {
  keyId: null,
  city: null,
  activityId: null,
  venueId: null,
  idStart: null,
  codeStart: null,
  status: null,
  mode: null,
  from: null,
  to: null,
  reference: null,
  limit: 100,
  after: null,
};

/** The steps of SQLite's plans of a list that read rows or sort them. */
function stepsOf(query: Partial<BookingsQuery>): Promise<string[]> {
  return stepsOfList((readModels) => listBookings(readModels, 'b', { ...ANY, ...query }));
}

async function stepsOfList(list: (readModels: Pick<ReadModelStore, 'find'>) => Promise<unknown>): Promise<string[]> {
  using db = new Database(':memory:');
  createTable(db, 'b', bookingsProjection.indexes);
  const columns = keyColumnsOf(db, 'b');
  for (const index of bookingsProjection.indexes) db.run(indexOf('b', index, columns));
  const finds: Find[] = [];
  const readModels = {
    async find(_: string, find: Find) {
      finds.push(find);
      return { items: [], next: null };
    },
  };
  await list(readModels);
  const plans = finds
    .flatMap((find) => selectsOf('b', find, columns))
    .flatMap(({ sql, bindings }) =>
      db.query<{ detail: string }, SqlValue[]>(`EXPLAIN QUERY PLAN ${sql}`).all(...bindings, 100),
    );
  return [...new Set(plans.map(({ detail }) => detail))].filter((detail) => /SCAN|SEARCH|TEMP/.test(detail));
}

const DAY = { from: date('2026-12-01'), to: date('2026-12-01') };
const MONTH = { from: date('2026-12-01'), to: date('2026-12-31') };
const YEAR = { from: date('2026-01-01'), to: date('2026-12-31') };
const KEY = keyId('key_1');

test.each<[Partial<BookingsQuery>, string]>([
  [{ city: 'Hanoi' }, 'SEARCH b USING INDEX b(city,createdAt) (key_city=?)'],
  [{ city: 'Hanoi', status: 'confirmed' }, 'SEARCH b USING INDEX b(city,createdAt) (key_city=?)'],
  [{ city: 'Hanoi', status: 'pending' }, 'SEARCH b USING INDEX b(status,createdAt) (key_status=?)'],
  [{ activityId: activityId('walk') }, 'SEARCH b USING INDEX b(activityId,createdAt) (key_activityId=?)'],
  [DAY, 'SEARCH b USING INDEX b(date,createdAt) (key_date=?)'],
  [MONTH, 'SEARCH b USING INDEX b(date,createdAt) (key_date=?)'],
  [{ ...MONTH, city: 'Hanoi', status: 'completed' }, 'SEARCH b USING INDEX b(date,createdAt) (key_date=?)'],
  [
    { ...MONTH, keyId: KEY, status: 'completed' },
    'SEARCH b USING INDEX b(keyId,date,createdAt) (key_keyId=? AND key_date=?)',
  ],
  [YEAR, 'SEARCH b USING INDEX b(createdAt) (key_createdAt>? AND key_createdAt<?)'],
  [
    { ...YEAR, keyId: KEY },
    'SEARCH b USING INDEX b(keyId,createdAt) (key_keyId=? AND key_createdAt>? AND key_createdAt<?)',
  ],
  [
    { keyId: KEY, status: 'completed' },
    'SEARCH b USING INDEX b(keyId,status,createdAt) (key_keyId=? AND key_status=?)',
  ],
  [{ venueId: venueId('pier') }, 'SEARCH b USING INDEX b(venueId,createdAt) (key_venueId=?)'],
  [
    { ...MONTH, venueId: venueId('pier') },
    'SEARCH b USING INDEX b(venueId,date,createdAt) (key_venueId=? AND key_date=?)',
  ],
  [{ idStart: 'bk_06gz' }, 'SEARCH b USING INDEX b(bookingId) (key_bookingId>? AND key_bookingId<?)'],
  [
    { idStart: 'bk_06gz', codeStart: 'WM-06GZ', status: 'pending' },
    'SEARCH b USING INDEX b(bookingId) (key_bookingId>? AND key_bookingId<?)',
  ],
  [{ reference: fingerprint('trip') }, 'SEARCH b USING INDEX b(reference,createdAt) (key_reference=?)'],
  [{}, 'SCAN b USING INDEX b(createdAt)'],
])('SQLite reads a list of %j in the order of one index, and sorts nothing', async (query, step) => {
  expect(await stepsOf(query)).toEqual([step]);
});

test.each<Partial<BookingsQuery>>([{ city: 'Hanoi' }, DAY, MONTH, { ...MONTH, keyId: KEY }, YEAR, {}])(
  'so it does after the cursor of a list of %j',
  async (query) => {
    const steps = await stepsOf({ ...query, after: NEWEST });
    expect(steps.filter((step) => !step.startsWith('SEARCH b USING INDEX b('))).toEqual([]);
    expect(steps.length).toBe(2);
  },
);

test.each([
  [null, ['SEARCH b USING INDEX b(venueId,date,createdAt) (key_venueId=? AND key_date=?)']],
  [
    NEWEST,
    [
      'SEARCH b USING INDEX b(venueId,date,createdAt) (key_venueId=? AND key_date=? AND key_createdAt=? AND id>?)',
      'SEARCH b USING INDEX b(venueId,date,createdAt) (key_venueId=? AND key_date=? AND key_createdAt>?)',
    ],
  ],
])('SQLite reads the arrivals of a day in the order of one index, after the cursor %j', async (after, steps) => {
  const query = { venueId: venueId('pier'), date: date('2026-12-01'), mode: 'live', limit: 100, after } as const;
  expect(await stepsOfList((readModels) => listArrivals(readModels, 'b', query))).toEqual(steps);
});
