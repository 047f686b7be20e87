import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { deliveriesProjection } from '../../../projections/deliveries/projection.ts';
import { type DeliveriesQuery, listDeliveries } from '../../../projections/deliveries/query.ts';
import { createTable, keyColumnsOf } from '../../../src/adapters/sqlite/read-model-collection.ts';
import { indexOf, type SqlValue, selectsOf } from '../../../src/adapters/sqlite/read-model-query.ts';
import type { Find } from '../../../src/ports/read-model-store.ts';
import { bookingId, keyId } from '../../support/examples.ts';

const ANY: DeliveriesQuery = {
  keyId: null,
  status: null,
  event: null,
  bookingId: null,
  from: '2026-08-29T03:00:00.000Z',
  to: null,
  direction: 'desc',
  limit: 20,
  after: null,
};

/** The indexes that SQLite searches for a list, and each step that scans a table or sorts. */
async function stepsOf(query: Partial<DeliveriesQuery>): Promise<string[]> {
  using db = new Database(':memory:');
  createTable(db, 'd', deliveriesProjection.indexes);
  const columns = keyColumnsOf(db, 'd');
  for (const index of deliveriesProjection.indexes) db.run(indexOf('d', index, columns));
  const finds: Find[] = [];
  const readModels = {
    async find(_: string, find: Find) {
      finds.push(find);
      return { items: [], next: null };
    },
  };
  await listDeliveries(readModels, 'd', { ...ANY, ...query });
  const plans = finds
    .flatMap((find) => selectsOf('d', find, columns))
    .flatMap(({ sql, bindings }) =>
      db.query<{ detail: string }, SqlValue[]>(`EXPLAIN QUERY PLAN ${sql}`).all(...bindings, 100),
    );
  const steps = plans.map(({ detail }) => detail).filter((detail) => /SCAN|SEARCH|TEMP/.test(detail));
  return [...new Set(steps.map((step) => /^SEARCH d USING INDEX (d\(.*?\)) /.exec(step)?.[1] ?? step))];
}

const KEY = keyId('key_1');
const NEWEST = { value: '2026-11-21T03:00:00.000Z', id: 'dlv_1' };

test.each<[Partial<DeliveriesQuery>, string]>([
  [{}, 'd(status,scheduledAt)'],
  [{ status: 'failed' }, 'd(status,scheduledAt)'],
  [{ event: 'qr_verified' }, 'd(event,status,scheduledAt)'],
  [{ event: 'qr_verified', status: 'failed', to: '2026-11-22' }, 'd(event,status,scheduledAt)'],
  [{ keyId: KEY }, 'd(keyId,status,scheduledAt)'],
  [{ keyId: KEY, status: 'retrying' }, 'd(keyId,status,scheduledAt)'],
  [{ keyId: KEY, event: 'qr_verified' }, 'd(keyId,event,status,scheduledAt)'],
  [{ keyId: KEY, event: 'qr_verified', status: 'success' }, 'd(keyId,event,status,scheduledAt)'],
  [{ bookingId: bookingId('bk_1'), keyId: KEY, status: 'success' }, 'd(bookingId,scheduledAt)'],
])('SQLite searches one index for the deliveries of %j, and sorts nothing', async (query, index) => {
  expect(await stepsOf(query)).toEqual([index]);
  expect(await stepsOf({ ...query, after: NEWEST })).toEqual([index]);
});
