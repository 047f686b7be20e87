import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { BookingFacts } from '../../../src/domain/booking/facts.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { allowHotels } from '../../support/hotels.ts';
import { headOf } from '../../support/log-of-service.ts';
import { A_WISH, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type Quote, refused } from '../../support/service-answers.ts';

const A_FAMILY = { travel_type: 'family', interests: ['cultural'], budget: 'budget', age_group: 'adult' };
const SEGMENT = { travelType: 'family', budget: 'budget', ageGroup: 'adult' };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function logFor(change: object = {}, headers = {}): Promise<string> {
  return (await service.recommend({ user_profile: A_FAMILY, ...change }, headers)).data.context.log_id;
}

/** The facts in a booking's stream. */
async function factsOf(bookingId: string): Promise<BookingFacts> {
  const events = await service.events();
  const booked = events.find(
    ({ stream, type }) => stream === `booking-${bookingId}` && type.startsWith('BookingConfirmed'),
  );
  return booked?.data as BookingFacts;
}

describe('a booking that names its recommendation', () => {
  test('stores its log id, rank and segment', async () => {
    const { data } = await service.recommend({ user_profile: A_FAMILY });
    const rank = data.recommendations.findIndex(({ id }) => id === 'night-market') + 1;
    const logId = data.context.log_id;
    const booked = (await service.book({ activity_id: 'night-market', context_log_id: logId })).data;
    expect<object>(booked).toMatchObject({ context_log_id: logId });
    expect<object>((await service.booking(booked.booking_id)).data).toEqual(booked);
    expect<object | null>((await factsOf(booked.booking_id)).attribution).toEqual({ logId, rank, segment: SEGMENT });
  });

  test('has no rank if the activity was not shown', async () => {
    const logId = await logFor({ limit: 1, filters: { categories: ['nightlife'] } });
    const booked = (await service.book({ context_log_id: logId })).data;
    expect<object | null>((await factsOf(booked.booking_id)).attribution).toEqual({
      logId,
      rank: null,
      segment: SEGMENT,
    });
  });

  test('uses its language, unless the request has another one', async () => {
    const titleOf = async (contextLogId: string, headers = {}) => {
      const { data } = await service.book({ activity_id: 'night-market', context_log_id: contextLogId }, headers);
      return data.activity.title;
    };
    const korean = await logFor({ user_profile: { ...A_FAMILY, nationality: 'KR' } });
    expect(await titleOf(korean)).toBe('Night Market (ko)');
    expect(await titleOf(korean, { 'accept-language': 'vi' })).toBe('Night Market (vi)');
    expect(await titleOf(await logFor())).toBe('Night Market (en)');
  });

  test.each(['log_7', 'rec_00000000000000000000', 'rec_', 'bk_00000000000000000000'])(
    'that does not exist is refused: %s',
    async (id) => {
      const sentence = `context_log_id "${id}" is not the log_id of a recommendation made with this key; send data.context.log_id of such a recommendation, or leave it out.`;
      const refusal = refused(400, 'INVALID_REQUEST', sentence);
      expect((await service.book({ context_log_id: id })).refusal).toEqual(refusal);
      expect((await service.book({ context_log_id: id, dry_run: true })).refusal).toEqual(refusal);
      expect((await service.book({ context_log_id: id, activity_id: 'nothing' })).refusal).toEqual(refusal);
    },
  );

  test("is refused if the recommendation is another key's, like an unknown one", async () => {
    const other = withKey((await service.createKey()).key);
    const logId = await logFor();
    const { refusal } = await service.book({ context_log_id: logId }, other);
    expect(refusal.error).toStartWith(
      `context_log_id "${logId}" is not the log_id of a recommendation made with this key;`,
    );
  });

  test('differs from a booking without it, or with another, under one Idempotency-Key', async () => {
    const [first, second] = [await logFor(), await logFor()];
    const key = { 'idempotency-key': 'attributed' };
    const wish = { activity_id: 'night-market' };
    const booked = (await service.book({ ...wish, context_log_id: first }, key)).data;
    const again = await service.book({ ...wish, context_log_id: first }, key);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([booked, 'true']);
    for (const other of [{}, { context_log_id: second }]) {
      expect((await service.book({ ...wish, ...other }, key)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
  });
});

describe('the rate of a hotel', () => {
  const RATED = { unit_price: 120.5, total_guests: 2, subtotal: 241, discount: 36.14, total: 204.86, currency: 'THB' };

  test('is quoted and charged if the recommendation named the hotel', async () => {
    await using own = await openService();
    await allowHotels(own, 'pier-house');
    const { data } = await own.recommend({ location: { hotel_id: 'pier-house' } });
    const shown = data.recommendations.find(({ id }) => id === 'river-walk');
    const wish = { ...A_WISH, context_log_id: data.context.log_id };
    const quote = await own.post<Quote>('/api/b2a/execute_booking', { ...wish, dry_run: true }, own.key);
    expect<object>(quote.data.pricing).toEqual(RATED);
    const booked = (await own.book(wish)).data;
    expect<object>(booked.pricing).toEqual(RATED);
    expect(shown?.price).toBe((RATED.subtotal - RATED.discount) / 2);
    expect<object>((await own.booking(booked.booking_id)).data.pricing).toEqual(RATED);
    const charges = (await own.events()).filter(({ type }) => type === 'ChargeRecorded.v2').map((event) => event.data);
    expect(charges).toEqual([{ keyId: expect.any(String), amountMinor: 20_486, currency: 'THB' }]);
  });

  test('does not apply to another activity, or without the hotel', async () => {
    await allowHotels(service, 'pier-house');
    const atHotel = await logFor({ location: { hotel_id: 'pier-house' } });
    const market = (await service.book({ activity_id: 'night-market', context_log_id: atHotel })).data;
    expect<object>(market.pricing).toMatchObject({ discount: 0, total: 700 });
    const walk = await service.book({ context_log_id: await logFor() });
    expect<object>(walk.data.pricing).toMatchObject({ discount: 0, total: 241 });
  });
});

describe('a visit', () => {
  /** The ground truth factor of an activity, after recommend has processed all events so far. */
  async function groundTruthOf(own: Service, id: string, profile: object = A_FAMILY): Promise<number> {
    const position = await headOf(own);
    const { data } = await own.recommend({ user_profile: profile }, { 'x-position': position });
    return data.recommendations.find((each) => each.id === id)?.score_breakdown.ground_truth ?? Number.NaN;
  }

  test('raises the ground truth for similar travellers, and less for others', async () => {
    await using own = await openService();
    const family = { travel_type: 'family', interests: ['cultural'] };
    const { data } = await own.recommend({ user_profile: family });
    const before = await groundTruthOf(own, 'river-walk', family);
    const businessBefore = await groundTruthOf(own, 'river-walk', { travel_type: 'business' });
    const wish = { booking_date: TODAY, context_log_id: data.context.log_id };
    const { voucher } = (await own.book(wish)).data;
    expect(await groundTruthOf(own, 'river-walk', family)).toBe(before);
    await own.verify({ code: voucher.code });
    await evidenceOf(own, 1);
    const after = await groundTruthOf(own, 'river-walk', family);
    const businessAfter = await groundTruthOf(own, 'river-walk', { travel_type: 'business' });
    expect(after).toBeGreaterThan(before);
    expect(businessAfter).toBeGreaterThan(businessBefore);
    expect(after).toBeGreaterThan(businessAfter);
    for (let visits = 1; visits < 5; visits++) {
      const { log_id } = (await own.recommend({ user_profile: family })).data.context;
      const next = await own.book({ booking_date: TODAY, context_log_id: log_id, num_adults: 1 });
      await own.verify({ code: next.data.voucher.code });
    }
    await evidenceOf(own, 5);
    const raised = await groundTruthOf(own, 'river-walk', family);
    expect(raised).toBeGreaterThan(after);
    const { recommendations } = (await own.recommend({ user_profile: family })).data;
    const walk = recommendations.find(({ id }) => id === 'river-walk');
    expect(walk?.recommendation_reason).toContain(
      'Travellers like you visit it about 1.5 times as often as usual here.',
    );
    await own.restart();
    expect(await groundTruthOf(own, 'river-walk', family)).toBe(raised);
  });

  test('without a recommendation raises it for all travellers', async () => {
    await using own = await openService();
    const before = await groundTruthOf(own, 'river-walk');
    const { voucher } = (await own.book({ booking_date: TODAY })).data;
    await own.verify({ code: voucher.code });
    await evidenceOf(own, 1);
    expect(await groundTruthOf(own, 'river-walk')).toBeGreaterThan(before);
  });
});
