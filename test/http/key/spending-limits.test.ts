import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailsIn } from '../../support/mails.ts';
import { type Credentials, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { type Answer, type AnswerOf, faulty, type Quote, refused } from '../../support/service-answers.ts';
import { keyWithLimits, LATER, type Own, WALK } from '../../support/spending.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function appended(): Promise<number> {
  return (await service.events()).length;
}

/** The exposure limits of the plan `enterprise`. */
const EXPOSURE = { open_holds: null, unpaid_share: 1, refundable_guests: null };

describe('the operator', () => {
  test('sets limits with a new key, changes one, and removes it; a rotation keeps them', async () => {
    const { id } = await keyWithLimits(service, { booking_total: 300.5, day_total: 1_000 });
    const limits = async () => {
      await service.documents('keys');
      const one = await service.get<Own>(`/api/keys/${id}`, service.admin);
      const { data } = await service.get<AnswerOf<'get /api/keys'>>('/api/keys?limit=100', service.admin);
      expect(data.items.find((key) => key.id === id)?.limits).toEqual(one.data.limits);
      return one.data.limits;
    };
    expect(await limits()).toEqual({ ...EXPOSURE, booking_total: 300.5, day_total: 1_000, currency: 'THB' });
    const change = (members: object) => service.patch(`/api/keys/${id}`, { limits: members }, service.admin);
    await change({ booking_total: null });
    expect(await limits()).toEqual({ ...EXPOSURE, booking_total: null, day_total: 1_000, currency: 'THB' });
    await change({ day_total: 40, currency: 'SGD' });
    await service.post(`/api/keys/${id}/rotate`, {}, service.admin);
    expect(await limits()).toEqual({ ...EXPOSURE, booking_total: null, day_total: 40, currency: 'SGD' });
    await change({ day_total: null });
    expect(await limits()).toEqual({ ...EXPOSURE, booking_total: null, day_total: null, currency: null });
  });

  test.each([
    [{ day_total: 5 }, 'limits.currency is missing; limits.day_total needs one of THB, VND, IDR, MYR, SGD, USD.'],
    [{ day_total: 1.001, currency: 'THB' }, 'limits.day_total has more decimals than THB; it was 1.001.'],
    [{ booking_total: 0.5, currency: 'VND' }, 'limits.booking_total has more decimals than VND; it was 0.5.'],
  ])('gets a clear refusal of the limits %j', async (limits, message) => {
    const { id } = await keyWithLimits(service, {});
    const answer = await service.patch(`/api/keys/${id}`, { limits }, service.admin);
    expect(answer.refusal).toEqual(faulty('INVALID_REQUEST', message));
  });

  test('cannot set limits of two currencies', async () => {
    const { id } = await keyWithLimits(service, { day_total: 500 });
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
    const key = await keyWithLimits(service, { day_total: 500 });
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
    const key = await keyWithLimits(service, { booking_total: WALK });
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
    const key = await keyWithLimits(service, { booking_total: 2_012.07 });
    expect((await service.book(tunnel, key)).refusal).toEqual(overBooking(2_012.08, 2_012.07));
    const enough = await keyWithLimits(service, { booking_total: 2_012.08 });
    expect((await service.book(tunnel, enough)).status).toBe(200);
  });

  test('refuses a change that makes the booking dearer than that', async () => {
    const key = await keyWithLimits(service, { booking_total: WALK });
    const { data } = await service.book({ booking_date: '2026-12-11' }, key);
    const path = `/api/b2a/bookings/${data.booking_id}/modify`;
    expect((await service.post(path, { num_adults: 3, dry_run: true }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect((await service.post(path, { num_adults: 3 }, key)).refusal).toEqual(overBooking(361.5, WALK));
    expect((await service.post(path, { num_adults: 1 }, key)).status).toBe(200);
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
    const texts = mailsIn(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
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
    expect(mail).not.toContain('[TEST]');
    expect(mail).toMatch(/has used 80 % of its spending limit of\s+2026-11-21/);
    const events = (await own.events()).filter(({ type }) => type.startsWith('SpendingWarn'));
    expect(events.map(({ type }) => type)).toEqual(['SpendingWarned.v1', 'SpendingWarningMailed.v1']);
  });

  test('says that the key is a test key', async () => {
    key = await keyWithContact({ contact_email: 'owner@example.com', mode: 'test' });
    await own.book({ booking_date: LATER, num_adults: 4 }, key);
    await stored('SpendingWarningMailed.v1');
    expect(mails()[0]).toContain('Subject: [TEST] The API key');
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
