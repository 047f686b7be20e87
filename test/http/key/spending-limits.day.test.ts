import { beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { spendingIdOf } from '../../../src/domain/spending/spending.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { allotment, bookingId, claimId, keyId } from '../../support/examples.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { type Credentials, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';
import { keyWithLimits, LATER, type Own, recountOf, usedBy, WALK } from '../../support/spending.ts';

const MIDNIGHT = '2026-11-22T00:00:00.000Z';

/** Lets the background work run until the key's use is this. */
async function untilUsed(at: Service, headers: Credentials, use: number): Promise<void> {
  while ((await usedBy(at, headers)) !== use) {
    at.clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

function overDay(use: number, bound = 500, wanted = WALK) {
  const message = `This booking would add ${wanted} THB to the ${use} THB that this API key has spent today, but it may spend ${bound} THB a day; choose fewer guests or a cheaper activity, or book after ${MIDNIGHT}.`;
  const details = `limit: day_total; use: ${use} THB; bound: ${bound} THB; eases: ${MIDNIGHT}, or when a booking of today is refunded`;
  return refused(403, 'SPENDING_LIMIT', message, { details, resolution: 'choose_other' });
}

describe('limits.day_total', () => {
  let own: Service;
  let key: Credentials & { readonly id: string };
  beforeEach(async () => {
    own = await openService();
    key = await keyWithLimits(own, { day_total: 500 });
    return () => own.stop();
  });

  const book = (change: object = {}, headers: Credentials = {}) =>
    own.book({ booking_date: LATER, ...change }, { ...key, ...headers });
  const cancel = (id: string) => own.post(`/api/b2a/bookings/${id}/cancel`, {}, key);
  const modify = (id: string, change: object) => own.post(`/api/b2a/bookings/${id}/modify`, change, key);

  test('refuses what exceeds it, also as a dry run, until the next day in UTC', async () => {
    await book();
    await book();
    expect(await usedBy(own, key)).toBe(2 * WALK);
    const before = (await own.events()).length;
    expect((await book()).refusal).toEqual(overDay(482));
    expect((await book({ dry_run: true })).refusal).toEqual(overDay(482));
    expect((await own.events()).length).toBe(before);
    await own.restart();
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.set(Date.parse(MIDNIGHT) - 1);
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.set(Date.parse(MIDNIGHT));
    expect(await usedBy(own, key)).toBe(0);
    expect((await book()).status).toBe(200);
  });

  test('is shown with its use', async () => {
    await book();
    const { data } = await own.get<Own>('/api/keys/self', key);
    expect(data.spending).toEqual({ today: { used: WALK, limit: 500, currency: 'THB', resets_at: MIDNIGHT } });
    expect((await own.get<Own>('/api/keys/self', own.key)).data.spending).toBeNull();
  });

  test('adds up currencies, each rounded up', async () => {
    key = await keyWithLimits(own, { day_total: 2_253.08 });
    await book();
    expect((await book({ activity_id: 'sea-tunnel' })).status).toBe(200);
    expect(await usedBy(own, key)).toBe(2_253.08);
    const less = await keyWithLimits(own, { day_total: 2_253.07 });
    await book({}, less);
    expect((await book({ activity_id: 'sea-tunnel' }, less)).refusal).toEqual(overDay(WALK, 2_253.07, 2_012.08));
  });

  test('counts a repeated request once, and a rotated key as the same', async () => {
    const again = { 'idempotency-key': 'one' };
    const first = await book({}, again);
    const { data } = await own.post<{ key: string }>(`/api/keys/${key.id}/rotate`, {}, own.admin);
    const rotated = { ...key, ...withKey(data.key) };
    const second = await own.book({ booking_date: LATER }, { ...rotated, ...again });
    expect(second.data).toEqual(first.data);
    expect(await usedBy(own, rotated)).toBe(WALK);
    await own.book({ booking_date: LATER }, rotated);
    expect((await own.book({ booking_date: LATER }, rotated)).refusal).toEqual(overDay(482));
  });

  test('is not touched by a hold; its booking counts', async () => {
    const wish = { activity_id: 'river-walk', booking_date: LATER, num_adults: 2 };
    const held = await own.post<{ hold_id: string }>('/api/b2a/holds', wish, key);
    expect(await usedBy(own, key)).toBe(0);
    await book({ hold_id: held.data.hold_id });
    expect(await usedBy(own, key)).toBe(WALK);
  });

  test('eases at once by what a cancellation refunds', async () => {
    const [free, kept] = [await book(), await book({ booking_date: TOMORROW })];
    expect(await usedBy(own, key)).toBe(482);
    await cancel(free.data.booking_id);
    expect(await usedBy(own, key)).toBe(WALK);
    const { data } = await own.post<{ refund_amount: number }>(
      `/api/b2a/bookings/${kept.data.booking_id}/cancel`,
      {},
      key,
    );
    expect(data.refund_amount).toBeLessThan(WALK);
    expect(await usedBy(own, key)).toBe(WALK - data.refund_amount);
  });

  test('does not ease by the cancellation of an earlier day’s booking', async () => {
    const { data } = await book();
    own.clock.advance(DAY_MS);
    await book();
    await cancel(data.booking_id);
    expect(await usedBy(own, key)).toBe(WALK);
  });

  test('counts what a change adds, refuses what it does not allow, and eases by what it refunds', async () => {
    const { data } = await book();
    const three = await modify(data.booking_id, { num_adults: 4 });
    expect([three.status, await usedBy(own, key)]).toEqual([200, 482]);
    const tooMany = overDay(482, 500, 120.5);
    expect((await modify(data.booking_id, { num_adults: 5, dry_run: true })).refusal).toEqual(tooMany);
    expect((await modify(data.booking_id, { num_adults: 5 })).refusal).toEqual(tooMany);
    await modify(data.booking_id, { num_adults: 1 });
    expect(await usedBy(own, key)).toBe(120.5);
  });

  test('returns the amount of a booking that found no slots', async () => {
    key = await keyWithLimits(own, { day_total: 5_000 });
    await book({ num_adults: 9 });
    expect((await book({ num_adults: 2 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect((await book({ num_adults: 2 }, { 'idempotency-key': 'x' })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect(await usedBy(own, key)).toBe(9 * 120.5);
  });

  test('counts a booking on request until the venue rejects it or does not answer', async () => {
    key = await keyWithLimits(own, { day_total: 5_000 });
    const kitchen = { activity_id: 'village-kitchen' };
    const [one, two] = [await book(kitchen), await book(kitchen)];
    // 900,000 IDR are 1,751.351… THB; the sum is rounded up.
    expect(await usedBy(own, key)).toBe(3_502.71);
    await own.post(`/api/bookings/${one.data.booking_id}/reject`, {}, own.admin);
    expect(await usedBy(own, key)).toBe(1_751.36);
    own.clock.advance(60_000);
    await own.post(`/api/bookings/${two.data.booking_id}/reject`, { reason: 'system' }, own.admin);
    expect(await usedBy(own, key)).toBe(0);
  });

  test('is rounded once in a dry run, as in the booking', async () => {
    // Two bookings of 1,751.351… THB add up to 3,502.702… THB.
    key = await keyWithLimits(own, { day_total: 3_502.71 });
    const kitchen = { activity_id: 'village-kitchen' };
    await book(kitchen);
    expect((await book({ ...kitchen, dry_run: true })).status).toBe(200);
    expect((await book(kitchen)).status).toBe(200);
  });

  test('is eased later if a cancelled booking cannot be read again at once', async () => {
    const { data } = await book();
    const { store } = own.node.context.spending;
    const readStream = store.read.bind(store);
    // The actors read their streams from a revision on; only the history is read as a whole.
    const read = spyOn(store, 'read').mockImplementation(async (stream, ...range) => {
      if (range.length === 0) throw new StoreUnavailable('event store', 'no answer');
      return readStream(stream, ...range);
    });
    expect((await cancel(data.booking_id)).status).toBe(200);
    expect(read.mock.calls).toContainEqual([`booking-${data.booking_id}`]);
    read.mockRestore();
    expect(await usedBy(own, key)).toBe(WALK);
    await untilUsed(own, key, 0);
  });

  test('gets back what a crashed request reserved, after its deadline', async () => {
    const { streams, clock } = own.node.context;
    const at = new Date(clock.nowMs()).toISOString();
    const reserve = {
      type: 'Reserve',
      booking: bookingId('bk_0123456789abcdefghjk'),
      claim: claimId('bk_0123456789abcdefghjk.1'),
      allotment: allotment(`river-walk-${LATER}`),
      amountMinor: 48_200,
      currency: 'THB',
      exact: false,
      bound: { amountMinor: 50_000, currency: 'THB' },
      rates: own.node.context.spending.exchangeRates(),
      deadlineMs: clock.nowMs() + 30_000,
      at,
    } as const;
    const id = spendingIdOf(keyId(key.id), at);
    await streams.spendings.handle(id, reserve, SOME_CAUSE, Number.POSITIVE_INFINITY);
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.advance(29_000);
    await new Promise(setImmediate);
    expect((await book()).refusal).toEqual(overDay(482));
    await own.restart();
    await untilUsed(own, key, 0);
    expect((await book()).status).toBe(200);
  });

  test('is exact under 64 bookings at once, and refuses none while enough is left', async () => {
    key = await keyWithLimits(own, { day_total: 20 * 120.5 });
    const wishes = Array.from({ length: 64 }, (_, n) => {
      return book({ booking_date: `2026-12-${String(1 + (n % 20)).padStart(2, '0')}`, num_adults: 1 });
    });
    const statuses = (await Promise.all(wishes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 403)).toHaveLength(44);
    expect(await usedBy(own, key)).toBe(2_410);
  });

  test('is what an independent count of the bookings’ events says, after random changes and restarts', async () => {
    key = await keyWithLimits(own, { day_total: 3_000 });
    let seed = Number(process.env['SEQUENCE_SEED'] ?? Date.now() % 2 ** 31);
    process.stdout.write(`SEQUENCE_SEED=${seed}\n`);
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const ids: string[] = [];
    const some = () => ids[random(ids.length)] ?? 'bk_none';
    const date = () => `2026-12-0${1 + random(3)}`;
    for (let step = 0; step < 60; step++) {
      const kind = random(10);
      if (kind < 4) {
        const booked = await book({ booking_date: date(), num_adults: 1 + random(4) });
        if (booked.status === 200) ids.push(booked.data.booking_id);
      } else if (kind < 7) await modify(some(), { booking_date: date(), num_adults: 1 + random(4) });
      else if (kind < 9) await cancel(some());
      else if (random(4) === 0) await own.restart();
    }
    const events = (await own.events()).filter(({ stream }) => stream.startsWith('booking-'));
    const streams = Map.groupBy(events, ({ stream }) => stream);
    const counted = [...streams.values()].reduce((sum, stream) => sum + recountOf(stream, '2026-11-21'), 0);
    expect(await usedBy(own, key)).toBe(counted / 100);
  });
});
