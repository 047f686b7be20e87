import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { shownFree } from '../../support/holds.ts';
import { recorded, recordedInTime } from '../../support/log-of-service.ts';
import { NOW, openService, type Service } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';
import { type SlowStore, slowStore } from '../../support/slow-store.ts';

const RESPONSE_MS = 10_000;
/** 60 percent of the response deadline. */
const LATE_MS = 6_000;
const CLAIM_MS = 60_000;
const CAPACITY = 10;
const AGAIN = { 'idempotency-key': 'slow-1' };

let service: Service;
let store: SlowStore;

beforeEach(async () => {
  service = await openService();
  store = slowStore(service.node.stores.store);
});
afterEach(async () => {
  store.release();
  await service.stop();
});

async function bookingEvents(id: string): Promise<readonly (readonly [type: string, by: string])[]> {
  const events = await service.events();
  return events
    .filter(({ stream }) => stream === `booking-${id}`)
    .map(({ type, cause }) => [type.replace(/\.v\d+$/, ''), cause.by] as const);
}

/** A booking whose appends of a type hang until the response deadline. */
async function bookSlowly(...types: readonly string[]) {
  store.hold(...types);
  const answer = service.book({}, AGAIN);
  await store.waiting(types[0] ?? '');
  service.clock.advance(LATE_MS);
  const [last] = types.slice(-1);
  await (types.length > 1 && last !== undefined ? store.waiting(last) : recorded(service, 'BookingStarted'));
  service.clock.set(NOW + RESPONSE_MS);
  return answer;
}

async function processing(...types: readonly string[]): Promise<Booking> {
  const { data } = await bookSlowly(...types);
  return data;
}

describe('a booking that is not done by the response deadline', () => {
  test('is returned as processing, can be read, and is replayed with its present status', async () => {
    const answer = await bookSlowly('GuestRecorded');
    expect(answer.data).toMatchObject({
      status: 'processing',
      voucher: null,
      email_sent: false,
      email_sent_at: null,
      user_name: 'Ada Lovelace',
      code: null,
      cancellation: null,
    });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(answer.headers.get('x-position')).not.toBeNull();
    const { booking_id: id } = answer.data;
    const { data: read } = await service.booking(id);
    expect(read).toEqual({ ...answer.data, user_name: '[not recorded]', user_email: '[not recorded]' } as Booking);
    const again = await service.book({}, AGAIN);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data).toEqual(answer.data);
    expect((await service.book({ num_adults: 3 }, AGAIN)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await bookingEvents(id)).toEqual([['BookingStarted', expect.any(String)]]);
  });

  test('is confirmed by the same workflow, once the store recovers', async () => {
    const { booking_id: id } = await processing('GuestRecorded');
    store.release();
    await recorded(service, 'VoucherIssued');
    const { data } = await service.booking(id);
    expect(data).toMatchObject({
      status: 'confirmed',
      user_name: 'Ada Lovelace',
      voucher: { code: expect.any(String) },
    });
    const again = await service.book({}, AGAIN);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data).toEqual(data);
    const events = await bookingEvents(id);
    expect(events.map(([type]) => type)).toEqual([
      'BookingStarted',
      'BookingConfirmed',
      'ChargeRecorded',
      'VoucherIssued',
    ]);
    expect(new Set(events.map(([, by]) => by)).size).toBe(1);
    expect(await shownFree(service)).toBe(CAPACITY - 2);
  });

  test('is not started while it is in time, nor without a claim', async () => {
    store.hold('GuestRecorded');
    const inTime = service.book({}, AGAIN);
    await store.waiting('GuestRecorded');
    service.clock.advance(LATE_MS - 1);
    store.release();
    const { data } = await inTime;
    expect(data.status).toBe('confirmed');
    expect((await bookingEvents(data.booking_id)).map(([type]) => type)).not.toContain('BookingStarted');
    store.hold('SlotsClaimed');
    const without = service.book({ num_adults: 1 });
    await store.waiting('SlotsClaimed');
    service.clock.advance(RESPONSE_MS);
    const { refusal } = await without;
    expect([refusal.status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    store.release();
    const events = await service.events();
    expect(events.filter(({ type }) => type.startsWith('BookingStarted'))).toEqual([]);
  });

  test('is SERVICE_UNAVAILABLE if the start was not stored in time, and is still finished', async () => {
    const { refusal } = await bookSlowly('GuestRecorded', 'BookingStarted');
    expect([refusal.status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    store.release();
    await recorded(service, 'BookingStarted');
    const { data } = await service.book({}, AGAIN);
    expect(data.status).toBe('processing');
    const confirmed = await recordedInTime(service, 'BookingConfirmed');
    expect(confirmed.cause.by).toBe('booking-deadlines');
    expect((await service.booking(data.booking_id)).data.status).toBe('confirmed');
  });
});

describe('a process that ends in the middle of a booking', () => {
  test('after the guest was recorded: the booking is confirmed later, and charged once', async () => {
    const { booking_id: id } = await processing('GuestRecorded');
    store.hold('BookingConfirmed');
    await store.waiting('BookingConfirmed');
    store.lose();
    await service.restart();
    service.clock.set(NOW + CLAIM_MS - 1);
    expect((await service.booking(id)).data.status).toBe('processing');
    await recordedInTime(service, 'VoucherIssued');
    const { status, user_name: name, voucher } = (await service.booking(id)).data as Booking & { user_name: string };
    const { code } = voucher;
    expect([status, name]).toEqual(['confirmed', 'Ada Lovelace']);
    expect(code).toMatch(/^WM-[0-9A-Z]{20}-[0-9A-Z]{26}$/);
    expect((await service.send(`/api/vouchers/${code}`)).status).toBe(200);
    const events = await bookingEvents(id);
    expect(events.slice(1)).toEqual([
      ['BookingConfirmed', 'booking-deadlines'],
      ['ChargeRecorded', 'booking-deadlines'],
      ['VoucherIssued', 'booking-deadlines'],
    ]);
    expect(await shownFree(service)).toBe(CAPACITY - 2);
  });

  test('before the guest was recorded: the booking is rejected later, and its slots are released', async () => {
    const { booking_id: id } = await processing('GuestRecorded');
    expect(await shownFree(service)).toBe(CAPACITY - 2);
    store.lose();
    await service.restart();
    service.clock.set(NOW + CLAIM_MS - 1);
    expect((await service.booking(id)).data.status).toBe('processing');
    await recordedInTime(service, 'BookingRejected');
    await recordedInTime(service, 'SlotsReleased');
    const { data } = await service.booking(id);
    expect(data).toMatchObject({
      status: 'rejected',
      code: 'SERVICE_UNAVAILABLE',
      voucher: null,
      cancellation: { reason: 'system', refund_status: 'none', refund_amount: 0, currency: 'THB' },
    });
    expect((await service.book({}, AGAIN)).data).toMatchObject({ booking_id: id, status: 'rejected' });
    expect(await shownFree(service)).toBe(CAPACITY);
    expect((await bookingEvents(id)).map(([type]) => type)).toEqual(['BookingStarted', 'BookingRejected']);
  });
});
