import { describe, expect, test } from 'bun:test';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { seededIds } from '../../support/ids.ts';
import { headOf } from '../../support/log-of-service.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { Answer, Booking } from '../../support/service-answers.ts';

const CAPACITY = 10;

function parted(answers: readonly Answer<Booking>[]) {
  return {
    booked: answers.filter(({ status }) => status === 200).map(({ data }) => data),
    refused: answers.filter(({ status }) => status !== 200).map(({ refusal }) => refusal),
  };
}

/** The claims of the river walk's tomorrow in the log. */
async function claimed(service: Service): Promise<readonly StoredEvent[]> {
  const events = (await service.events()).filter(({ stream }) => stream === `allotment-river-walk-${TOMORROW}`);
  expect(events.map(({ type }) => type)).toEqual(
    events.map((_, at) => (at === 0 ? 'AllotmentOpened.v1' : 'SlotsClaimed.v3')),
  );
  return events.slice(1);
}

/** The free slots in the inventory, once it is up to date. */
async function shownFree(service: Service, minSlots = 1): Promise<readonly number[]> {
  const headers = { 'x-position': await headOf(service) };
  const answer = await service.inventory(`activity_id=river-walk&date=${TOMORROW}&min_slots=${minSlots}`, headers);
  return answer.status === 404 ? [] : answer.data.inventory.map((item) => item.available_slots);
}

describe('forty bookings at once of a date with ten slots', () => {
  test('sell ten, and refuse thirty with bookable dates', async () => {
    await using service = await openService();
    const { booked, refused } = parted(
      await Promise.all(Array.from({ length: 40 }, () => service.book({ num_adults: 1 }))),
    );
    expect(new Set(booked.map((booking) => booking.booking_id)).size).toBe(CAPACITY);
    expect(new Set(booked.map((booking) => booking.voucher.code)).size).toBe(CAPACITY);
    expect(await claimed(service)).toHaveLength(CAPACITY);
    expect(await shownFree(service)).toEqual([]);

    expect(refused).toHaveLength(30);
    const [first] = refused;
    for (const refusal of refused) expect(refusal).toEqual(first ?? refusal);
    expect([first?.code, first?.details]).toEqual(['INVENTORY_EXHAUSTED', 'available_slots: 0']);
    for (const { booking_date } of first?.alternatives ?? []) {
      expect((await service.book({ num_adults: 1, booking_date })).status).toBe(200);
    }
  });

  test.each([1, 2, 3, 4, 5])(
    'of parties of one to four leave no slot that any of them would have fitted into (seed %d)',
    async (seed) => {
      await using service = await openService();
      const sizes = [...seededIds(seed).secret(40)].map((byte) => 1 + (byte % 4));
      const answers = await Promise.all(sizes.map((size) => service.book({ num_adults: 1, num_children: size - 1 })));
      const sold = sizes.filter((_, at) => answers[at]?.status === 200);
      const turnedAway = sizes.filter((_, at) => answers[at]?.status !== 200);
      const free = CAPACITY - sold.reduce((sum, size) => sum + size, 0);
      expect(free).toBeGreaterThanOrEqual(0);
      for (const size of turnedAway) expect(size).toBeGreaterThan(free);
      for (const { code } of parted(answers).refused) expect(code).toBe('INVENTORY_EXHAUSTED');
      const claims = (await claimed(service)).map(({ data }) => (data as { size: number }).size);
      expect(claims.toSorted((a, b) => a - b)).toEqual(sold.toSorted((a, b) => a - b));
      expect(await shownFree(service)).toEqual(free === 0 ? [] : [free]);
    },
  );

  test('under twenty Idempotency-Keys, each twice, sell ten, at most one per key', async () => {
    await using service = await openService();
    const keys = Array.from({ length: 40 }, (_, at) => `wish ${at % 20}`);
    const answers = await Promise.all(keys.map((key) => service.book({ num_adults: 1 }, { 'idempotency-key': key })));
    const { booked, refused } = parted(answers);
    expect(new Set(booked.map((booking) => booking.booking_id)).size).toBe(CAPACITY);
    expect(await claimed(service)).toHaveLength(CAPACITY);
    for (const { code } of refused) expect(['INVENTORY_EXHAUSTED', 'IDEMPOTENCY_IN_PROGRESS']).toContain(code);
    const again = await Promise.all(
      keys.slice(0, 20).map((key) => service.book({ num_adults: 1 }, { 'idempotency-key': key })),
    );
    expect(parted(again).booked).toHaveLength(CAPACITY);
    expect(await claimed(service)).toHaveLength(CAPACITY);
  });
});

test('concurrent bookings of different dates do not affect each other', async () => {
  await using service = await openService();
  const dates = Array.from({ length: 28 }, (_, ahead) => `2027-02-${String(ahead + 1).padStart(2, '0')}`);
  const answers = await Promise.all(dates.map((booking_date) => service.book({ booking_date, num_adults: 10 })));
  expect(parted(answers).booked.map((booking) => booking.booking_date)).toEqual(dates);
});
