import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { headOf } from '../../support/log-of-service.ts';
import { eventsOf, modify, quote } from '../../support/modifications.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { Answer, AnswerOf, Booking } from '../../support/service-answers.ts';
import { keyWithLimits } from '../../support/spending.ts';
import { testKey } from '../../support/test-mode.ts';

type Cancelled = AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>;
type Feed = AnswerOf<'get /api/b2a/events'>;

/** The policy is free until 24 hours before opening, then keeps half. That is over for tomorrow. */
const LATE = TOMORROW;
const FREE = '2026-11-25';
const FAR = '2026-12-10';
const DEAL_ENDS = '2026-11-21T05:00:00.000Z';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** An operator's price of the river walk. */
async function setPrice(date: string, price: number, activity = 'river-walk'): Promise<void> {
  expect((await service.put(`/api/activities/${activity}/allotments/${date}`, { price }, service.admin)).status).toBe(
    200,
  );
}

function cancel(id: string, body: object = {}, headers = service.key): Promise<Answer<Cancelled>> {
  return service.post(`/api/b2a/bookings/${id}/cancel`, body, headers);
}

/** Charges and refunds (negative) of a booking, oldest first. */
async function account(booking: Pick<Booking, 'booking_id'>): Promise<readonly number[]> {
  return (await eventsOf(service, booking)).flatMap(({ type, data }) => {
    const { amountMinor } = data as { readonly amountMinor: number };
    if (type.startsWith('ChargeRecorded')) return [amountMinor / 100];
    return type.startsWith('RefundRecorded') ? [-amountMinor / 100] : [];
  });
}

describe('fees cannot be evaded', () => {
  test('by a move of a booking that is no longer free to a far date, and a free cancellation there', async () => {
    const { data: booking } = await service.book({ booking_date: LATE });
    expect((await cancel(booking.booking_id, { dry_run: true })).data.refund_amount).toBe(120.5);
    const { data: moved } = await modify(service, booking, { booking_date: FAR });
    expect(moved.new_pricing).toMatchObject({ total: 241, retained: 120.5 });
    expect((await cancel(booking.booking_id, { dry_run: true })).data.refund_amount).toBe(120.5);
    expect((await cancel(booking.booking_id)).data.refund_amount).toBe(120.5);
  });

  test('by growing from 1 guest to 30 at the price of a deal that has ended', async () => {
    const deal = { flash_deal: { discount_percent: 40, expires_at: DEAL_ENDS } };
    await service.put(`/api/activities/night-market/allotments/${TODAY}`, deal, service.admin);
    const wish = { activity_id: 'night-market', booking_date: TODAY, num_adults: 1 };
    const { data: booking } = await service.book(wish);
    expect(booking.pricing.total).toBe(210);
    service.clock.set(Date.parse(DEAL_ENDS));
    const { data } = await modify(service, booking, { num_adults: 20, num_children: 10 });
    expect(data.new_pricing).toMatchObject({
      unit_price: 350,
      total_guests: 30,
      subtotal: 10_500,
      discount: 140,
      total: 10_360,
      lines: [
        { guests: 1, unit_price: 350, price: 210 },
        { guests: 29, unit_price: 350, price: 350 },
      ],
    });
  });

  test('by growing at a price that was raised since', async () => {
    const { data: booking } = await service.book({ booking_date: FREE, num_adults: 1 });
    await setPrice(FREE, 500);
    const { data } = await modify(service, booking, { num_adults: 9 });
    expect(data.new_pricing).toMatchObject({ unit_price: 120.5, total: 4_120.5 });
    expect(await account(booking)).toEqual([120.5, 4_000]);
  });
});

test('guests who leave are the last added; a line that is empty is gone', async () => {
  const { data: booking } = await service.book({ booking_date: FREE, num_adults: 2 });
  const grow = async (price: number, num_adults: number) => {
    await setPrice(FREE, price);
    return (await modify(service, booking, { num_adults })).data.pricing;
  };
  await grow(130, 4);
  expect((await grow(130, 5)).lines).toEqual([
    { guests: 2, unit_price: 120.5, price: 120.5 },
    { guests: 3, unit_price: 130, price: 130 },
  ]);
  expect((await grow(120.5, 6)).lines).toEqual([
    { guests: 2, unit_price: 120.5, price: 120.5 },
    { guests: 3, unit_price: 130, price: 130 },
    { guests: 1, unit_price: 120.5, price: 120.5 },
  ]);
  const { data: fewer } = await modify(service, booking, { num_adults: 3 });
  expect(fewer.pricing).toMatchObject({
    unit_price: 120.5,
    total: 371,
    lines: [
      { guests: 2, unit_price: 120.5, price: 120.5 },
      { guests: 1, unit_price: 130, price: 130 },
    ],
  });
  const { data: first } = await modify(service, booking, { num_adults: 1 });
  expect<object>(first.pricing).toEqual({
    unit_price: 120.5,
    total_guests: 1,
    subtotal: 120.5,
    discount: 0,
    total: 120.5,
    currency: 'THB',
  });
});

test('a change of the guest’s data alone, or of the mix of the party, changes no price and retains nothing', async () => {
  const { data: booking } = await service.book({ booking_date: LATE });
  const body = { num_adults: 1, num_children: 1, user_name: 'Augusta King' };
  expect<object>((await modify(service, booking, body)).data.pricing).toEqual(booking.pricing);
});

test.each(['venue_unavailable', 'weather', 'system'])(
  'a cancellation for %s refunds what was retained too',
  async (reason) => {
    const { data: booking } = await service.book({ booking_date: LATE });
    await modify(service, booking, { booking_date: FAR });
    const path = `/api/bookings/${booking.booking_id}/cancel`;
    expect((await service.post<Cancelled>(path, { reason }, service.admin)).data.refund_amount).toBe(241);
  },
);

test('a pending booking retains nothing, and is charged the sum of its lines when the venue confirms', async () => {
  const wish = { activity_id: 'village-kitchen', booking_date: LATE, num_adults: 1 };
  const { data: booking } = await service.book(wish);
  await setPrice(LATE, 600_000, 'village-kitchen');
  const { data } = await modify(service, booking, { num_adults: 2 });
  const pricing = {
    unit_price: 450_000,
    subtotal: 1_050_000,
    discount: 0,
    total: 1_050_000,
    currency: 'IDR',
    lines: [
      { guests: 1, unit_price: 450_000, price: 450_000 },
      { guests: 1, unit_price: 600_000, price: 600_000 },
    ],
  };
  expect<object>(data.pricing).toEqual({ ...pricing, total_guests: 2 });
  await service.post(`/api/bookings/${booking.booking_id}/confirm`, {}, service.admin);
  expect(await account(booking)).toEqual([1_050_000]);
  const headers = { ...service.key, 'x-position': await headOf(service) };
  const { items } = (await service.get<Feed>('/api/b2a/events', headers)).data;
  const prices = items.map(({ event, data: told }) => [
    event,
    'new_pricing' in told ? told.new_pricing : 'pricing' in told ? told.pricing : null,
  ]);
  expect(prices).toEqual([
    ['booking_modified', pricing],
    ['booking_confirmed', pricing],
  ]);
});

test('booking_modified and the list have lines and the retained amount', async () => {
  const { data: booking } = await service.book({ booking_date: LATE });
  await setPrice(LATE, 200);
  const { data } = await modify(service, booking, { num_adults: 3 });
  const { total_guests: guests, ...told } = data.pricing;
  expect(told).toMatchObject({ retained: 120.5, lines: [{ guests: 2 }, { guests: 1, price: 200 }] });
  const headers = { ...service.key, 'x-position': await headOf(service) };
  const { items } = (await service.get<Feed>('/api/b2a/events', headers)).data;
  expect(items.at(-1)?.data).toMatchObject({ new_pricing: told });
  const { data: list } = await service.get<AnswerOf<'get /api/b2a/bookings'>>('/api/b2a/bookings', headers);
  expect(list.items.map(({ pricing }) => pricing)).toEqual([{ ...told, total_guests: guests }]);
});

test('expected_total is compared with the sum of the lines, before slots are taken', async () => {
  const { data: booking } = await service.book({ booking_date: FREE });
  await setPrice(FREE, 200);
  for (const send of [quote, modify]) {
    const { refusal } = await send(service, booking, { num_adults: 3, expected_total: 361.5 });
    expect([refusal.code, refusal.alternatives]).toEqual(['PRICE_CHANGED', [{ total: 441, currency: 'THB' }]]);
  }
  const { data } = await modify(service, booking, { num_adults: 3, expected_total: 441 });
  expect(data.pricing.total).toBe(441);
  const { refusal } = await modify(service, booking, { num_adults: 2, expected_total: 400 });
  expect(refusal.alternatives).toEqual([{ total: 241, currency: 'THB' }]);
  expect((await modify(service, booking, { num_adults: 2, expected_total: 241 })).status).toBe(200);
});

test('a limit on spending counts added guests at the present price', async () => {
  const key = await keyWithLimits(service, { day_total: 600 });
  const { data: booking } = await service.book({ booking_date: FREE }, key);
  await setPrice(FREE, 200);
  const grow = (num_adults: number) =>
    service.post<Booking>(`/api/b2a/bookings/${booking.booking_id}/modify`, { num_adults }, key);
  expect((await grow(4)).refusal.code).toBe('SPENDING_LIMIT');
  expect((await grow(3)).data.pricing.total).toBe(441);
});

test('a test booking follows the same rules, and no statement shows it', async () => {
  const key = await testKey(service);
  const { data: booking } = await service.book({ booking_date: LATE }, key);
  await service.post(`/api/b2a/bookings/${booking.booking_id}/modify`, { booking_date: FAR }, key);
  expect((await cancel(booking.booking_id, {}, key)).data.refund_amount).toBe(120.5);
  const headers = { ...key, 'x-position': await headOf(service) };
  const { data } = await service.get<AnswerOf<'get /api/keys/self/statement'>>('/api/keys/self/statement', headers);
  expect([data.items, data.totals]).toEqual([[], []]);
});
