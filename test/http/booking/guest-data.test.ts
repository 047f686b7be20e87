import { describe, expect, test } from 'bun:test';
import { deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openService, type Service, TODAY, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';

type Erasure = AnswerOf<'get /api/bookings/:booking_id/erasure'>;
type Export = AnswerOf<'get /api/bookings/:booking_id/guest-export'>;

const erasureOf = async (id: string, at: Service) =>
  (await at.get<Erasure>(`/api/bookings/${id}/erasure`, at.admin)).data;
const exportOf = async (id: string, at: Service) =>
  (await at.get<Export>(`/api/bookings/${id}/guest-export`, at.admin)).data;

const counts = (items: Erasure['erased']) => items.map(({ what, count }) => [what, count]);

async function completed(id: string, at: Service): Promise<Erasure> {
  for (;;) {
    const erasure = await erasureOf(id, at);
    if (erasure.complete) return erasure;
    at.clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

describe('GET /api/bookings/{id}/erasure', () => {
  test('says what an erasure would reach, and then what it reached', async () => {
    await using own = await openService();
    const { data } = await own.book();
    await own.post(`/api/b2a/bookings/${data.booking_id}/modify`, { user_name: 'Ada King' }, own.key);
    await own.documents('guests');
    const before = await erasureOf(data.booking_id, own);
    expect<object>(before).toMatchObject({
      booking_id: data.booking_id,
      erased_at: null,
      erased_by: null,
      // A year after the end of the booked date.
      erases_at: '2027-11-22T11:00:00.000Z',
      complete: false,
    });
    expect(counts(before.erased)).toEqual([
      ['guest_records', 2],
      ['list_rows', 2],
    ]);
    expect(counts(before.waiting)).toEqual([['backups', null]]);
    expect(counts(before.kept)).toContainEqual(['ledger_entry', 0]);
    await own.post(`/api/bookings/${data.booking_id}/erase`, {}, own.admin);
    const after = await completed(data.booking_id, own);
    expect<object>(after).toMatchObject({
      erased_at: '2026-11-21T03:00:00.000Z',
      erased_by: 'operator',
      erases_at: null,
    });
    expect(counts(after.erased)).toEqual([
      ['guest_records', 0],
      ['list_rows', 0],
    ]);
    expect(counts(after.kept)).toContainEqual(['ledger_entry', 1]);
    expect(JSON.stringify(after)).not.toMatch(/Ada|ada@/);
  });

  test('counts the mails and webhooks that were sent', async () => {
    await using receiver = openReceiver();
    await using own = await openService({ mails: 'sent' });
    const { key } = await own.createKey({ webhook_url: receiver.url });
    const { data } = await own.book({}, withKey(key));
    await deliveryEvents(own, 'DeliverySucceeded', 2);
    await own.documents('deliveries');
    const { waiting } = await erasureOf(data.booking_id, own);
    expect(counts(waiting)).toEqual([
      ['backups', null],
      ['sent_mails', 1],
      ['webhook_receivers', 2],
    ]);
    expect(waiting[1]?.text).toContain('outbox');
  });

  test('of an unknown booking is BOOKING_NOT_FOUND, and so is an export', async () => {
    await using own = await openService();
    for (const what of ['erasure', 'guest-export'])
      expect((await own.get(`/api/bookings/bk_00000000000000000000/${what}`, own.admin)).refusal.code).toBe(
        'BOOKING_NOT_FOUND',
      );
  });
});

describe('GET /api/bookings/{id}/guest-export', () => {
  test('has every record of the guest, the booking, the mails and the webhooks', async () => {
    await using receiver = openReceiver();
    const peer = await SmtpPeer.listen();
    await using own = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
    const { key } = await own.createKey({ webhook_url: `${receiver.url}/secret-path` });
    const wish = {
      booking_date: TODAY,
      special_requests: 'At the window.',
      reference: 'trip-42',
      metadata: { room: '7' },
    };
    const { data } = await own.book(wish, withKey(key));
    const id = data.booking_id;
    await own.post(`/api/b2a/bookings/${id}/modify`, { user_email: 'king@example.com' }, withKey(key));
    await deliveryEvents(own, 'DeliverySucceeded', 4);
    const { data: read } = await own.booking(id, withKey(key));
    await own.verify({ code: read.voucher.code });
    await deliveryEvents(own, 'DeliverySucceeded', 5);
    await own.documents('deliveries');
    const exported = await exportOf(id, own);
    const record = {
      recorded_at: '2026-11-21T03:00:00.000Z',
      user_name: 'Ada Lovelace',
      special_requests: 'At the window.',
      reference: 'trip-42',
      metadata: { room: '7' },
    };
    expect(exported.records).toEqual([
      { ...record, user_email: 'ada@example.com' },
      { ...record, user_email: 'king@example.com' },
    ]);
    expect(exported.mails.map(({ to, kind }) => [to, kind])).toEqual([
      ['ada@example.com', 'voucher'],
      ['king@example.com', 'voucher'],
    ]);
    const { origin } = new URL(receiver.url);
    expect(exported.webhooks.map(({ event, status, receiver: sentTo }) => [event, status, sentTo])).toEqual([
      ['booking_confirmed', 'success', origin],
      ['voucher_delivered', 'success', origin],
      ['booking_modified', 'success', origin],
      ['voucher_delivered', 'success', origin],
      ['qr_verified', 'success', origin],
    ]);
    expect<object>(exported.booking).toMatchObject({ booking_id: id, status: 'completed', visit: { disputed: false } });
    expect(exported.erases_at).toBe('2027-11-21T03:00:00.000Z');
    expect(exported.history.map(({ event }) => event)).toContain('visited');
    // Nothing that belongs to the key.
    expect(JSON.stringify(exported)).not.toMatch(/secret-path|key_/);
    await peer.close();
  });

  test('of an erased guest has no data', async () => {
    await using own = await openService();
    const { data } = await own.book({ special_requests: 'At the window.' });
    await own.post(`/api/bookings/${data.booking_id}/erase`, {}, own.admin);
    const exported = await exportOf(data.booking_id, own);
    expect([exported.erased, exported.records, exported.erases_at]).toEqual([true, [], null]);
    expect(JSON.stringify(exported)).not.toMatch(/Ada|ada@|window/);
  });
});
