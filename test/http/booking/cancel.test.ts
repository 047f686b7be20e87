import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { START } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { bookingId, commandId, fingerprint } from '../../support/examples.ts';
import { headOf } from '../../support/log-of-service.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type Answer, type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

/** A Tuesday; until 02:00 UTC of the day before, cancelling the river walk costs nothing. */
const TUESDAY = '2026-11-24';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

type Cancelled = AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>;

function cancel(
  id: string,
  body: object = {},
  headers: object = {},
  at: Service = service,
): Promise<Answer<Cancelled>> {
  return at.post(`/api/b2a/bookings/${id}/cancel`, body, { ...at.key, ...headers });
}

async function booked(change: object = {}, at: Service = service): Promise<string> {
  return (await at.book({ booking_date: TUESDAY, ...change })).data.booking_id;
}

async function slotsLeft(date: string, position: string | null, at: Service = service): Promise<number | undefined> {
  const query = `activity_id=river-walk&date=${date}`;
  const { inventory } = (await at.inventory(query, { 'x-position': position ?? '' })).data;
  return inventory[0]?.available_slots;
}

/** Without the mail’s events, which come asynchronously. */
async function eventsOf(id: string, at: Service = service): Promise<readonly StoredEvent[]> {
  return (await at.events()).filter(
    ({ stream, type }) => stream === `booking-${id}` && !type.startsWith('VoucherMail'),
  );
}

/** Resolves once slots are released. */
async function released(at: Service): Promise<void> {
  const { signal } = new AbortController();
  for await (const { events } of at.node.stores.store.subscribe({ after: START, categories: ['allotment'], signal }))
    if (events.some(({ type }) => type === 'SlotsReleased.v1')) return;
}

describe('a cancellation', () => {
  test('returns the booking, stores event and refund in one append, and releases the slots at once', async () => {
    await using own = await openService();
    const id = await booked({ num_children: 1 }, own);
    expect(await slotsLeft(TUESDAY, await headOf(own), own)).toBe(7);
    const { data, headers } = await cancel(id, {}, {}, own);
    expect(data).toEqual({
      booking_id: id,
      status: 'cancelled',
      cancelled_at: '2026-11-21T03:00:00.000Z',
      reason: 'user_requested',
      refund_status: 'processed',
      refund_amount: 361.5,
      currency: 'THB',
    });
    expect(headers.get('etag')).toBe('"2"');
    expect(headers.get('idempotent-replayed')).toBeNull();
    // The clock stands still, so the reaper cannot have run: the request released them.
    expect(await slotsLeft(TUESDAY, headers.get('x-position'), own)).toBe(10);
    const facts = (await eventsOf(id, own)).slice(3);
    expect(facts.map(({ type, data: fact }) => [type, fact] as const)).toEqual([
      [
        'BookingCancelled.v2',
        expect.objectContaining({ reason: 'user_requested', by: 'user', refundMinor: 36_150, currency: 'THB' }),
      ],
      ['RefundRecorded.v1', { keyId: expect.any(String), amountMinor: 36_150, currency: 'THB' }],
    ]);
  });

  test('shows in the booking: its status, what was refunded, and another ETag', async () => {
    const id = await booked();
    const { data: cancelled, headers } = await cancel(id);
    const { booking_id: _, status, ...cancellation } = cancelled;
    expect<object>((await service.booking(id)).data).toMatchObject({ status, cancellation });
    const { data } = await service.get<AnswerOf<'get /api/b2a/bookings'>>('/api/b2a/bookings', {
      ...service.key,
      'x-position': headers.get('x-position') ?? '',
    });
    expect(data.items.find((item) => item.booking_id === id)?.status).toBe('cancelled');
  });

  test('of a cancelled booking returns the first cancellation', async () => {
    await using own = await openService();
    const id = await booked({}, own);
    const { data: first, headers } = await cancel(id, {}, {}, own);
    own.clock.advance(36 * 3_600_000);
    for (const more of [{}, { 'if-match': '"1"' }, { 'idempotency-key': 'again' }]) {
      const again = await cancel(id, {}, more, own);
      expect(again.data).toEqual(first);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('etag')).toBe(headers.get('etag'));
    }
    await own.restart();
    expect((await cancel(id, {}, {}, own)).data).toEqual(first);
    expect((await own.events()).filter(({ type }) => type === 'RefundRecorded.v1')).toHaveLength(1);
  });

  test('under an Idempotency-Key is replayed, also after a restart', async () => {
    await using own = await openService();
    const id = await booked({}, own);
    const key = { 'idempotency-key': 'my-cancellation' };
    const first = await cancel(id, { reason: 'user_requested' }, key, own);
    await own.restart();
    const again = await cancel(id, {}, key, own);
    expect(again.data).toEqual(first.data);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  test('under an Idempotency-Key belongs to one booking: another can be cancelled under the same key', async () => {
    const key = { 'idempotency-key': 'the same for both' };
    const both = [await booked(), await booked()];
    const answers = await Promise.all(both.map((id) => cancel(id, {}, key)));
    expect(answers.map(({ data }) => data.booking_id)).toEqual(both);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, null]);
  });

  test('sent many times at once has one outcome', async () => {
    const id = await booked();
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'BookingConfirmed.v6',
      'ChargeRecorded.v2',
      'VoucherIssued.v1',
      'BookingCancelled.v2',
      'RefundRecorded.v1',
    ]);
  });

  test('makes all its slots bookable again', async () => {
    const date = '2026-12-01';
    const id = await booked({ booking_date: date, num_adults: 10 });
    expect((await service.book({ booking_date: date, num_adults: 1 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
    await cancel(id);
    expect((await service.book({ booking_date: date, num_adults: 10 })).status).toBe(200);
  });
});

describe('at the same time', () => {
  test('as a scan: either the visit counts and nothing is refunded, or the booking is cancelled and the scan refused', async () => {
    await using own = await openService();
    for (let round = 0; round < 8; round++) {
      const { data } = await own.book({ booking_date: TODAY, num_adults: 1 });
      const cancelling = () => cancel(data.booking_id, {}, {}, own);
      const scanning = () => own.verify({ code: data.voucher.code });
      const [first, second] = round % 2 === 0 ? [cancelling, scanning] : [scanning, cancelling];
      const statuses = (await Promise.all([first(), second()])).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 409]));
      const types = (await eventsOf(data.booking_id, own)).slice(3).map(({ type }) => type);
      const ended = (await own.booking(data.booking_id)).data.status;
      expect([ended, types]).toEqual(
        types[0] === 'VisitVerified.v6'
          ? ['completed', ['VisitVerified.v6']]
          : ['cancelled', ['BookingCancelled.v2', 'RefundRecorded.v1']],
      );
    }
  });
});

test('if a node crashes right after the cancellation is stored, the reaper releases the slots', async () => {
  await using own = await openService();
  const id = await booked({ num_adults: 4 }, own);
  const nowMs = own.clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const command = {
    type: 'Cancel',
    commandId: commandId('CMD2'),
    fingerprint: fingerprint('FP2'),
    reason: 'user_requested',
    by: 'user',
    ifVersions: null,
    nowMs,
    at,
  } as const;
  const { streams } = own.node.context;
  await streams.bookings.handle(bookingId(id), command, SOME_CAUSE, nowMs + 10_000);
  expect(await slotsLeft(TUESDAY, await headOf(own), own)).toBe(6);
  await own.restart();
  own.clock.advance(60_000);
  await released(own);
  expect(await slotsLeft(TUESDAY, await headOf(own), own)).toBe(10);
});

describe('a dry run', () => {
  test('returns the refund of the same call, and writes nothing', async () => {
    const id = await booked();
    const head = await headOf(service);
    const quote = await cancel(id, { dry_run: true });
    expect<object>(quote.data).toEqual({
      dry_run: true,
      booking_id: id,
      status: 'confirmed',
      cancelled_at: null,
      reason: 'user_requested',
      refund_status: 'processed',
      refund_amount: 241,
      currency: 'THB',
      free_until: '2026-11-23T02:00:00.000Z',
    });
    expect(quote.headers.get('etag')).toBe('"1"');
    expect(quote.headers.get('x-position')).toBeNull();
    expect(await headOf(service)).toBe(head);
    expect((await cancel(id)).data.refund_amount).toBe(quote.data.refund_amount);
  });

  test('of a cancelled booking returns the first cancellation', async () => {
    const id = await booked();
    const { data: first } = await cancel(id);
    expect<object>((await cancel(id, { dry_run: true })).data).toEqual({ ...first, dry_run: true, free_until: null });
  });

  test('is refused like the call itself', async () => {
    const id = await booked({ booking_date: TODAY });
    const stale = { 'if-match': '"7"' };
    expect((await cancel(id, { dry_run: true }, stale)).refusal).toEqual((await cancel(id, {}, stale)).refusal);
    await service.verify({ code: (await service.booking(id)).data.voucher.code });
    expect((await cancel(id, { dry_run: true })).refusal).toEqual((await cancel(id)).refusal);
  });
});

describe('a cancellation is refused for', () => {
  test('a booking with a verified visit', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    await service.verify({ code: data.voucher.code });
    const sentence =
      'The guests have already visited the venue, so it cannot be cancelled; ask the operator about money.';
    expect((await cancel(data.booking_id)).refusal).toEqual(
      refused(409, 'BOOKING_NOT_CANCELLABLE', sentence, {
        details: 'status: completed',
        resolution: 'contact_operator',
      }),
    );
  });

  test('a booking from the venue’s closing time on', async () => {
    await using own = await openService();
    const [one, other] = [await booked({ booking_date: TODAY }, own), await booked({ booking_date: TODAY }, own)];
    own.clock.set(Date.parse('2026-11-21T11:00:00Z') - 1);
    expect((await cancel(one, {}, {}, own)).status).toBe(200);
    own.clock.advance(1);
    const sentence = "The booking's date is over, so it cannot be cancelled; ask the operator about money.";
    expect((await cancel(other, {}, {}, own)).refusal).toEqual(
      refused(409, 'BOOKING_NOT_CANCELLABLE', sentence, { details: 'status: past', resolution: 'contact_operator' }),
    );
  });

  test('another version than the one named in If-Match', async () => {
    const id = await booked();
    const sentence =
      'The booking has changed since you read it; read it again and repeat the request with the new ETag.';
    for (const tag of ['"2"', 'W/"1"', '"one"']) {
      expect((await cancel(id, {}, { 'if-match': tag })).refusal).toEqual(
        refused(409, 'REVISION_CONFLICT', sentence, { details: 'ETag: "1"' }),
      );
    }
    const malformed =
      'The header If-Match is not an entity tag; send the ETag of the booking as it came, with its quotes.';
    expect((await cancel(id, {}, { 'if-match': '1' })).refusal).toEqual(refused(400, 'INVALID_REQUEST', malformed));
    expect((await cancel(id, {}, { 'if-match': '"7", "1"' })).status).toBe(200);
  });

  test('a reason reserved for the operator, and an unknown reason', async () => {
    const id = await booked();
    for (const reason of ['weather', 'venue_unavailable', 'system', 'boredom']) {
      const sentence = `reason must be user_requested; the other reasons are the operator’s; it was "${reason}".`;
      expect((await cancel(id, { reason })).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
    }
  });

  test('an unknown booking, or another key’s', async () => {
    const id = await booked();
    const { key: stranger } = await service.createKey();
    for (const [asked, headers] of [
      ['bk_00000000000000000000', {}],
      ['nothing', {}],
      [id, withKey(stranger)],
    ] as const) {
      const sentence = `booking_id "${asked}" does not exist among this key's bookings; check the id.`;
      const expected = refused(404, 'BOOKING_NOT_FOUND', sentence);
      expect((await cancel(asked, {}, headers)).refusal).toEqual(expected);
      expect((await cancel(asked, { dry_run: true }, headers)).refusal).toEqual(expected);
    }
    expect((await service.booking(id)).data.status).toBe('confirmed');
  });

  test('a key without the permission', async () => {
    const { key } = await service.createKey({ permissions: ['inventory'] });
    expect((await cancel(await booked(), {}, withKey(key))).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  });
});

describe('the voucher of a cancelled booking', () => {
  test('is refused at the gate', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    await cancel(data.booking_id);
    expect((await service.verify({ code: data.voucher.code })).refusal).toEqual(
      refused(409, 'VOUCHER_CANCELLED', 'This voucher was cancelled; the guest needs a new booking.', {
        details: 'cancelled 2026-11-21T03:00:00.000Z',
        resolution: 'contact_operator',
      }),
    );
    expect((await service.booking(data.booking_id)).data.status).toBe('cancelled');
  });

  test('is accepted for a scan made before the cancellation: the visit counts, and the refund stays', async () => {
    await using own = await openService();
    const { data } = await own.book({ booking_date: TODAY });
    own.clock.advance(60_000);
    const { data: cancelled } = await cancel(data.booking_id, {}, {}, own);
    own.clock.advance(60_000);
    const { code } = data.voucher;
    expect((await own.verify({ code, verified_at: '2026-11-21T03:01:00.000Z' })).refusal.code).toBe(
      'VOUCHER_CANCELLED',
    );
    const visit = await own.verify({ code, verified_at: '2026-11-21T03:00:59.999Z' });
    expect(visit.data.verified_at).toBe('2026-11-21T03:00:59.999Z');
    const { booking_id: _, status: _status, ...cancellation } = cancelled;
    const { data: after } = await own.booking(data.booking_id);
    expect<object>(after).toMatchObject({ status: 'completed', cancellation });
    expect((await cancel(data.booking_id, {}, {}, own)).refusal.code).toBe('BOOKING_NOT_CANCELLABLE');
    const refunds = (await own.events()).filter(({ type }) => type === 'RefundRecorded.v1');
    expect(refunds).toHaveLength(1);
  });

  test('shows on its page that it was cancelled, without a QR code', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    const { code } = data.voucher;
    await cancel(data.booking_id);
    const page = await service.send(`/api/vouchers/${code}`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).not.toContain('<svg');
    expect(text).toContain('datetime="2026-11-21T03:00:00.000Z"');
    for (const image of ['qr.png', 'qr.svg']) {
      const { refusal } = await service.get(`/api/vouchers/${code}/${image}`);
      expect([refusal.status, refusal.code]).toEqual([404, 'VOUCHER_NOT_FOUND']);
    }
  });
});
