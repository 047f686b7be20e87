import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { keyOf, overLimit } from '../../support/exposure.ts';
import { hold, releaseHold } from '../../support/holds.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { AnswerOf, Quote } from '../../support/service-answers.ts';
import { LATER, NO_SPENDING_LIMITS, type Own } from '../../support/spending.ts';
import { testKey } from '../../support/test-mode.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** 40 places a day: a free key may take 10 of them without paying. */
const SHOW = { activity_id: 'light-show', booking_date: TOMORROW };
/** 12 places a day, confirmed by the venue on request: a free key may take 4 of them. */
const KITCHEN = { activity_id: 'village-kitchen', booking_date: TOMORROW };

describe('the holds of a key', () => {
  test('take no more places of a date than its share, whatever is free', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'free');
    const first = await hold(own, { ...SHOW, num_adults: 6 }, key);
    expect((await hold(own, { ...SHOW, num_adults: 5 }, key)).refusal).toEqual(
      overLimit(
        'Holds and bookings on request of this API key take 6 places of this date and may take 10; 5 more are too many. Book what is held, release it, or choose another date.',
        'limit: unpaid_share; use: 6; bound: 10; eases: 2026-11-21T03:10:00.000Z, or when a hold is used or released, or the venue answers a booking',
      ),
    );
    expect((await hold(own, { ...SHOW, num_adults: 4 }, key)).status).toBe(200);
    await releaseHold(own, first.data.hold_id, key);
    expect((await hold(own, { ...SHOW, num_adults: 6 }, key)).status).toBe(200);
  });

  test('are no more than its plan allows, over all dates', async () => {
    const key = await keyOf(service, 'free');
    const [first] = [await hold(service, {}, key), await hold(service, { booking_date: LATER }, key)];
    expect((await hold(service, SHOW, key)).refusal).toEqual(
      overLimit(
        'This API key has 2 open holds and may have 2; book with one of them or release it, then hold again.',
        'limit: open_holds; use: 2; bound: 2; eases: 2026-11-21T03:10:00.000Z, or when a hold is used or released',
      ),
    );
    const events = (await service.events()).length;
    await hold(service, SHOW, key);
    expect(await service.events()).toHaveLength(events);
    await service.book({ hold_id: first.data.hold_id }, key);
    expect((await hold(service, SHOW, key)).status).toBe(200);
  });

  test('no longer count from their end on, before their slots are released', async () => {
    await using own = await openService({ settings: { REAPER_INTERVAL_MS: '60000' } });
    const key = await keyOf(own, 'free');
    for (const num_adults of [5, 5]) await hold(own, { ...SHOW, num_adults }, key);
    own.clock.advance(10 * 60_000);
    expect((await hold(own, { ...SHOW, num_adults: 10 }, key)).status).toBe(200);
  });

  test('last half as long as the one before on the same date, at least a minute, and ten again after a day', async () => {
    await using own = await openService();
    const lasted = async (change: object = {}) => {
      const { data } = await hold(own, change);
      await releaseHold(own, data.hold_id);
      return (Date.parse(data.expires_at) - own.clock.nowMs()) / 1_000;
    };
    const lifetimes: number[] = [];
    for (let held = 0; held < 6; held++) {
      lifetimes.push(await lasted({ booking_date: LATER }));
      own.clock.advance(1_000);
    }
    expect(lifetimes).toEqual([600, 300, 150, 75, 60, 60]);
    expect(await lasted({ booking_date: '2026-11-26' })).toBe(600);
    own.clock.advance(DAY_MS - 1_001);
    expect(await lasted({ booking_date: LATER })).toBe(60);
    own.clock.advance(DAY_MS);
    expect(await lasted({ booking_date: LATER })).toBe(600);
  });

  test('repeated under one Idempotency-Key are one hold', async () => {
    const key = await keyOf(service, 'free');
    const sent = { ...key, 'idempotency-key': 'one hold' };
    const answers = [];
    for (let times = 0; times < 4; times++) answers.push(await hold(service, { ...SHOW, num_adults: 5 }, sent));
    expect(new Set(answers.map(({ data }) => data.hold_id)).size).toBe(1);
    expect((await hold(service, { ...SHOW, num_adults: 5 }, key)).status).toBe(200);
  });
});

describe('bookings on request', () => {
  test('take no more places than the share until the venue answers; a dry run says so', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'free');
    const { data } = await own.book({ ...KITCHEN, num_adults: 3 }, key);
    const refusal = overLimit(
      'Holds and bookings on request of this API key take 3 places of this date and may take 4; 2 more are too many. Book what is held, release it, or choose another date.',
      'limit: unpaid_share; use: 3; bound: 4; eases: when a hold is used or released, or the venue answers a booking',
    );
    const wish = { user_email: 'ada@example.com', user_name: 'Ada', num_adults: 2, ...KITCHEN };
    const path = '/api/b2a/execute_booking';
    expect((await own.post<Quote>(path, { ...wish, dry_run: true }, key)).refusal).toEqual(refusal);
    expect((await own.book({ ...KITCHEN, num_adults: 2 }, key)).refusal).toEqual(refusal);
    const modify = `/api/b2a/bookings/${data.booking_id}/modify`;
    for (const dry_run of [true, false])
      expect((await own.post(modify, { num_adults: 5, dry_run }, key)).refusal).toEqual(refusal);
    await own.post(`/api/bookings/${data.booking_id}/confirm`, {}, own.admin);
    expect((await own.book({ ...KITCHEN, num_adults: 4 }, key)).status).toBe(200);
  });

  test('use the places of their hold once', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'free');
    const held = await hold(own, { ...KITCHEN, num_adults: 4 }, key);
    const booked = await own.book({ ...KITCHEN, num_adults: 4, hold_id: held.data.hold_id }, key);
    expect(booked.data.status).toBe('pending');
    expect((await own.book({ ...KITCHEN, num_adults: 1 }, key)).refusal.code).toBe('EXPOSURE_LIMIT');
    await own.post(`/api/bookings/${booked.data.booking_id}/reject`, {}, own.admin);
    expect((await own.book({ ...KITCHEN, num_adults: 4 }, key)).status).toBe(200);
  });
});

describe('the limits of a key', () => {
  test('are those of its plan, until the operator sets others', async () => {
    const shown = async (id: string) => (await service.get<Own>(`/api/keys/${id}`, service.admin)).data.limits;
    const plans = ['free', 'basic', 'premium', 'enterprise'] as const;
    const keys = await Promise.all(plans.map((plan) => keyOf(service, plan)));
    const none = NO_SPENDING_LIMITS;
    expect(await Promise.all(keys.map(({ id }) => shown(id)))).toEqual([
      { open_holds: 2, unpaid_share: 0.25, refundable_guests: 60, ...none },
      { open_holds: 10, unpaid_share: 0.5, refundable_guests: 200, ...none },
      { open_holds: 50, unpaid_share: 1, refundable_guests: 2_000, ...none },
      { open_holds: null, unpaid_share: 1, refundable_guests: null, ...none },
    ]);
    const { id } = await keyOf(service, 'free');
    const change = (limits: object) => service.patch<Own>(`/api/keys/${id}`, { limits }, service.admin);
    await change({ open_holds: null, unpaid_share: 0.3 });
    expect((await change({ refundable_guests: 0 })).data.limits).toEqual({
      ...none,
      open_holds: null,
      unpaid_share: 0.3,
      refundable_guests: 0,
    });
    await service.patch(`/api/keys/${id}`, { plan: 'premium' }, service.admin);
    expect(await shown(id)).toEqual({ ...none, open_holds: null, unpaid_share: 0.3, refundable_guests: 0 });
  });

  test('end when they are set to null', async () => {
    const key = await keyOf(service, 'free', { limits: { open_holds: 0 } });
    expect((await hold(service, SHOW, key)).refusal.code).toBe('EXPOSURE_LIMIT');
    const limits = { open_holds: null, unpaid_share: null };
    await service.patch(`/api/keys/${key.id}`, { limits }, service.admin);
    expect((await hold(service, { ...SHOW, num_adults: 20 }, key)).status).toBe(200);
  });

  test.each([
    [{ unpaid_share: 1.5 }, 'limits.unpaid_share must be a number from 0 to 1, or null for no limit; it was 1.5.'],
    [{ open_holds: -1 }, 'limits.open_holds must be a whole number from 0 to 10000, or null for no limit; it was -1.'],
  ])('are refused out of range: %j', async (limits, message) => {
    const answer = await service.patch<AnswerOf<'get /api/keys'>>('/api/keys/key_x', { limits }, service.admin);
    expect([answer.refusal.code, answer.refusal.error]).toEqual(['INVALID_REQUEST', message]);
  });

  test('bound test keys too, apart from the live ones', async () => {
    await using own = await openService();
    const live = await keyOf(own, 'free');
    const tested = await testKey(own, { plan: 'free' });
    for (const key of [live, tested, live, tested])
      expect((await hold(own, { ...SHOW, num_adults: 5 }, key)).status).toBe(200);
    for (const key of [live, tested])
      expect((await hold(own, { ...SHOW, num_adults: 1 }, key)).refusal.code).toBe('EXPOSURE_LIMIT');
  });
});
