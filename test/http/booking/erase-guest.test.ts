import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openService, type Service, TODAY, withKey } from '../../support/service.ts';
import type { Answer, AnswerOf, Deliveries } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';

const PERSONAL = /Lovelace|ada@example|window/;

type Shown = AnswerOf<'post /api/bookings/:booking_id/erase'>;

function erase(id: string, at: Service): Promise<Answer<Shown>> {
  return at.post(`/api/bookings/${id}/erase`, {}, at.admin);
}

/** Resolves once every guest stream of the booking, or of all, is deleted; the reaper runs every second. */
async function recordsGone(at: Service, booking = ''): Promise<void> {
  for (;;) {
    at.clock.advance(1_000);
    const left = (await at.events()).filter(({ stream }) => stream.startsWith(`guest-${booking}`));
    if (left.length === 0) return;
    await new Promise(setImmediate);
  }
}

/** The files of the service that hold a text. */
function filesHolding(at: Service, text: string): string[] {
  return readdirSync(at.directory).filter((name) => readFileSync(join(at.directory, name)).includes(text));
}

describe('an erasure', () => {
  test('hides the guest’s data at once, and deletes it from the store soon after', async () => {
    await using own = await openService();
    const { data } = await own.book({ special_requests: 'At the window.' });
    const id = data.booking_id;
    const { data: erased, headers } = await erase(id, own);
    const gone = { user_name: '[erased]', user_email: '[erased]', special_requests: null };
    expect<object>(erased).toEqual({
      ...data,
      ...gone,
      key_id: expect.any(String),
      city: 'Bangkok',
      guest_erased: true,
      cancelled_by: null,
      modified_by: null,
    });
    expect(headers.get('etag')).toBe('"2"');
    expect<object>((await own.booking(id)).data).toEqual({ ...data, ...gone });
    expect(await (await own.send(`/api/vouchers/${data.voucher.code}`)).text()).toContain('[erased]');
    await recordsGone(own);
    expect(JSON.stringify([await own.events(), own.logged])).not.toMatch(PERSONAL);
    await own.restart();
    expect<object>((await own.booking(id)).data).toEqual({ ...data, ...gone });
    // Repeated, it writes nothing.
    const again = await erase(id, own);
    expect([again.data, again.headers.get('x-position')]).toEqual([erased, null]);
  });

  test.each(['on', 'off'])(
    'hides the data from lists at once, and leaves no byte of it in the files: PROJECTOR_THREAD=%s',
    async (thread) => {
      await using own = await openService({ settings: { PROJECTOR_THREAD: thread } });
      const MARKER = 'zq-marker-of-the-guest';
      const wish = { user_name: MARKER, user_email: `${MARKER}@example.com`, special_requests: MARKER };
      const { data } = await own.book({ ...wish, reference: MARKER, metadata: { passport: MARKER } });
      const { data: other } = await own.book();
      await own.documents('guests');
      expect(filesHolding(own, MARKER).some((name) => name.startsWith('read-models.db'))).toBe(true);
      await erase(data.booking_id, own);
      const gone = {
        user_name: '[erased]',
        user_email: '[erased]',
        special_requests: null,
        reference: null,
        metadata: {},
      };
      // No position is sent: the erasure was answered when the lists showed it.
      const { items } = (await own.get<AnswerOf<'get /api/b2a/bookings'>>('/api/b2a/bookings', own.key)).data;
      expect(items).toEqual(expect.arrayContaining([{ ...data, ...gone }, other]));
      await recordsGone(own, data.booking_id);
      while (filesHolding(own, MARKER).length > 0) await new Promise(setImmediate);
      const kept = (await own.documents('guests')).map(({ doc }) => doc);
      expect(kept).toEqual(expect.arrayContaining([null, expect.objectContaining({ name: 'Ada Lovelace' })]));
      await own.rebuild('guests');
      expect(JSON.stringify(await own.documents('guests'))).not.toInclude(MARKER);
      expect(filesHolding(own, MARKER)).toEqual([]);
    },
  );

  test('also applies to a replay of the booking', async () => {
    await using own = await openService();
    const key = { 'idempotency-key': 'to be forgotten' };
    const { data } = await own.book({}, key);
    await erase(data.booking_id, own);
    const again = await own.book({}, key);
    expect<object>(again.data).toMatchObject({
      booking_id: data.booking_id,
      user_name: '[erased]',
      user_email: '[erased]',
    });
  });

  test('leaves the booking valid: its voucher can be verified', async () => {
    await using own = await openService();
    const { data } = await own.book({ booking_date: TODAY });
    await erase(data.booking_id, own);
    await recordsGone(own);
    expect<object>((await own.verify({ code: data.voucher.code })).data).toMatchObject({
      booking_id: data.booking_id,
      user_name: '[erased]',
    });
    const [visits] = await own.documents('visits');
    expect<object | null | undefined>(visits?.doc).toMatchObject({ guests: 2 });
  });

  test('of a cancelled or a pending booking is possible', async () => {
    await using own = await openService();
    const { data: cancelled } = await own.book();
    await own.post(`/api/b2a/bookings/${cancelled.booking_id}/cancel`, {}, own.key);
    const { data: pending } = await own.book({ activity_id: 'village-kitchen' });
    for (const { booking_id: id } of [cancelled, pending]) expect((await erase(id, own)).data.guest_erased).toBe(true);
    const confirmed = await own.post(`/api/bookings/${pending.booking_id}/confirm`, {}, own.admin);
    expect(confirmed.data).toMatchObject({ status: 'confirmed', user_name: '[erased]' });
  });

  test('of an unknown booking is BOOKING_NOT_FOUND', async () => {
    await using own = await openService();
    expect((await erase('bk_00000000000000000000', own)).refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('applies to later webhooks and to the delivery log', async () => {
    await using receiver = openReceiver();
    await using own = await openService();
    receiver.answer(() => new Response('no', { status: 500 }));
    const { key } = await own.createKey({ webhook_url: receiver.url });
    const { data } = await own.book({}, withKey(key));
    await deliveryEvents(own, 'AttemptFailed', 1);
    expect(receiver.received[0]?.body).toMatch(PERSONAL);
    await erase(data.booking_id, own);
    await own.documents('deliveries');
    const { items } = (await own.get<Deliveries>('/api/webhooks/deliveries', withKey(key))).data;
    expect(items.map(({ payload }) => payload)).toMatchObject([
      { event: 'booking_confirmed', data: { user_name: '[erased]', user_email: '[erased]' } },
    ]);
    own.clock.advance(5_000);
    const { body } = await receiver.arrived(2);
    expect(JSON.parse(body)).toEqual(items[0]?.payload);
  });
});

describe('a voucher’s mail', () => {
  test.each([
    ['erase', {}],
    ['cancel', { reason: 'weather' }],
  ])('is not retried after an operator’s %s', async (verb, body) => {
    const peer = await SmtpPeer.listen();
    const own = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url } });
    try {
      peer.recipientReplies.push(450);
      const { data } = await own.book();
      expect(data.email_sent).toBe(false);
      await own.post(`/api/bookings/${data.booking_id}/${verb}`, body, own.admin);
      // The next guest's mail is sent after the retry time of the other one.
      own.clock.advance(3_600_000);
      const { data: next } = await own.book({ user_email: 'grace@example.com' });
      expect(next.email_sent).toBe(true);
      await own.restart();
      own.clock.advance(3_600_000);
      await own.book({ user_email: 'grace@example.com' });
      // A cancellation is news of its own.
      const ofVouchers = peer.arrived.filter(({ mail }) => mail.subject?.startsWith('Your voucher'));
      expect(ofVouchers.map(({ to }) => to)).toEqual(['grace@example.com', 'grace@example.com']);
    } finally {
      await own.stop();
      await peer.close();
    }
  });
});
