import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf, Booking } from '../../support/service-answers.ts';
import { USUAL_POLICY } from '../../support/service-catalogue.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

type Cancelled = AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>;
type Refund = Pick<Cancelled, 'refund_status' | 'refund_amount' | 'currency'>;

/** The refund of a booking cancelled at a time; checks that the quote was the same. */
async function refundAt(at: string, wish: Readonly<Record<string, unknown>>): Promise<Refund> {
  service.clock.set(Date.parse('2026-11-21T03:00:00Z'));
  const { booking_id: id } = (await service.book(wish)).data;
  service.clock.set(Date.parse(at));
  const path = `/api/b2a/bookings/${id}/cancel`;
  const { data: quote } = await service.post<Cancelled>(path, { dry_run: true }, service.key);
  const { data: cancelled } = await service.post<Cancelled>(path, {}, service.key);
  const refund = ({ refund_status, refund_amount, currency }: Refund) => ({ refund_status, refund_amount, currency });
  expect(refund(quote)).toEqual(refund(cancelled));
  return refund(cancelled);
}

describe('in Bangkok, 24 hours before the opening at nine in the morning there', () => {
  const wish = { activity_id: 'river-walk', booking_date: '2026-11-24', num_adults: 3 };

  test.each([
    ['2026-11-22T00:00:00.000Z', 361.5],
    ['2026-11-23T01:59:59.999Z', 361.5],
    ['2026-11-23T02:00:00.000Z', 180.75],
    ['2026-11-24T10:59:59.999Z', 180.75],
  ])('at %s %d is refunded', async (at, refund_amount) => {
    expect(await refundAt(at, wish)).toEqual({ refund_status: 'processed', refund_amount, currency: 'THB' });
  });

  test('a date that opens in the evening is free until then the day before', async () => {
    const evening = { activity_id: 'night-market', booking_date: '2026-11-24', num_adults: 1 };
    expect((await refundAt('2026-11-23T10:59:59.999Z', evening)).refund_amount).toBe(350);
    expect((await refundAt('2026-11-23T11:00:00.000Z', evening)).refund_amount).toBe(175);
  });
});

describe('in Bali, an hour further east, 6 hours before the opening', () => {
  const wish = { activity_id: 'fire-dance', booking_date: '2026-11-24', num_adults: 1 };

  test.each([
    ['2026-11-23T18:59:59.999Z', 333_333.33],
    // 33% of it are 10 999 999.89 in the smallest unit; of what is kept that part is left to the guest.
    ['2026-11-23T19:00:00.000Z', 223_333.34],
  ])('at %s %d is refunded', async (at, refund_amount) => {
    expect(await refundAt(at, wish)).toEqual({ refund_status: 'processed', refund_amount, currency: 'IDR' });
  });
});

test('with 100 percent kept nothing is refunded, as quoted', async () => {
  const wish = { activity_id: 'village-loom', booking_date: '2026-11-24', num_adults: 2 };
  const none = { refund_status: 'none', refund_amount: 0, currency: 'IDR' } as const;
  expect(await refundAt('2026-11-24T01:00:00.000Z', wish)).toEqual(none);
  // Free until 0 hours before the opening: until it opens.
  expect((await refundAt('2026-11-24T00:59:59.999Z', wish)).refund_amount).toBe(300_000);
});

test('a booking keeps the policy that it was made under; a booking made later has the new one', async () => {
  await using own = await openService();
  const path = '/api/activities/river-walk';
  const { booking_id: id, cancellation_policy: before } = (await own.book()).data;
  expect(before).toEqual(USUAL_POLICY);
  const { data: entry } = await own.get<AnswerOf<'get /api/activities/:activity_id'>>(path, own.admin);
  await own.put(path, { ...entry, cancellation: { free_until_hours: 1, percent_kept: 100 } }, own.admin);
  expect((await own.booking(id)).data.cancellation_policy).toEqual(USUAL_POLICY);
  const after = {
    free_until_hours: 1,
    percent_kept: 100,
    text: 'Free cancellation until 1 hour before opening on the date; after that nothing is refunded.',
  };
  expect((await own.inventory('activity_id=river-walk')).data.inventory[0]?.cancellation_policy).toEqual(after);
  const { recommendations } = (await own.recommend()).data;
  expect(recommendations.find((each) => each.id === 'river-walk')?.cancellation_policy).toEqual(after);
  expect((await own.book({ booking_date: '2026-11-23' })).data.cancellation_policy).toEqual(after);
  const moved = await own.post<Booking>(`/api/b2a/bookings/${id}/modify`, { booking_date: '2026-11-24' }, own.key);
  expect(moved.data.cancellation_policy).toEqual(after);
});
