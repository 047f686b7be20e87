import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { createApp } from '../../../src/http/app.ts';
import {
  cancelDate,
  cancellationOf,
  type DateCancellation,
  eventsOfBooking,
  finishedCancellation,
} from '../../support/cancelled-dates.ts';
import { hold, shownFree } from '../../support/holds.ts';
import { headOf } from '../../support/log-of-service.ts';
import { modify } from '../../support/modifications.ts';
import { createOperator } from '../../support/operators.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';

type Statement = AnswerOf<'get /api/keys/self/statement'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

const AT = new Date(NOW).toISOString();
const UNTOUCHED: DateCancellation = {
  activity_id: 'river-walk',
  date: TOMORROW,
  reason: 'weather',
  status: 'finished',
  bookings: 0,
  cancelled: 0,
  visited: 0,
  gone: 0,
  pending: 0,
  left: [],
  guests: 0,
  holds: 0,
  refund_amount: 0,
  currency: 'THB',
  started_at: AT,
  finished_at: AT,
  reopened: false,
};

describe('an operator cancels a date', () => {
  test('every booking is cancelled once and refunded in full, whatever its policy says; the holds are released', async () => {
    // Tomorrow morning the policy would keep a part.
    const [one, two] = [await service.book(), await service.book({ num_adults: 3 })];
    const held = await hold(service, { num_adults: 1 });
    service.clock.advance(HOUR_MS / 12);
    const { data, status } = await cancelDate(service, { reason: 'weather' });
    expect([status, data.bookings, data.guests, data.holds]).toEqual([200, 2, 5, 1]);
    const done = await finishedCancellation(service);
    expect(done).toEqual({
      ...UNTOUCHED,
      bookings: 2,
      cancelled: 2,
      guests: 5,
      holds: 1,
      refund_amount: 602.5,
      started_at: new Date(NOW + HOUR_MS / 12).toISOString(),
      finished_at: expect.any(String),
    });
    for (const [{ data: booked }, refundMinor] of [[one, 24_100] as const, [two, 36_150] as const]) {
      const events = await eventsOfBooking(service, booked.booking_id);
      expect(events.map(({ type }) => type)).toEqual([
        'BookingConfirmed',
        'ChargeRecorded',
        'VoucherIssued',
        'BookingCancelled',
        'RefundRecorded',
      ]);
      expect(events[3]).toMatchObject({ by: 'admin', data: { reason: 'weather', by: 'operator', refundMinor } });
      expect((await service.booking(booked.booking_id)).data.status).toBe('cancelled');
    }
    const used = await service.book({ hold_id: held.data.hold_id, num_adults: 1 });
    expect(used.refusal.code).toBe('HOLD_EXPIRED');
    expect(await shownFree(service)).toBe(0);
  });

  test('statement, inventory and webhooks show the same as for a single cancellation', async () => {
    const booked = await service.book();
    await cancelDate(service);
    await finishedCancellation(service);
    const headers = { ...service.key, 'x-position': await headOf(service) };
    const { data } = await service.get<Statement>('/api/keys/self/statement?month=2026-11', headers);
    expect(data.items.map(({ type, amount, booking_id: id }) => [type, amount, id])).toEqual([
      ['charge', 241, booked.data.booking_id],
      ['refund', 241, booked.data.booking_id],
    ]);
    const allotment = await service.get<{ taken: number; held: number; capacity: number }>(
      `/api/activities/river-walk/allotments/${TOMORROW}`,
      service.admin,
    );
    expect(allotment.data).toMatchObject({ capacity: 0, capacity_by: 'operator', taken: 0, held: 0, free: 0 });
    const feed = await service.get<AnswerOf<'get /api/b2a/events'>>('/api/b2a/events', headers);
    expect<object | undefined>(feed.data.items.find(({ event }) => event === 'booking_cancelled')).toMatchObject({
      data: { booking_id: booked.data.booking_id, reason: 'weather', refund_amount: 241 },
    });
  });

  test('names the operator who did it', async () => {
    const operator = await createOperator(service, 'support');
    const booked = await service.book();
    expect((await cancelDate(service, {}, { headers: operator.headers })).status).toBe(200);
    await finishedCancellation(service);
    const shown = await service.get<{ cancelled_by: string }>(`/api/bookings/${booked.data.booking_id}`, service.admin);
    expect(shown.data.cancelled_by).toBe(operator.id);
  });

  test('a booking on request is cancelled without a charge, and the venue cannot confirm it after the closing', async () => {
    const kitchen = { activity: 'village-kitchen' };
    const asked = await service.book({ activity_id: 'village-kitchen' });
    const id = asked.data.booking_id;
    await cancelDate(service, { reason: 'venue_unavailable' }, kitchen);
    const confirmed = await service.post(`/api/bookings/${id}/confirm`, {}, service.admin);
    expect(confirmed.refusal.code).toBe('BOOKING_NOT_MODIFIABLE');
    const done = await finishedCancellation(service, kitchen);
    expect([done.cancelled, done.refund_amount, done.currency]).toEqual([1, 0, 'IDR']);
    const events = await eventsOfBooking(service, id);
    expect(events.map(({ type }) => type)).toEqual(['BookingPlacedOnRequest', 'BookingCancelled']);
  });

  test('bookings that were visited are left and listed', async () => {
    const [visited, other] = [await service.book({ booking_date: TODAY }), await service.book({ booking_date: TODAY })];
    await service.verify({ code: visited.data.voucher.code }, service.gates.pier);
    await cancelDate(service, {}, { date: TODAY });
    const done = await finishedCancellation(service, { date: TODAY });
    expect([done.bookings, done.cancelled, done.visited, done.left]).toEqual([
      2,
      1,
      1,
      [{ booking_id: visited.data.booking_id, because: 'visited' }],
    ]);
    expect((await service.booking(visited.data.booking_id)).data.status).toBe('completed');
    expect((await service.booking(other.data.booking_id)).data.status).toBe('cancelled');
  });

  test('a date without bookings is closed too', async () => {
    await cancelDate(service);
    expect(await finishedCancellation(service)).toEqual({ ...UNTOUCHED, finished_at: expect.any(String) });
    expect((await service.book()).refusal.code).toBe('INVENTORY_EXHAUSTED');
  });

  test('test bookings stay, and no further one is made', async () => {
    const developer = withKey((await service.createKey({ mode: 'test' })).key);
    const booked = await service.book({}, developer);
    await cancelDate(service);
    expect((await finishedCancellation(service)).bookings).toBe(0);
    expect((await service.booking(booked.data.booking_id, developer)).data.status).toBe('confirmed');
    expect((await service.book({}, developer)).refusal.code).toBe('INVENTORY_EXHAUSTED');
  });

  test('bookings of other dates and activities stay', async () => {
    const others = [await service.book({ booking_date: TODAY }), await service.book({ activity_id: 'paper-museum' })];
    await cancelDate(service);
    await finishedCancellation(service);
    for (const { data } of others) expect((await service.booking(data.booking_id)).data.status).toBe('confirmed');
  });
});

describe('once a date is closed', () => {
  test('nobody books, holds or moves there, and no hold made before is used', async () => {
    const elsewhere = await service.book({ booking_date: TODAY });
    const held = await hold(service);
    await cancelDate(service);
    const codes = [
      (await service.book()).refusal.code,
      (await hold(service)).refusal.code,
      (await modify(service, elsewhere.data, { booking_date: TOMORROW })).refusal.code,
      (await service.book({ hold_id: held.data.hold_id })).refusal.code,
    ];
    expect(codes.slice(0, 3)).toEqual(['INVENTORY_EXHAUSTED', 'INVENTORY_EXHAUSTED', 'INVENTORY_EXHAUSTED']);
    // Before the process manager has released the hold, or after.
    expect(['INVENTORY_EXHAUSTED', 'HOLD_EXPIRED']).toContain(codes[3] as string);
  });

  test('an operator opens it again with a capacity, when the cancellation has finished', async () => {
    await service.book();
    await cancelDate(service);
    await finishedCancellation(service);
    const opened = await service.put<{ capacity: number }>(
      `/api/activities/river-walk/allotments/${TOMORROW}`,
      { capacity: null },
      service.admin,
    );
    expect(opened.data.capacity).toBe(10);
    expect((await cancellationOf(service)).data.reopened).toBe(true);
    expect((await service.book()).data.status).toBe('confirmed');
  });
});

describe('a repeated request', () => {
  const repeated = { headers: { 'idempotency-key': 'storm-1' } };

  test('cancels nothing twice, also after the date was opened again', async () => {
    await service.book();
    await cancelDate(service, {}, repeated);
    const done = await finishedCancellation(service);
    const again = await cancelDate(service, {}, repeated);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([done, 'true']);
    await service.put(`/api/activities/river-walk/allotments/${TOMORROW}`, { capacity: null }, service.admin);
    const booked = await service.book();
    expect((await cancelDate(service, {}, repeated)).data).toEqual({ ...done, reopened: true });
    expect((await service.booking(booked.data.booking_id)).data.status).toBe('confirmed');
  });

  test('with another body is refused', async () => {
    await cancelDate(service, {}, repeated);
    expect((await cancelDate(service, { reason: 'system' }, repeated)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('without a key answers with the cancellation that stands', async () => {
    const first = await cancelDate(service);
    const second = await cancelDate(service, { reason: 'system' });
    expect([second.data.reason, second.data.started_at]).toEqual(['weather', first.data.started_at]);
  });
});

describe('a dry run', () => {
  test('waits for the bookings up to the position that the caller sends', async () => {
    const waited: string[] = [];
    const waitFor = async (projection: string) => waited.push(projection) > 0;
    const app = createApp({ ...service.node.context, waitFor });
    const headers = { ...service.admin, 'content-type': 'application/json', 'x-position': await headOf(service) };
    const url = `http://localhost/api/activities/river-walk/allotments/${TODAY}/cancel`;
    await app.handle(new Request(url, { method: 'POST', headers, body: '{"dry_run":true}' }));
    expect(waited).toEqual(['bookings']);
  });

  test('says what would happen, and writes nothing', async () => {
    await service.book({ booking_date: TODAY, num_adults: 1 });
    const visited = await service.book({ booking_date: TODAY });
    await service.verify({ code: visited.data.voucher.code }, service.gates.pier);
    await hold(service, { booking_date: TODAY });
    const head = await headOf(service);
    await service.documents('bookings');
    const quote = await cancelDate(service, { dry_run: true, reason: 'system' }, { date: TODAY });
    expect<object>(quote.data).toEqual({
      dry_run: true,
      activity_id: 'river-walk',
      date: TODAY,
      reason: 'system',
      bookings: 1,
      guests: 1,
      visited: 1,
      holds: 1,
      refund_amount: 120.5,
      currency: 'THB',
    });
    // The process managers still work on the booking and the visit.
    const after = (await service.events()).filter(({ stream }) => stream.startsWith('allotment-'));
    expect(after.every(({ position }) => service.node.stores.store.positions.format(position) <= head)).toBe(true);
    expect((await cancellationOf(service, { date: TODAY })).refusal).toEqual(
      refused(404, 'NOT_FOUND', `river-walk was never cancelled on ${TODAY}.`),
    );
  });
});
