import { describe, expect, test } from 'bun:test';
import { PROJECTIONS } from '../../../projections/index.ts';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { openService, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { bookMany, shownFree as free, testKey } from '../../support/test-mode.ts';

const CAPACITY = 10;

const statuses = (answers: readonly { readonly status: number }[]) => ({
  booked: answers.filter(({ status }) => status === 200).length,
  exhausted: answers.filter(({ status }) => status === 409).length,
});

describe('capacity', () => {
  test('of test bookings is their own: 64 at once book all of it, and none of the live one', async () => {
    await using service = await openService();
    const [one, other] = [await testKey(service), await testKey(service)];
    const answers = await Promise.all([bookMany(service, 32, one), bookMany(service, 32, other)]);
    expect(statuses(answers.flat())).toEqual({ booked: CAPACITY, exhausted: 64 - CAPACITY });
    expect([await free(service, one), await free(service, other), await free(service, service.key)]).toEqual([
      0, 0, 10,
    ]);
    expect((await service.recommend({}, one)).data.recommendations).not.toContainEqual(
      expect.objectContaining({ id: 'river-walk', available_date: TOMORROW }),
    );
    expect(statuses(await bookMany(service, 64, service.key))).toEqual({ booked: CAPACITY, exhausted: 54 });
  });

  test('that live bookings have used up is free for test bookings', async () => {
    await using service = await openService();
    const key = await testKey(service);
    await bookMany(service, CAPACITY, service.key);
    expect([await free(service, service.key), await free(service, key)]).toEqual([0, CAPACITY]);
    expect((await service.book({ num_adults: 4 }, key)).status).toBe(200);
    expect(await free(service, key)).toBe(6);
    expect((await service.book({ dry_run: true }, key)).data).toMatchObject({ available: true, available_slots: 6 });
    expect((await service.book()).status).toBe(409);
  });

  test('is full again on the next day of the city, and a cancellation returns slots to their own day', async () => {
    await using service = await openService();
    const wish = { booking_date: '2026-11-24', num_adults: 5 };
    const key = await testKey(service);
    const [kept, dropped] = [await service.book(wish, key), await service.book(wish, key)];
    expect((await service.book(wish, key)).status).toBe(409);
    // 22 November, one minute after midnight in Bangkok.
    service.clock.set(Date.parse('2026-11-21T17:01:00Z'));
    expect((await service.book({ ...wish, num_adults: 9 }, key)).status).toBe(200);
    const cancel = `/api/b2a/bookings/${dropped.data.booking_id}/cancel`;
    expect((await service.post(cancel, {}, key)).status).toBe(200);
    expect((await service.book({ ...wish, num_adults: 2 }, key)).status).toBe(409);
    const modify = `/api/b2a/bookings/${kept.data.booking_id}/modify`;
    expect((await service.post(modify, { num_adults: 6 }, key)).data).toMatchObject({ num_adults: 6 });
    expect((await service.book({ ...wish, num_adults: 1 }, key)).status).toBe(409);
    expect((await service.post(modify, { user_name: 'Grace Hopper' }, key)).data).toMatchObject({
      user_name: 'Grace Hopper',
    });
    expect((await service.post(modify, { num_adults: 1 }, key)).status).toBe(200);
    expect((await service.book({ ...wish, num_adults: 1 }, key)).status).toBe(200);
    expect(await service.documents('inventory')).toEqual([]);
  });

  test('has the price, deal and capacity that the operator set for live bookings', async () => {
    await using service = await openService();
    const key = await testKey(service);
    await service.book({ num_adults: 6 }, key);
    const allotment = `/api/activities/river-walk/allotments/${TOMORROW}`;
    await service.put(allotment, { price: 80, capacity: 8 }, service.admin);
    const quoted = await service.book({ dry_run: true }, key);
    expect(quoted.data).toMatchObject({ available_slots: 2, pricing: { unit_price: 80, total: 160 } });
    expect(await free(service, key)).toBe(2);
    expect((await service.book({ num_adults: 3 }, key)).status).toBe(409);
    expect((await service.book({}, key)).data.pricing).toMatchObject({ unit_price: 80, total: 160 });
    await service.put(allotment, { capacity: 2 }, service.admin);
    expect((await service.book({ num_adults: 1 }, key)).status).toBe(409);
    await service.put(allotment, { price: null, capacity: null }, service.admin);
    expect((await service.book({}, key)).data.pricing).toMatchObject({ unit_price: 120.5 });
  });
});

describe('a hold in test mode', () => {
  test('keeps its slots past midnight, and loses them at its end', async () => {
    await using service = await openService({ startMs: Date.parse('2026-11-21T16:55:00Z') });
    const key = await testKey(service);
    const hold = async (guests: number) => {
      const wish = { activity_id: 'river-walk', booking_date: '2026-11-24', num_adults: guests };
      return (await service.post<AnswerOf<'post /api/b2a/holds'>>('/api/b2a/holds', wish, key)).data.hold_id;
    };
    const wish = { booking_date: '2026-11-24', num_adults: 4 };
    const [used, lost] = [await hold(4), await hold(6)];
    service.clock.set(Date.parse('2026-11-21T17:02:00Z'));
    expect((await service.book({ ...wish, hold_id: used }, key)).data).toMatchObject({ status: 'confirmed' });
    service.clock.set(Date.parse('2026-11-21T17:02:00Z') + 10 * MINUTE_MS);
    expect((await service.book({ ...wish, num_adults: 6, hold_id: lost }, key)).refusal.code).toBe('HOLD_EXPIRED');
    const released = async () => (await service.events()).filter(({ type }) => type === 'SlotsReleased.v1');
    while ((await released()).length === 0) {
      service.clock.advance(MINUTE_MS);
      await new Promise(setImmediate);
    }
    expect((await released()).map(({ stream }) => stream)).toEqual([
      'allotmenttest-test.2026-11-21.river-walk-2026-11-24',
    ]);
  });
});

test('a rebuild of every projection makes the same documents', async () => {
  await using service = await openService();
  const key = await testKey(service);
  await bookMany(service, 3, key);
  await bookMany(service, 2, service.key);
  for (const { name } of PROJECTIONS)
    expect(await service.rebuild(name)).toMatchObject({ kind: 'rebuilt', differences: 0 });
  expect(await free(service, key)).toBe(CAPACITY - 3);
  await service.restart();
  expect([await free(service, key), await free(service, service.key)]).toEqual([CAPACITY - 3, CAPACITY - 2]);
});
