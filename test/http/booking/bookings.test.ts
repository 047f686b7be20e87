import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const notFound = (id: string) =>
  refused(404, 'BOOKING_NOT_FOUND', `booking_id "${id}" does not exist among this key's bookings; check the id.`);

test('a booking is returned as it was made, also after a restart', async () => {
  await using own = await openService();
  const { data } = await own.book(
    { num_children: 2, special_requests: 'Two high chairs.' },
    { 'accept-language': 'ko' },
  );
  expect((await own.booking(data.booking_id)).data).toEqual(data);
  await own.restart();
  expect((await own.booking(data.booking_id, { 'accept-language': 'en' })).data).toEqual(data);
});

test('a booking is completed once its visit is verified, and nothing else changes', async () => {
  const { data } = await service.book({ booking_date: TODAY });
  const scan = await service.verify({ code: data.voucher.code });
  const visit = { verified_at: scan.data.verified_at, disputed: false };
  expect((await service.booking(data.booking_id)).data).toEqual({ ...data, status: 'completed', visit });
});

test('a booking can be read after its date', async () => {
  await using own = await openService();
  const { data } = await own.book({ booking_date: TODAY });
  own.clock.advance(400 * 86_400_000);
  expect((await own.booking(data.booking_id)).data).toEqual(data);
});

test('another key’s booking is not found', async () => {
  const { data } = await service.book();
  const other = withKey((await service.createKey({ name: 'Another agent' })).key);
  const id = data.booking_id;
  expect((await service.booking(id, other)).refusal).toEqual(notFound(id));
  expect((await service.booking('bk_0123456789abcdefghjk', other)).refusal).toEqual(
    notFound('bk_0123456789abcdefghjk'),
  );
});

test('two bookings of one stream of bookings are told apart', async () => {
  const [one, two] = await Promise.all([service.book({ num_adults: 1 }), service.book({ num_adults: 2 })]);
  expect((await service.booking(one.data.booking_id)).data).toEqual(one.data);
  expect((await service.booking(two.data.booking_id)).data).toEqual(two.data);
});

test.each([
  'bk_0123456789abcdefghjk',
  'bk_',
  'bk_0123456789ABCDEFGHJK',
  'bk_0123456789abcdefghju',
  'WM-0',
  '../keys',
  "' or 1=1",
])('an invalid id is BOOKING_NOT_FOUND: %s', async (id) => {
  expect((await service.booking(encodeURIComponent(id))).refusal).toEqual(notFound(id));
});
