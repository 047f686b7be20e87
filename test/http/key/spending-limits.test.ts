import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allotment, bookingId, claimId } from '../../support/examples.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { type Credentials, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { type Answer, type AnswerOf, faulty, type Quote, refused } from '../../support/service-answers.ts';
import { recountOf } from '../../support/spending-recount.ts';

/** Two adults on the river walk cost 241 THB. */
const WALK = 241;
/** Cancellation is free, and no other test books this date. */
const LATER = '2026-11-27';
const MIDNIGHT = '2026-11-22T00:00:00.000Z';
const DAY_MS = 24 * 60 * 60_000;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** A key with these limits. */
async function keyWith(limits: object, at: Service = service): Promise<Credentials & { readonly id: string }> {
  const { key, id } = await at.createKey({ limits: { currency: 'THB', ...limits } });
  return { ...withKey(key), id };
}

type Own = AnswerOf<'get /api/keys/self'>;

async function usedBy(headers: Credentials, at: Service = service): Promise<number | undefined> {
  return (await at.get<Own>('/api/keys/self', headers)).data.spending?.today.used;
}

/** Lets the background work run until the key's use is this. */
async function untilUsed(headers: Credentials, use: number, at: Service = service): Promise<void> {
  while ((await usedBy(headers, at)) !== use) {
    at.clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

async function appended(at: Service = service): Promise<number> {
  return (await at.events()).length;
}

function overDay(use: number, bound = 500, wanted = WALK) {
  const message = `This booking would add ${wanted} THB to the ${use} THB that this API key has spent today, but it may spend ${bound} THB a day; choose fewer guests or a cheaper activity, or book after ${MIDNIGHT}.`;
  const details = `limit: day_total; use: ${use} THB; bound: ${bound} THB; eases: ${MIDNIGHT}, or when a booking of today is refunded`;
  return refused(403, 'SPENDING_LIMIT', message, { details, resolution: 'choose_other' });
}

describe('the operator', () => {
  test('sets limits with a new key, changes one, and removes it; a rotation keeps them', async () => {
    const { id } = await keyWith({ booking_total: 300.5, day_total: 1_000 });
    const limits = async () => {
      await service.documents('keys');
      const one = await service.get<Own>(`/api/keys/${id}`, service.admin);
      const { data } = await service.get<AnswerOf<'get /api/keys'>>('/api/keys?limit=100', service.admin);
      expect(data.items.find((key) => key.id === id)?.limits).toEqual(one.data.limits);
      return one.data.limits;
    };
    expect(await limits()).toEqual({ booking_total: 300.5, day_total: 1_000, currency: 'THB' });
    const change = (change: object) => service.patch(`/api/keys/${id}`, { limits: change }, service.admin);
    await change({ booking_total: null });
    expect(await limits()).toEqual({ booking_total: null, day_total: 1_000, currency: 'THB' });
    await change({ day_total: 40, currency: 'SGD' });
    await service.post(`/api/keys/${id}/rotate`, {}, service.admin);
    expect(await limits()).toEqual({ booking_total: null, day_total: 40, currency: 'SGD' });
    await change({ day_total: null });
    expect(await limits()).toEqual({ booking_total: null, day_total: null, currency: null });
  });

  test.each([
    [{ day_total: 5 }, 'limits.currency is missing; limits.day_total needs one of THB, VND, IDR, MYR, SGD, USD.'],
    [{ day_total: 1.001, currency: 'THB' }, 'limits.day_total has more decimals than THB; it was 1.001.'],
    [{ booking_total: 0.5, currency: 'VND' }, 'limits.booking_total has more decimals than VND; it was 0.5.'],
  ])('gets a clear refusal of the limits %j', async (limits, message) => {
    const { id } = await keyWith({});
    const answer = await service.patch(`/api/keys/${id}`, { limits }, service.admin);
    expect(answer.refusal).toEqual(faulty('INVALID_REQUEST', message));
  });

  test('cannot set limits of two currencies', async () => {
    const { id } = await keyWith({ day_total: 500 });
    const answer = await service.patch(
      `/api/keys/${id}`,
      { limits: { booking_total: 20, currency: 'SGD' } },
      service.admin,
    );
    expect(answer.refusal).toEqual(
      refused(
        400,
        'INVALID_REQUEST',
        'limits.booking_total and limits.day_total must have one currency, but would have SGD and THB; send both amounts with limits.currency, or null for one of them.',
      ),
    );
  });

  test('is the only one who sets them', async () => {
    const key = await keyWith({ day_total: 500 });
    const answer = await service.patch('/api/keys/self', { limits: { day_total: null } }, key);
    expect(answer.refusal).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await service.get<Own>('/api/keys/self', key)).data.limits.day_total).toBe(500);
  });
});

describe('limits.booking_total', () => {
  const overBooking = (wanted: number, bound: number) =>
    refused(
      403,
      'SPENDING_LIMIT',
      `This booking would cost ${wanted} THB, but one booking of this API key may cost ${bound} THB at most; choose fewer guests or a cheaper activity, or ask the operator.`,
      {
        details: `limit: booking_total; use: ${wanted} THB; bound: ${bound} THB; eases: only if the operator raises it`,
        resolution: 'choose_other',
      },
    );

  test('allows a booking of exactly this total and refuses a dearer one, before anything is stored', async () => {
    const key = await keyWith({ booking_total: WALK });
    expect((await service.book({ booking_date: '2026-12-10' }, key)).status).toBe(200);
    const before = await appended();
    expect((await service.book({ num_adults: 3 }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect((await service.book({ num_adults: 3, dry_run: true }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect(await appended()).toBe(before);
    expect((await service.get<Own>('/api/keys/self', key)).data.spending).toBeNull();
  });

  test('is compared through the exchange table, rounded up', async () => {
    // 79.80 SGD are 2,012.0778… THB.
    const tunnel = { activity_id: 'sea-tunnel' };
    const key = await keyWith({ booking_total: 2_012.07 });
    expect((await service.book(tunnel, key)).refusal).toEqual(overBooking(2_012.08, 2_012.07));
    const enough = await keyWith({ booking_total: 2_012.08 });
    expect((await service.book(tunnel, enough)).status).toBe(200);
  });

  test('refuses a change that makes the booking dearer than that', async () => {
    const key = await keyWith({ booking_total: WALK });
    const { data } = await service.book({ booking_date: '2026-12-11' }, key);
    const path = `/api/b2a/bookings/${data.booking_id}/modify`;
    expect((await service.post(path, { num_adults: 3, dry_run: true }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect((await service.post(path, { num_adults: 3 }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect((await service.post(path, { num_adults: 1 }, key)).status).toBe(200);
  });
});

describe('limits.day_total', () => {
  let own: Service;
  let key: Credentials & { readonly id: string };
  beforeEach(async () => {
    own = await openService();
    key = await keyWith({ day_total: 500 }, own);
    return () => own.stop();
  });

  const book = (change: object = {}, headers: Credentials = {}) =>
    own.book({ booking_date: LATER, ...change }, { ...key, ...headers });
  const cancel = (id: string) => own.post(`/api/b2a/bookings/${id}/cancel`, {}, key);
  const modify = (id: string, change: object) => own.post(`/api/b2a/bookings/${id}/modify`, change, key);

  test('refuses what exceeds it, also as a dry run, until the next day in UTC', async () => {
    await book();
    await book();
    expect(await usedBy(key, own)).toBe(2 * WALK);
    const before = await appended(own);
    expect((await book()).refusal).toEqual(overDay(482));
    expect((await book({ dry_run: true })).refusal).toEqual(overDay(482));
    expect(await appended(own)).toBe(before);
    await own.restart();
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.set(Date.parse(MIDNIGHT) - 1);
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.set(Date.parse(MIDNIGHT));
    expect(await usedBy(key, own)).toBe(0);
    expect((await book()).status).toBe(200);
  });

  test('is shown with its use', async () => {
    await book();
    const { data } = await own.get<Own>('/api/keys/self', key);
    expect(data.spending).toEqual({ today: { used: WALK, limit: 500, currency: 'THB', resets_at: MIDNIGHT } });
    expect((await own.get<Own>('/api/keys/self', own.key)).data.spending).toBeNull();
  });

  test('adds up currencies, each rounded up', async () => {
    key = await keyWith({ day_total: 2_253.08 }, own);
    await book();
    expect((await book({ activity_id: 'sea-tunnel' })).status).toBe(200);
    expect(await usedBy(key, own)).toBe(2_253.08);
    const less = await keyWith({ day_total: 2_253.07 }, own);
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
    expect(await usedBy(rotated, own)).toBe(WALK);
    await own.book({ booking_date: LATER }, rotated);
    expect((await own.book({ booking_date: LATER }, rotated)).refusal).toEqual(overDay(482));
  });

  test('is not touched by a hold; its booking counts', async () => {
    const wish = { activity_id: 'river-walk', booking_date: LATER, num_adults: 2 };
    const held = await own.post<{ hold_id: string }>('/api/b2a/holds', wish, key);
    expect(await usedBy(key, own)).toBe(0);
    await book({ hold_id: held.data.hold_id });
    expect(await usedBy(key, own)).toBe(WALK);
  });

  test('eases at once by what a cancellation refunds', async () => {
    const [free, kept] = [await book(), await book({ booking_date: TOMORROW })];
    expect(await usedBy(key, own)).toBe(482);
    await cancel(free.data.booking_id);
    expect(await usedBy(key, own)).toBe(WALK);
    const { data } = await own.post<{ refund_amount: number }>(
      `/api/b2a/bookings/${kept.data.booking_id}/cancel`,
      {},
      key,
    );
    expect(data.refund_amount).toBeLessThan(WALK);
    expect(await usedBy(key, own)).toBe(WALK - data.refund_amount);
  });

  test('does not ease by the cancellation of an earlier day’s booking', async () => {
    const { data } = await book();
    own.clock.advance(DAY_MS);
    await book();
    await cancel(data.booking_id);
    expect(await usedBy(key, own)).toBe(WALK);
  });

  test('counts what a change adds, refuses what it does not allow, and eases by what it refunds', async () => {
    const { data } = await book();
    const three = await modify(data.booking_id, { num_adults: 4 });
    expect([three.status, await usedBy(key, own)]).toEqual([200, 482]);
    const tooMany = overDay(482, 500, 120.5);
    expect((await modify(data.booking_id, { num_adults: 5, dry_run: true })).refusal).toEqual(tooMany);
    expect((await modify(data.booking_id, { num_adults: 5 })).refusal).toEqual(tooMany);
    await modify(data.booking_id, { num_adults: 1 });
    expect(await usedBy(key, own)).toBe(120.5);
  });

  test('returns the amount of a booking that found no slots', async () => {
    key = await keyWith({ day_total: 5_000 }, own);
    await book({ num_adults: 9 });
    expect((await book({ num_adults: 2 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect((await book({ num_adults: 2 }, { 'idempotency-key': 'x' })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect(await usedBy(key, own)).toBe(9 * 120.5);
  });

  test('counts a booking on request until the venue rejects it or does not answer', async () => {
    key = await keyWith({ day_total: 5_000 }, own);
    const kitchen = { activity_id: 'village-kitchen' };
    const [one, two] = [await book(kitchen), await book(kitchen)];
    // 900,000 IDR are 1,751.351… THB; the sum is rounded up.
    expect(await usedBy(key, own)).toBe(3_502.71);
    await own.post(`/api/bookings/${one.data.booking_id}/reject`, {}, own.admin);
    expect(await usedBy(key, own)).toBe(1_751.36);
    own.clock.advance(60_000);
    await own.post(`/api/bookings/${two.data.booking_id}/reject`, { reason: 'system' }, own.admin);
    expect(await usedBy(key, own)).toBe(0);
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
    const id = `${key.id}-${at.slice(0, 10)}` as Parameters<typeof streams.spendings.read>[0];
    await streams.spendings.handle(id, reserve, SOME_CAUSE, Number.POSITIVE_INFINITY);
    expect((await book()).refusal).toEqual(overDay(482));
    own.clock.advance(29_000);
    await new Promise(setImmediate);
    expect((await book()).refusal).toEqual(overDay(482));
    await own.restart();
    await untilUsed(key, 0, own);
    expect((await book()).status).toBe(200);
  });

  test('is exact under 64 bookings at once, and refuses none while enough is left', async () => {
    key = await keyWith({ day_total: 20 * 120.5 }, own);
    const wishes = Array.from({ length: 64 }, (_, n) => {
      return book({ booking_date: `2026-12-${String(1 + (n % 20)).padStart(2, '0')}`, num_adults: 1 });
    });
    const statuses = (await Promise.all(wishes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 403)).toHaveLength(44);
    expect(await usedBy(key, own)).toBe(2_410);
  });

  test('is what an independent count of the bookings’ events says, after random changes and restarts', async () => {
    key = await keyWith({ day_total: 3_000 }, own);
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
    expect(await usedBy(key, own)).toBe(counted / 100);
  });
});

test('a key without limits writes and reads no spending', async () => {
  await using own = await openService();
  const { data } = await own.book({ booking_date: LATER });
  await own.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, own.key);
  expect((await own.events()).filter(({ stream }) => stream.startsWith('spending-'))).toEqual([]);
});

describe('the mail at 80 percent of the day', () => {
  let own: Service;
  let key: Credentials;
  beforeEach(async () => {
    own = await openService({ mails: 'sent', settings: { MAIL_WAIT_MS: '0' } });
    key = await keyWithContact({ contact_email: 'owner@example.com' });
    return () => own.stop();
  });

  async function keyWithContact(settings: object): Promise<Credentials> {
    return withKey((await own.createKey({ ...settings, limits: { day_total: 600, currency: 'THB' } })).key);
  }

  const mails = () => {
    const outbox = join(own.directory, 'outbox');
    const texts = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
    return texts.filter((text) => text.includes('spending limit'));
  };

  /** Lets the background work run until an event of this type is stored. */
  async function stored(type: string): Promise<void> {
    while (!(await own.events()).some((event) => event.type === type)) {
      own.clock.advance(1_000);
      await new Promise(setImmediate);
    }
  }

  test('is sent once a day to the contact, also across restarts', async () => {
    await own.book({ booking_date: LATER }, key);
    expect((await own.events()).some(({ type }) => type.startsWith('SpendingWarned'))).toBe(false);
    await own.book({ booking_date: LATER }, key);
    await own.restart();
    await stored('SpendingWarningMailed.v1');
    await own.book({ booking_date: LATER, num_adults: 1, activity_id: 'river-walk' }, key).catch(() => null);
    await own.restart();
    own.clock.advance(60_000);
    await new Promise(setImmediate);
    const [mail, ...more] = mails();
    expect(more).toEqual([]);
    expect(mail).toContain('To: owner@example.com');
    expect(mail).toMatch(/has used 80 % of its spending limit of\s+2026-11-21/);
    const events = (await own.events()).filter(({ type }) => type.startsWith('SpendingWarn'));
    expect(events.map(({ type }) => type)).toEqual(['SpendingWarned.v1', 'SpendingWarningMailed.v1']);
  });

  test('is not sent for a booking that failed', async () => {
    await own.book({ booking_date: LATER, num_adults: 8 });
    await own.book({ booking_date: TOMORROW, num_adults: 1 }, key);
    const failed: Answer<object | Quote> = await own.book({ booking_date: LATER, num_adults: 3 }, key);
    expect(failed.refusal.code).toBe('INVENTORY_EXHAUSTED');
    await stored('SpendingWarningWithdrawn.v1');
    own.clock.advance(60_000);
    await new Promise(setImmediate);
    expect((await own.events()).some(({ type }) => type.startsWith('SpendingWarningMailed'))).toBe(false);
  });

  test('without a contact is recorded as failed, and tried no more', async () => {
    key = await keyWithContact({});
    await own.book({ booking_date: LATER, num_adults: 4 }, key);
    await stored('SpendingWarningMailFailed.v1');
    const failed = (await own.events()).find(({ type }) => type === 'SpendingWarningMailFailed.v1');
    expect(failed?.data).toMatchObject({ attempt: 1, reason: 'no contact address', retryAtMs: null });
  });
});
