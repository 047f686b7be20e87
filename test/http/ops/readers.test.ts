import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PROJECTIONS } from '../../../projections/index.ts';
import { PROCESS_MANAGERS } from '../../../src/app/process-managers.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Readers = AnswerOf<'get /api/ops/readers'>;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

test('readers are all projections and process managers, with the age of the oldest event that waits', async () => {
  await service.book();
  await service.documents('bookings');
  service.clock.advance(90_000);
  const { positions, head } = service.node.stores.store;
  // Process managers store their checkpoints at any time.
  const before = await head();
  const { data } = await service.get<Readers>('/api/ops/readers', service.analyst);
  const after = await head();
  const kinds = Map.groupBy(data.items, ({ kind }) => kind);
  expect(kinds.get('projection')?.map(({ projection }) => projection)).toEqual(PROJECTIONS.map(({ name }) => name));
  expect(kinds.get('process_manager')?.map(({ reader }) => reader)).toEqual(PROCESS_MANAGERS.map(({ name }) => name));
  expect(data.head >= positions.format(before) && data.head <= positions.format(after)).toBe(true);
  const bookings = data.items.find(({ projection }) => projection === 'bookings');
  expect([bookings?.lag_seconds, bookings?.parked]).toEqual([0, 0]);
  // No mail is sent in this service: the voucher's waits since the booking.
  const mailer = data.items.find(({ reader }) => reader === 'voucher-mailer');
  expect(mailer?.lag_seconds).toBe(90);
});

test('with embedded stores one node does everything, without leases', async () => {
  const { data } = await service.get<AnswerOf<'get /api/ops/leases'>>('/api/ops/leases', service.analyst);
  expect([data.this_node.node, data.items]).toEqual([null, []]);
  expect([...data.this_node.roles].sort()).toEqual(['api', 'deliverer', 'projector']);
});
