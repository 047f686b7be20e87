import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { verifyWebhook } from '../../../examples/verify-webhook.ts';
import { allTold, deliveryEvents } from '../../support/deliveries.ts';
import { eventsOf, modify } from '../../support/modifications.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { scanPng, tokenIn } from '../../support/scan.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import type { Booking, Delivery } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';

const LATER = '2026-11-25';
const AUGUSTA = { user_name: 'Augusta King', user_email: 'augusta@example.org' };

let service: Service;
afterEach(() => service.stop());

describe('the voucher of a modified booking', () => {
  beforeEach(async () => {
    service = await openService();
  });

  /** The token in the present QR code, as a phone reads it. */
  async function token({ voucher }: Booking): Promise<string> {
    const image = await service.send(new URL(voucher.qr_url).pathname);
    return tokenIn(scanPng(await image.arrayBuffer()));
  }

  test('keeps its code and is valid on the new date, even with an old QR code', async () => {
    const { data: booking } = await service.book({ booking_date: TODAY });
    const old = await token(booking);
    const { data } = await modify(service, booking, { booking_date: LATER, num_adults: 3, user_name: 'Augusta King' });
    expect(data.voucher).toEqual({ ...booking.voucher, valid_until: '2026-11-25T11:00:00.000Z' });
    const present = await token(data);
    expect(present).not.toBe(old);
    for (const code of [old, present, booking.voucher.code])
      expect((await service.verify({ code })).refusal.code).toBe('VOUCHER_NOT_VALID_TODAY');
    service.clock.set(Date.parse('2026-11-25T05:00:00Z'));
    const { data: visit } = await service.verify({ code: old });
    expect(visit).toMatchObject({ verification_method: 'qr_scan', user_name: 'Augusta King', num_guests: 3 });
    expect((await service.verify({ code: present })).refusal.code).toBe('VOUCHER_ALREADY_VERIFIED');
  });

  test('expires at the end of the new date, even with an old QR code', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    const old = await token(booking);
    await modify(service, booking, { booking_date: TOMORROW });
    service.clock.set(Date.parse('2026-11-22T11:00:00Z') - 1);
    expect((await service.verify({ code: old }, service.gates.yard)).refusal.code).toBe('WRONG_VENUE');
    service.clock.advance(1);
    expect((await service.verify({ code: old })).refusal.code).toBe('VOUCHER_EXPIRED');
  });

  test('shows the changed booking on its page', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    const page = async () => (await service.send(`/api/vouchers/${booking.voucher.code}`)).text();
    expect(await page()).toMatch(/Ada Lovelace/);
    await modify(service, booking, { ...AUGUSTA, booking_date: TOMORROW });
    const now = await page();
    expect(now).toMatch(/Augusta King/);
    expect(now).not.toMatch(/Ada Lovelace/);
  });
});

describe('the mail of a modified booking', () => {
  let peer: SmtpPeer;
  beforeEach(async () => {
    peer = await SmtpPeer.listen();
    service = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
  });
  afterEach(async () => {
    peer.speak();
    await peer.close();
  });

  test('is sent again, to the new address and for the new date, before the answer', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    expect(booking.email_sent).toBe(true);
    service.clock.advance(60_000);
    const at = new Date(NOW + 60_000).toISOString();
    const { data } = await modify(service, booking, { ...AUGUSTA, booking_date: '2026-11-26' });
    expect([data.email_sent, data.email_sent_at]).toEqual([true, at]);
    const [first, second] = await peer.arrivals(2);
    expect([first?.to, second?.to]).toEqual(['ada@example.com', 'augusta@example.org']);
    const ids = [1, 2].map((issue) => `<${booking.booking_id}.${issue}@waymark.localhost>`);
    expect([first?.mail.messageId, second?.mail.messageId]).toEqual(ids);
    expect(second?.mail.text).toMatch(/26/);
    expect(second?.mail.text).toMatch(/Augusta King/);
    expect(second?.mail.text).not.toMatch(/Ada Lovelace/);
    const mailed = (await eventsOf(service, booking)).filter(({ type }) => type === 'VoucherMailed.v3');
    expect(mailed.map(({ data: facts }) => (facts as { messageId: string }).messageId)).toEqual(ids);
  });

  test('is neither sent nor waited for if nothing differs or the request is a replay', async () => {
    const key = { 'idempotency-key': 'wish' };
    const { data: booking } = await service.book({ booking_date: LATER });
    const { data: first } = await modify(service, booking, { num_adults: 3 }, key);
    peer.recipientReplies.push(450, 450, 450);
    expect((await modify(service, booking, { num_adults: 3 })).data).toMatchObject({ email_sent: true, changes: {} });
    expect((await modify(service, booking, { num_adults: 3 }, key)).data).toEqual(first);
    expect(await peer.arrivals(2)).toHaveLength(2);
  });

  test('replaces a pending mail: only the present voucher is sent', async () => {
    peer.recipientReplies.push(450);
    const { data: booking } = await service.book({ booking_date: LATER });
    expect(booking.email_sent).toBe(false);
    expect((await modify(service, booking, AUGUSTA)).data.email_sent).toBe(true);
    service.clock.advance(48 * 3_600_000);
    await service.restart();
    const last = (await modify(service, booking, { num_adults: 3 })).data;
    expect(last.email_sent).toBe(true);
    const to = (await peer.arrivals(2)).map((arrived) => [arrived.to, arrived.mail.messageId]);
    expect(to).toEqual(
      [2, 3].map((issue) => ['augusta@example.org', `<${booking.booking_id}.${issue}@waymark.localhost>`]),
    );
  });
});

describe('receivers', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = openReceiver();
    service = await openService({ mails: 'sent', settings: { MAIL_WAIT_MS: '0' } });
  });
  afterEach(() => receiver[Symbol.asyncDispose]());

  type Told = Delivery['payload'];
  const events = (): Told[] => receiver.received.map(({ body }) => JSON.parse(body) as Told);
  const modified = (): Told[] => events().filter(({ event }) => event === 'booking_modified');

  test('get booking_modified with the request’s field names, and voucher_delivered for the new mail', async () => {
    const { key, webhook_secret: secret } = await service.createKey({ webhook_url: receiver.url });
    const { data: booking } = await service.book({ booking_date: LATER }, withKey(key));
    await receiver.arrived(2);
    service.clock.advance(60_000);
    await modify(service, booking, { ...AUGUSTA, num_adults: 3, special_requests: 'Shade' }, withKey(key));
    await receiver.arrived(4);
    for (const { headers, body } of receiver.received)
      expect(verifyWebhook(headers, body, secret, service.clock.nowMs())).not.toBeNull();
    const [event] = modified();
    expect<object>(event ?? {}).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'booking_modified',
      api_version: '2026-11',
      created_at: '2026-11-21T03:01:00.000Z',
      sequence: expect.any(Number),
      data: {
        booking_id: booking.booking_id,
        modified_at: '2026-11-21T03:01:00.000Z',
        changes: {
          user_email: { from: 'ada@example.com', to: 'augusta@example.org' },
          user_name: { from: 'Ada Lovelace', to: 'Augusta King' },
          num_adults: { from: 2, to: 3 },
          special_requests: { from: null, to: 'Shade' },
        },
        new_pricing: { unit_price: 120.5, subtotal: 361.5, discount: 0, total: 361.5, currency: 'THB' },
        modified_by: 'user',
        reference: null,
        metadata: {},
      },
    });
    const mailed = events().filter(({ event: name }) => name === 'voucher_delivered');
    expect(mailed.map(({ data }) => (data as { delivered_to: string }).delivered_to)).toEqual([
      'ada@example.com',
      'augusta@example.org',
    ]);
    expect(mailed[1]?.sequence ?? 0).toBeGreaterThan(event?.sequence ?? Number.POSITIVE_INFINITY);
  });

  test('get each change once, and nothing if nothing differs', async () => {
    const { key } = await service.createKey({ webhook_url: receiver.url, webhook_events: ['booking_modified'] });
    const { data: booking } = await service.book({ booking_date: LATER }, withKey(key));
    for (const num_adults of [3, 3, 4]) await modify(service, booking, { num_adults }, withKey(key));
    await allTold(service);
    expect(modified().map(({ data }) => (data as { changes: object }).changes)).toEqual([
      { num_adults: { from: 2, to: 3 } },
      { num_adults: { from: 3, to: 4 } },
    ]);
  });

  test('get the same bytes at every attempt, but no guest data after an erasure', async () => {
    receiver.answer(() => new Response('no', { status: 500 }));
    const { key } = await service.createKey({ webhook_url: receiver.url, webhook_events: ['booking_modified'] });
    const { data: booking } = await service.book({ booking_date: LATER }, withKey(key));
    await modify(service, booking, { ...AUGUSTA, num_adults: 3 }, withKey(key));
    await receiver.arrived(1);
    await modify(service, booking, { user_name: 'Mary Somerville' }, withKey(key));
    await deliveryEvents(service, 'AttemptFailed', 2);
    await service.restart();
    const bodies = () => receiver.received.map(({ body }) => body);
    service.clock.advance(5_000);
    await deliveryEvents(service, 'AttemptFailed', 4);
    expect(bodies().slice(2).toSorted()).toEqual(bodies().slice(0, 2).toSorted());
    for (const { type, stream } of await service.events())
      if (type === 'GuestRecorded.v1') await service.node.stores.store.erase(stream);
    service.clock.advance(30_000);
    await receiver.arrived(6);
    const changes = modified()
      .slice(4)
      .map(({ data }) => (data as { changes: object }).changes);
    const erased = { from: '[erased]', to: '[erased]' };
    expect(changes).toContainEqual({ user_email: erased, user_name: erased, num_adults: { from: 2, to: 3 } });
    expect(changes).toContainEqual({ user_name: erased });
  });
});
