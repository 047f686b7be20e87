import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openReceiver } from '../../support/receiver.ts';
import { openService, type Service, TOMORROW, withDevice, withKey } from '../../support/service.ts';
import {
  type Answer,
  type AnswerOf,
  type Booking,
  faulty,
  refused,
  type WithVoucher,
} from '../../support/service-answers.ts';

/** Two guests of the kitchen in Bali, whose venue confirms on request. */
const WISH = { activity_id: 'village-kitchen', booking_date: TOMORROW };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

type Asked = WithVoucher<AnswerOf<'post /api/bookings/:booking_id/confirm'>>;

function answer(id: string, verb: 'confirm' | 'reject', body: object = {}, at = service): Promise<Answer<Asked>> {
  return at.post(`/api/bookings/${id}/${verb}`, body, at.admin);
}

async function asked(change: object = {}, at: Service = service): Promise<string> {
  return (await at.book({ ...WISH, ...change })).data.booking_id;
}

/** Without the mail’s events, which come asynchronously. */
async function typesOf(id: string, at: Service = service): Promise<readonly string[]> {
  const events = (await at.events()).filter(({ stream }) => stream === `booking-${id}`);
  return events.map(({ type }) => type).filter((type) => !type.startsWith('VoucherMail'));
}

async function slotsLeft(position: string | null, at: Service = service): Promise<number | undefined> {
  const query = `activity_id=village-kitchen&date=${TOMORROW}`;
  return (await at.inventory(query, { 'x-position': position ?? '' })).data.inventory[0]?.available_slots;
}

describe('a booking that the venue confirms on request', () => {
  test('is pending: its slots are taken, nothing is charged, and there is no voucher', async () => {
    await using own = await openService();
    const { data, headers } = await own.book(WISH);
    expect<object>(data).toMatchObject({
      status: 'pending',
      voucher: null,
      email_sent: false,
      email_sent_at: null,
      pricing: { total: 900_000, currency: 'IDR' },
      code: null,
      cancellation: null,
    });
    const [placed, ...more] = (await own.events()).filter(({ stream }) => stream === `booking-${data.booking_id}`);
    expect([placed?.type, more]).toEqual(['BookingPlacedOnRequest.v1', []]);
    expect(await slotsLeft(headers.get('x-position'), own)).toBe(10);
    await own.restart();
    expect((await own.booking(data.booking_id)).data).toEqual(data);
  });

  test('is replayed under its Idempotency-Key with its present status', async () => {
    const key = { 'idempotency-key': 'the kitchen' };
    const { data } = await service.book(WISH, key);
    expect((await service.book(WISH, key)).data).toEqual(data);
    await answer(data.booking_id, 'confirm');
    const again = await service.book(WISH, key);
    expect([again.data.booking_id, again.data.status]).toEqual([data.booking_id, 'confirmed']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('has a deadline in hours, but not later than the last entry', async () => {
    await using own = await openService({ settings: { ON_REQUEST_HOURS: '26' } });
    const answerBy = async (booking_date: string) => {
      const id = await asked({ booking_date }, own);
      const placed = (await own.events()).find(({ stream }) => stream === `booking-${id}`);
      // The first event of a request.
      const { answerByMs } = (placed ?? { data: { answerByMs: 0 } }).data as { answerByMs: number };
      return new Date(answerByMs).toISOString();
    };
    expect(await answerBy('2026-11-25')).toBe('2026-11-22T05:00:00.000Z');
    expect(await answerBy('2026-11-22')).toBe('2026-11-22T05:00:00.000Z');
    expect(await answerBy('2026-11-21')).toBe('2026-11-21T09:00:00.000Z');
  });

  test('can be cancelled by its customer, and nothing is refunded', async () => {
    const id = await asked();
    const { data, headers } = await service.post(`/api/b2a/bookings/${id}/cancel`, {}, service.key);
    expect(data).toMatchObject({ status: 'cancelled', refund_status: 'none', refund_amount: 0, currency: 'IDR' });
    expect(await typesOf(id)).toEqual(['BookingPlacedOnRequest.v1', 'BookingCancelled.v2']);
    expect(headers.get('x-position')).not.toBeNull();
    for (const verb of ['confirm', 'reject'] as const) {
      const sentence = `The booking is cancelled, so it cannot be ${verb}ed; the guests can make a new booking.`;
      expect((await answer(id, verb)).refusal).toEqual(
        refused(409, 'BOOKING_NOT_MODIFIABLE', sentence, { details: 'status: cancelled', resolution: 'choose_other' }),
      );
    }
  });

  test('can be quoted', async () => {
    const { data } = await service.book({ ...WISH, dry_run: true });
    expect<object>(data).toMatchObject({ dry_run: true, available: true, pricing: { total: 900_000 } });
  });
});

describe('a confirmation by the venue', () => {
  test('charges the booking and issues a valid voucher; repeated, it changes nothing', async () => {
    await using own = await openService();
    const gate = withDevice((await own.createDevice('rice-terrace')).device_key);
    const id = await asked({}, own);
    const { data, headers } = await answer(id, 'confirm', {}, own);
    expect<object>(data).toMatchObject({
      booking_id: id,
      status: 'confirmed',
      email_sent: false,
      key_id: expect.any(String),
    });
    expect(data.voucher.valid_until).toBe('2026-11-22T10:00:00.000Z');
    expect(headers.get('etag')).toBe('"2"');
    expect(await typesOf(id, own)).toEqual([
      'BookingPlacedOnRequest.v1',
      'BookingConfirmed.v6',
      'ChargeRecorded.v2',
      'VoucherIssued.v1',
    ]);
    await own.restart();
    const again = await answer(id, 'confirm', {}, own);
    expect([again.data, again.headers.get('x-position')]).toEqual([data, null]);
    own.clock.set(Date.parse('2026-11-22T03:00:00Z'));
    expect((await own.verify({ code: data.voucher.code }, gate)).data.booking_id).toBe(id);
    expect((await answer(id, 'confirm', {}, own)).data.status).toBe('completed');
  });

  test('mails the voucher', async () => {
    await using own = await openService({ mails: 'sent' });
    const id = await asked({}, own);
    await answer(id, 'confirm', {}, own);
    const mailed = async (): Promise<Booking> => {
      const { data } = await own.booking(id);
      if (data.email_sent) return data;
      await new Promise(setImmediate);
      return mailed();
    };
    expect((await mailed()).email_sent_at).toBe('2026-11-21T03:00:00.000Z');
  });

  test('is accepted until just before the deadline', async () => {
    await using own = await openService();
    const one = await asked({}, own);
    own.clock.set(Date.parse('2026-11-22T03:00:00Z') - 1);
    expect((await answer(one, 'confirm', {}, own)).data.status).toBe('confirmed');
  });

  test('with If-Match confirms only that version', async () => {
    const id = await asked();
    const confirm = (tag: string) =>
      service.post<Asked>(`/api/bookings/${id}/confirm`, {}, { ...service.admin, 'if-match': tag });
    expect((await confirm('"2"')).refusal.code).toBe('REVISION_CONFLICT');
    expect((await confirm('1')).refusal.code).toBe('INVALID_REQUEST');
    expect((await confirm('"1"')).data.status).toBe('confirmed');
    expect((await confirm('"1"')).data.status).toBe('confirmed');
  });

  test('is for the operator only', async () => {
    const id = await asked();
    const path = `/api/bookings/${id}/confirm`;
    expect((await service.post(path, {}, service.key)).refusal.code).toBe('MISSING_TOKEN');
    expect((await service.post(path, {}, service.analyst)).refusal.code).toBe('FORBIDDEN');
    expect((await answer('bk_00000000000000000000', 'confirm')).refusal).toEqual(
      refused(404, 'BOOKING_NOT_FOUND', 'booking_id "bk_00000000000000000000" does not exist; check the id.'),
    );
  });
});

test('with a confirmation and a cancellation at the same time, in either order, nothing is charged twice or kept', async () => {
  await using own = await openService();
  for (let round = 0; round < 8; round++) {
    const id = await asked({}, own);
    const cancelling = () => own.post(`/api/b2a/bookings/${id}/cancel`, {}, own.key);
    const confirming = () => answer(id, 'confirm', {}, own);
    if (round % 2 === 0) await Promise.all([cancelling(), confirming()]);
    else await Promise.all([confirming(), cancelling()]);
    const types = await typesOf(id, own);
    const ended = types.includes('BookingConfirmed.v6')
      ? ['BookingConfirmed.v6', 'ChargeRecorded.v2', 'VoucherIssued.v1', 'BookingCancelled.v2', 'RefundRecorded.v1']
      : ['BookingCancelled.v2'];
    expect(types).toEqual(['BookingPlacedOnRequest.v1', ...ended]);
    expect((await own.booking(id)).data.status).toBe('cancelled');
  }
});

describe('a rejection by the venue', () => {
  test.each([
    [{}, 'venue_unavailable', 'ACTIVITY_UNAVAILABLE'],
    [{ reason: 'venue_unavailable' }, 'venue_unavailable', 'ACTIVITY_UNAVAILABLE'],
    [{ reason: 'system' }, 'system', 'SERVICE_UNAVAILABLE'],
  ])('%j releases the slots, and the booking has the reason', async (body, reason, code) => {
    await using own = await openService();
    const id = await asked({}, own);
    const { data, headers } = await answer(id, 'reject', body, own);
    const cancellation = {
      cancelled_at: '2026-11-21T03:00:00.000Z',
      reason,
      refund_status: 'none',
      refund_amount: 0,
      currency: 'IDR',
    };
    expect<object>(data).toMatchObject({ status: 'rejected', code, voucher: null, cancellation });
    expect(await slotsLeft(headers.get('x-position'), own)).toBe(12);
    expect((await answer(id, 'reject', {}, own)).data).toEqual(data);
    expect((await own.booking(id)).data).toMatchObject({ status: 'rejected', code });
    expect(await typesOf(id, own)).toEqual(['BookingPlacedOnRequest.v1', 'BookingRejected.v2']);
    expect((await answer(id, 'confirm', {}, own)).refusal.code).toBe('BOOKING_NOT_MODIFIABLE');
  });

  test('is refused for a confirmed booking', async () => {
    const { data } = await service.book();
    const sentence = 'The booking is confirmed, so it cannot be rejected; cancel it instead.';
    expect((await answer(data.booking_id, 'reject')).refusal).toEqual(
      refused(409, 'BOOKING_NOT_MODIFIABLE', sentence, { details: 'status: confirmed', resolution: 'choose_other' }),
    );
  });

  test('has one of two reasons', async () => {
    const sentence = 'reason must be one of venue_unavailable, system; it was "weather".';
    expect((await answer(await asked(), 'reject', { reason: 'weather' })).refusal).toEqual(
      faulty('INVALID_REQUEST', sentence),
    );
  });
});

describe('receivers', () => {
  test('get a webhook when a request is confirmed or rejected, and not before', async () => {
    await using receiver = openReceiver();
    await using own = await openService();
    const { key } = await own.createKey({ webhook_url: receiver.url });
    const [confirmed, declined] = [
      (await own.book(WISH, withKey(key))).data.booking_id,
      (await own.book(WISH, withKey(key))).data.booking_id,
    ];
    await answer(confirmed, 'confirm', {}, own);
    await receiver.arrived(1);
    await answer(declined, 'reject', {}, own);
    await receiver.arrived(2);
    const publicEvents = receiver.received.map(
      ({ body }) => JSON.parse(body) as { event: string; sequence: number; data: object },
    );
    expect(publicEvents).toMatchObject([
      {
        event: 'booking_confirmed',
        sequence: 2,
        data: { booking_id: confirmed, total_price: 900_000, currency: 'IDR' },
      },
      {
        event: 'booking_cancelled',
        sequence: 2,
        data: {
          booking_id: declined,
          activity_id: 'village-kitchen',
          cancelled_at: '2026-11-21T03:00:00.000Z',
          reason: 'venue_unavailable',
          cancellation_reason: 'venue_unavailable',
          refund_status: 'none',
          refund_amount: 0,
          currency: 'IDR',
        },
      },
    ]);
  });
});
