import { describe, expect, test } from 'bun:test';
import { allotmentOf, hold, readHold, releaseHold, shownFree } from '../../support/holds.ts';
import { seededIds } from '../../support/ids.ts';
import { openService, type Service } from '../../support/service.ts';

const CAPACITY = 10;

/** Checks that no event of the date left more slots taken than its capacity. */
async function neverOversold(service: Service): Promise<number> {
  const steps = await allotmentOf(service);
  for (const { taken } of steps) expect(taken).toBeLessThanOrEqual(CAPACITY);
  return steps.at(-1)?.taken ?? 0;
}

describe('one hold', () => {
  test.each([1, 2, 3])(
    'wanted by eight bookings at once, each under a key of its own, makes one (round %d)',
    async () => {
      await using service = await openService();
      const { hold_id } = (await hold(service)).data;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => service.book({ hold_id }, { 'idempotency-key': `wish ${at}` })),
      );
      const [booked, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      for (const { refusal } of answers.filter(({ status }) => status !== 200))
        expect([refusal.code, refusal.details]).toEqual(['HOLD_USED', `booking_id: ${booked?.data.booking_id}`]);
      expect((await service.events()).filter(({ type }) => type.startsWith('BookingConfirmed'))).toHaveLength(1);
      expect(await neverOversold(service)).toBe(2);
    },
  );

  test('booked in twenty concurrent requests with one key makes one booking', async () => {
    await using service = await openService();
    const { hold_id } = (await hold(service)).data;
    const key = { 'idempotency-key': 'one wish' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.book({ hold_id }, key)));
    const booked = answers.filter(({ status }) => status === 200).map(({ data }) => data.booking_id);
    expect(new Set(booked).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer.refusal.code).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(await neverOversold(service)).toBe(2);
  });

  test('is either released or booked by concurrent requests, never both', async () => {
    await using service = await openService();
    for (let round = 0; round < 10; round++) {
      const { hold_id } = (await hold(service, { num_adults: 1 })).data;
      const requests = [() => service.book({ num_adults: 1, hold_id }), () => releaseHold(service, hold_id)];
      const [one, other] = await Promise.all((round % 2 === 0 ? requests : requests.toReversed()).map((ask) => ask()));
      const [booked, gone] = round % 2 === 0 ? [one, other] : [other, one];
      const outcome = [booked?.status, gone?.status].join();
      expect(['200,409', '410,200']).toContain(outcome);
      expect((await readHold(service, hold_id)).data.status).toBe(outcome === '200,409' ? 'used' : 'released');
    }
    await neverOversold(service);
  });
});

describe('sixty-four concurrent requests for the last ten slots', () => {
  test.each([1, 2, 3, 4])('who hold or book one to four, are never sold twice (seed %d)', async (seed) => {
    await using service = await openService();
    const sizes = [...seededIds(seed).secret(64)].map((byte) => 1 + (byte % 4));
    const first = await Promise.all(
      sizes.map((num_adults, at) => (at % 2 === 0 ? hold(service, { num_adults }) : service.book({ num_adults }))),
    );
    for (const answer of first) if (answer.status !== 200) expect(answer.refusal.code).toBe('INVENTORY_EXHAUSTED');
    const taken = sizes.reduce((sum, size, at) => (first[at]?.status === 200 ? sum + size : sum), 0);
    expect(await neverOversold(service)).toBe(taken);
    expect(await shownFree(service)).toBe(CAPACITY - taken);

    // Half of the holds are booked and half released, while every refused request is repeated.
    const holds = first.flatMap((answer, at) =>
      answer.status === 200 && 'hold_id' in answer.data
        ? [{ hold_id: answer.data.hold_id, num_adults: sizes[at] ?? 0 }]
        : [],
    );
    const ends = holds.map((wish, at) => (at % 2 === 0 ? service.book(wish) : releaseHold(service, wish.hold_id)));
    const wishes = sizes.filter((_, at) => first[at]?.status !== 200);
    const again = wishes.map((num_adults, at) =>
      at % 2 === 0 ? service.book({ num_adults }) : hold(service, { num_adults }),
    );
    for (const { status } of await Promise.all(ends)) expect(status).toBe(200);
    const answers = await Promise.all(again);
    for (const answer of answers) if (answer.status !== 200) expect(answer.refusal.code).toBe('INVENTORY_EXHAUSTED');
    const gone = holds.reduce((sum, wish, at) => (at % 2 === 0 ? sum : sum + wish.num_adults), 0);
    const more = wishes.reduce((sum, size, at) => (answers[at]?.status === 200 ? sum + size : sum), 0);
    expect(await neverOversold(service)).toBe(taken - gone + more);
    expect(await shownFree(service)).toBe(CAPACITY - taken + gone - more);
  });
});
