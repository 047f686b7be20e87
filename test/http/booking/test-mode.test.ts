import { describe, expect, test } from 'bun:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { headOf } from '../../support/log-of-service.ts';
import { openReceiver } from '../../support/receiver.ts';
import {
  A_WISH,
  type Credentials,
  NOW,
  openService,
  type Service,
  TODAY,
  TOMORROW,
  withKey,
} from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

/** What counts live bookings. */
const LIVE = ['activities', 'conversions', 'evidence', 'groundtruth', 'inventory', 'statements', 'visits'];
const NOT_FOUND = refused(
  404,
  'VOUCHER_NOT_FOUND',
  'No voucher has this code; scan the QR code again or check each character.',
);

async function liveDocuments(service: Service) {
  return Promise.all(LIVE.map(async (name) => [name, await service.documents(name)] as const));
}

async function refusalAt(service: Service, code: string, gate?: Credentials) {
  return (await service.verify({ code }, gate)).refusal;
}

describe('a key', () => {
  test('has the mode that it was created with, and a test key the plan basic', async () => {
    await using service = await openService();
    const created = await service.post<AnswerOf<'post /api/keys'>>(
      '/api/keys',
      { name: 'A', mode: 'test' },
      service.admin,
    );
    const { id, key, mode, plan } = created.data;
    expect([mode, plan]).toEqual(['test', 'basic']);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const rotated = await service.post<{ key: string; mode: string }>(`/api/keys/${id}/rotate`, {}, service.admin);
    expect(rotated.data.mode).toBe('test');
    for (const value of [key, rotated.data.key])
      expect((await service.book({}, withKey(value))).data.booking_id).toMatch(/^bk_test_[0-9a-z]{20}$/);
    const [self, health] = [
      await service.get('/api/keys/self', withKey(key)),
      await service.get('/api/health', withKey(key)),
    ];
    expect([self.data, health.data]).toMatchObject([{ mode: 'test' }, { key: { mode: 'test' } }]);
    expect((await service.get('/api/keys/self', service.key)).data).toMatchObject({ mode: 'live' });
    expect(await service.post('/api/keys', { name: 'A', mode: 'demo' }, service.admin)).toMatchObject({ status: 400 });
  });
});

test('a whole journey in test mode changes nothing that counts live bookings', async () => {
  const peer = await SmtpPeer.listen();
  await using receiver = openReceiver();
  await using service = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
  await service.recommend();
  await service.book({ booking_date: TODAY });
  const settings = { webhook_url: receiver.url, contact_email: 'dev@agent.example' };
  const key = await testKey(service, settings);
  const gate = await testGate(service);
  const ranking = async (by: Credentials) => {
    const headers = { ...by, 'x-position': await headOf(service) };
    return (await service.recommend({}, headers)).data.recommendations;
  };
  const rankedBefore = await ranking(key);
  expect(await ranking(service.key)).toEqual(rankedBefore);
  const [rankedLive, inventoryBefore] = [await ranking(key), (await service.inventory('city=Bangkok')).data];
  const before = await liveDocuments(service);
  const mailsBefore = peer.arrived.length;

  const { data: found } = await service.recommend({}, key);
  expect(found.context.log_id).toMatch(/^rec_test_[0-9a-z]{20}$/);
  const wish = { activity_id: 'river-walk', booking_date: TODAY, num_adults: 2, context_log_id: found.context.log_id };
  const { data: held } = await service.post<AnswerOf<'post /api/b2a/holds'>>('/api/b2a/holds', wish, key);
  expect(held).toMatchObject({ mode: 'test', status: 'open' });
  expect(held.hold_id).toMatch(/^hd_test_[0-9a-z]{20}$/);
  const { data: booked } = await service.book({ ...wish, hold_id: held.hold_id }, key);
  expect(booked).toMatchObject({ mode: 'test', status: 'confirmed', email_sent: true, pricing: { total: 241 } });
  expect([booked.voucher.mode, booked.voucher.code.slice(0, 3)]).toEqual(['test', 'WT-']);
  const id = booked.booking_id;
  const modified = await service.post(`/api/b2a/bookings/${id}/modify`, { num_adults: 3 }, key);
  expect(modified.data).toMatchObject({ booking_id: id, mode: 'test', num_adults: 3 });
  const { data: other } = await service.book({ booking_date: TOMORROW }, key);
  const cancelled = await service.post(`/api/b2a/bookings/${other.booking_id}/cancel`, {}, key);
  expect(cancelled.data).toMatchObject({ status: 'cancelled', refund_amount: 120.5 });
  const visit = await service.verify({ code: booked.voucher.code.toLowerCase() }, gate);
  expect(visit.data).toMatchObject({ booking_id: id, mode: 'test', num_guests: 3 });

  const sent = ['booking_confirmed', 'voucher_delivered', 'booking_modified', 'voucher_delivered', 'booking_confirmed'];
  const deliveries = [...sent, 'voucher_delivered', 'booking_cancelled', 'qr_verified'];
  await receiver.arrived(deliveries.length);
  const bodies = receiver.received.map(
    ({ body }) => JSON.parse(body) as { event: string; test?: boolean; data: object },
  );
  expect(bodies.map(({ event }) => event).sort()).toEqual(deliveries.sort());
  expect(bodies.every((body) => body.test === true)).toBe(true);
  const delivered = bodies.find(({ event }) => event === 'voucher_delivered');
  expect(delivered?.data).toMatchObject({ delivered_to: 'dev@agent.example' });

  const mails = (await peer.arrivals(mailsBefore + 4)).slice(mailsBefore);
  for (const { to, mail } of mails) {
    expect(to).toBe('dev@agent.example');
    expect(mail.subject).toMatch(/^\[TEST\] (?:Your (?:changed )?voucher|Cancelled): River Walk/);
  }
  expect(mails.filter(({ mail }) => mail.subject?.includes('Cancelled'))).toHaveLength(1);

  expect(await liveDocuments(service)).toEqual(before);
  expect((await service.inventory('city=Bangkok')).data).toEqual(inventoryBefore);
  expect(await ranking(service.key)).toEqual(rankedLive);
  const statement = await service.get<AnswerOf<'get /api/keys/self/statement'>>(
    '/api/keys/self/statement?month=2026-11',
    key,
  );
  expect(statement.data).toMatchObject({ items: [], totals: [] });
  await peer.close();
});

describe('a gate', () => {
  test('does not know vouchers of the other mode, typed or scanned', async () => {
    await using service = await openService();
    const [key, gate] = [await testKey(service), await testGate(service)];
    const [live, forTest] = [
      await service.book({ booking_date: TODAY }),
      await service.book({ booking_date: TODAY }, key),
    ];
    const token = async (code: string) => (await service.send(`/api/vouchers/${code}/qr.svg`)).status;
    expect(await token(forTest.data.voucher.code)).toBe(200);
    expect(await refusalAt(service, forTest.data.voucher.code)).toEqual(NOT_FOUND);
    expect(await refusalAt(service, live.data.voucher.code, gate)).toEqual(NOT_FOUND);
    // The same code with the start of the other mode is no voucher either.
    const disguised = forTest.data.voucher.code.replace('WT-', 'WM-');
    expect(await refusalAt(service, disguised)).toEqual(NOT_FOUND);
    expect((await service.verify({ code: live.data.voucher.code })).data.mode).toBe('live');
    expect((await service.verify({ code: forTest.data.voucher.code }, gate)).data.mode).toBe('test');
  });

  test('reads the mark on the page of a test voucher', async () => {
    await using service = await openService();
    const [live, forTest] = [await service.book(), await service.book({}, await testKey(service))];
    const page = async (code: string) => (await service.send(`/api/vouchers/${code}`)).text();
    expect(await page(forTest.data.voucher.code)).toContain('<h1>[TEST] River Walk (en)</h1>');
    expect(await page(live.data.voucher.code)).not.toContain('[TEST]');
  });

  test('is listed with its mode', async () => {
    await using service = await openService();
    await testGate(service);
    const { data } = await service.get<AnswerOf<'get /api/venues/:venue_id/devices'>>(
      '/api/venues/old-pier/devices',
      service.admin,
    );
    expect(data.items.map(({ name, mode }) => [name, mode])).toEqual([
      ['A gate', 'live'],
      ['Test gate', 'test'],
    ]);
  });
});

describe('a test key without contact_email', () => {
  test('mails nobody, and the booking says so', async () => {
    const peer = await SmtpPeer.listen();
    await using service = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
    const { data } = await service.book({}, await testKey(service));
    expect(data).toMatchObject({
      status: 'confirmed',
      email_sent: false,
      email_reason: 'TEST_MODE',
      email_sent_at: null,
    });
    expect((await service.book()).data).toMatchObject({ email_sent: true });
    expect(peer.arrived.map(({ to }) => to)).toEqual([A_WISH.user_email]);
    await peer.close();
  });
});

describe('lists', () => {
  test('show test bookings to their key and to the operator, who can leave them out', async () => {
    await using service = await openService();
    const key = await testKey(service);
    const [live, forTest] = [(await service.book()).data.booking_id, (await service.book({}, key)).data.booking_id];
    const ids = async (path: string, headers: Credentials) => {
      await service.documents('bookings');
      const { data } = await service.get<AnswerOf<'get /api/bookings'>>(path, headers);
      return data.items.map(({ booking_id, mode }) => `${booking_id} ${mode}`).sort();
    };
    expect(await ids('/api/b2a/bookings', key)).toEqual([`${forTest} test`]);
    expect(await ids('/api/b2a/bookings', service.key)).toEqual([`${live} live`]);
    expect(await ids('/api/bookings', service.admin)).toEqual([`${live} live`, `${forTest} test`].sort());
    expect(await ids('/api/bookings?mode=live', service.admin)).toEqual([`${live} live`]);
    expect(await ids('/api/bookings?mode=test', service.admin)).toEqual([`${forTest} test`]);
    expect((await service.booking(forTest)).refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('of deliveries have the payload with `test`', async () => {
    await using receiver = openReceiver();
    await using service = await openService();
    const key = await testKey(service, { webhook_url: receiver.url });
    await service.book({}, key);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    await service.documents('deliveries');
    const { data } = await service.get<AnswerOf<'get /api/webhooks/deliveries'>>('/api/webhooks/deliveries', key);
    expect(data.items.map(({ payload }) => payload)).toMatchObject([{ event: 'booking_confirmed', test: true }]);
  });
});

test('the same Idempotency-Key of a test key books once, across a restart', async () => {
  await using service = await openService();
  const contact = { contact_email: 'dev@agent.example' };
  const key = { ...(await testKey(service, contact)), 'idempotency-key': 'once' };
  const first = await service.book({}, key);
  await service.restart();
  const second = await service.book({}, key);
  expect(second.data).toEqual(first.data);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test('an erasure reaches the guest of a test booking', async () => {
  await using service = await openService();
  const key = await testKey(service);
  const { booking_id: id } = (await service.book({}, key)).data;
  await service.post(`/api/bookings/${id}/erase`, {}, service.admin);
  expect((await service.booking(id, key)).data).toMatchObject({ user_name: '[erased]', user_email: '[erased]' });
});

test('a test booking that the venue must confirm waits, and ends, as a live one', async () => {
  await using service = await openService();
  const key = await testKey(service);
  const wish = { activity_id: 'village-kitchen', booking_date: TOMORROW };
  const { data } = await service.book(wish, key);
  expect(data).toMatchObject({ status: 'pending', mode: 'test' });
  const confirmed = await service.post(`/api/bookings/${data.booking_id}/confirm`, {}, service.admin);
  expect(confirmed.data).toMatchObject({ status: 'confirmed', voucher: { mode: 'test' } });
  const { data: unanswered } = await service.book(wish, key);
  const statusNow = async () => (await service.booking(unanswered.booking_id, key)).data.status;
  service.clock.set(NOW + 24 * HOUR_MS);
  while ((await statusNow()) === 'pending') {
    service.clock.advance(MINUTE_MS);
    await new Promise(setImmediate);
  }
  expect(await statusNow()).toBe('rejected');
});
