import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { modify } from '../../support/modifications.ts';
import { openReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { scanPng } from '../../support/scan.ts';
import { type Credentials, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';

// The specification's tables of events, row by row: which event, when, and with which data.

type Told = {
  readonly id: string;
  readonly event: string;
  readonly api_version: string;
  readonly created_at: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
};

/** By the specification: the fields of both published shapes, `reason` and `cancellation_reason` both. */
const FIELDS = {
  booking_confirmed: [
    'booking_id',
    'activity_id',
    'activity_title',
    'activity_category',
    'user_email',
    'user_name',
    'booking_date',
    'num_adults',
    'num_children',
    'num_guests',
    'total_price',
    'currency',
    'pricing',
    'context_log_id',
    'voucher_code',
  ],
  voucher_delivered: [
    'booking_id',
    'voucher_code',
    'delivered_to',
    'delivered_at',
    'delivery_method',
    'email_provider_id',
  ],
  qr_verified: [
    'booking_id',
    'activity_id',
    'activity_title',
    'context_log_id',
    'verified_at',
    'verification_method',
    'venue_id',
    'venue_name',
    'check_in_data',
  ],
  booking_cancelled: [
    'booking_id',
    'activity_id',
    'cancelled_at',
    'reason',
    'cancellation_reason',
    'refund_status',
    'refund_amount',
    'currency',
  ],
  booking_modified: ['booking_id', 'modified_at', 'changes', 'new_pricing', 'modified_by'],
} as const;
/** The caller's own data, which every event has. */
const CALLERS = { reference: 'trip-42', metadata: { room: '1204' } };
const AT_MINUTE = (minute: number) => `2026-11-21T03:${String(minute).padStart(2, '0')}:00.000Z`;

let service: Service;
let receiver: Receiver;
let caller: Credentials;
let logId: string;
let visited: Booking;
let cancelled: Booking;
let device: { readonly device_id: string };

/**
 * One booking from a recommendation to the visit, with a price that a hotel's guests pay, changed in between, and one that is
 * cancelled; each step a minute after the one before.
 */
beforeAll(async () => {
  receiver = openReceiver();
  service = await openService({ mails: 'sent', settings: { MAIL_WAIT_MS: '0' } });
  caller = withKey((await service.createKey({ webhook_url: receiver.url, hotel_ids: ['pier-house'] })).key);
  const asked = await service.recommend({ location: { hotel_id: 'pier-house' } }, caller);
  logId = asked.data.context.log_id;
  const book = async (change: object): Promise<Booking> =>
    (await service.book({ booking_date: TODAY, num_children: 1, ...CALLERS, ...change }, caller)).data;
  const settled = async (events: number): Promise<void> => {
    await deliveryEvents(service, 'DeliverySucceeded', events);
    service.clock.advance(MINUTE_MS);
  };
  visited = await book({ context_log_id: logId });
  await settled(2);
  await modify(service, visited, { num_adults: 3 }, caller);
  await settled(4);
  const gate = await service.createDevice('old-pier', 'North gate');
  device = { device_id: gate.device_id };
  const picture = await service.send(`/api/vouchers/${visited.voucher.code}/qr.png`);
  const token = scanPng(await picture.arrayBuffer());
  await service.verify({ code: token, gate: 'north' }, { 'x-device-key': gate.device_key });
  await settled(5);
  cancelled = await book({ activity_id: 'paper-museum', booking_date: '2026-12-22' });
  await settled(7);
  await service.post(`/api/b2a/bookings/${cancelled.booking_id}/cancel`, {}, caller);
  await settled(8);
});
afterAll(async () => {
  await service?.stop();
  await receiver?.[Symbol.asyncDispose]();
});

const eventIn = ({ body }: Received) => JSON.parse(body) as Told;
/** The events of a booking with this name, oldest first. */
function of({ booking_id: id }: Booking, event: keyof typeof FIELDS): readonly Told[] {
  return receiver.received.map(eventIn).filter((one) => one.event === event && one.data['booking_id'] === id);
}

describe('emitted when', () => {
  test('each stored event leads to its public event once', () => {
    const named = receiver.received
      .map(eventIn)
      .map(({ event, created_at, data }) => [event, created_at, data['booking_id']]);
    const [one, other] = [visited.booking_id, cancelled.booking_id];
    expect(new Set(named.map((each) => each.join(' ')))).toEqual(
      new Set(
        [
          ['booking_confirmed', AT_MINUTE(0), one],
          ['voucher_delivered', AT_MINUTE(0), one],
          ['booking_modified', AT_MINUTE(1), one],
          ['voucher_delivered', AT_MINUTE(1), one],
          ['qr_verified', AT_MINUTE(2), one],
          ['booking_confirmed', AT_MINUTE(3), other],
          ['voucher_delivered', AT_MINUTE(3), other],
          ['booking_cancelled', AT_MINUTE(4), other],
        ].map((each) => each.join(' ')),
      ),
    );
    expect(named).toHaveLength(8);
  });
});

describe('envelope', () => {
  test('has a unique id, type, version, time, data, and a sequence within the booking', () => {
    const all = receiver.received.map(eventIn);
    for (const one of all) {
      expect(Object.keys(one)).toEqual(['id', 'event', 'api_version', 'created_at', 'sequence', 'data']);
      expect(one.id).toMatch(/^evt_/);
      expect(one.api_version).toBe('2026-11');
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(8);
    const ofOne = all.filter(({ data }) => data['booking_id'] === visited.booking_id);
    const byTime = ofOne.toSorted((left, right) => left.sequence - right.sequence).map(({ event }) => event);
    expect(byTime).toEqual([
      'booking_confirmed',
      'voucher_delivered',
      'booking_modified',
      'voucher_delivered',
      'qr_verified',
    ]);
  });

  test('stands in the request under its headers', () => {
    for (const received of receiver.received) {
      const { id, event } = eventIn(received);
      expect(received.headers.get('content-type')).toBe('application/json');
      expect(received.headers.get('x-service-event')).toBe(event);
      expect(received.headers.get('x-service-signature')).toMatch(/^sha256=[0-9a-f]{64}$/);
      expect(received.headers.get('x-service-delivery-id')).toMatch(/^dlv_/);
      expect(received.headers.get('user-agent')).toBe(`Waymark-Webhooks/${service.node.context.version}`);
      expect(received.headers.get('webhook-id')).toBe(id);
    }
  });
});

describe('data of', () => {
  test.each(Object.entries(FIELDS))(
    '%s has the fields of the table, the caller’s own, and no other',
    (event, fields) => {
      const named = receiver.received.map(eventIn).filter((one) => one.event === event);
      expect(named.length).toBeGreaterThan(0);
      for (const { data } of named) {
        expect(new Set(Object.keys(data))).toEqual(new Set<string>([...fields, ...Object.keys(CALLERS)]));
        expect(data).toMatchObject(CALLERS);
      }
    },
  );

  test('booking_confirmed equals the answer of the booking', () => {
    const { total_guests: guests, ...pricing } = visited.pricing;
    expect(guests).toBe(3);
    expect(of(visited, 'booking_confirmed').map(({ data }) => data)).toEqual([
      {
        booking_id: visited.booking_id,
        activity_id: 'river-walk',
        activity_title: 'River Walk (en)',
        activity_category: 'cultural',
        user_email: 'ada@example.com',
        user_name: 'Ada Lovelace',
        booking_date: TODAY,
        num_adults: 2,
        num_children: 1,
        num_guests: 3,
        total_price: 307.29,
        currency: 'THB',
        pricing: { unit_price: 120.5, subtotal: 361.5, discount: 54.21, total: 307.29, currency: 'THB' },
        context_log_id: logId,
        voucher_code: visited.voucher.code,
        ...CALLERS,
      },
    ]);
    expect(of(visited, 'booking_confirmed')[0]?.data['pricing']).toEqual(pricing);
  });

  test('voucher_delivered has recipient, time and method', () => {
    const delivered = (minute: number, issue: number) => ({
      booking_id: visited.booking_id,
      voucher_code: visited.voucher.code,
      delivered_to: 'ada@example.com',
      delivered_at: AT_MINUTE(minute),
      delivery_method: 'email',
      email_provider_id: `${visited.booking_id}.${issue}@waymark.localhost.eml`,
      ...CALLERS,
    });
    const mails = of(visited, 'voucher_delivered').map(({ data }) => data);
    expect(mails).toEqual([delivered(0, 1), delivered(1, 2)]);
  });

  test('booking_modified has the changes, the new price, and who made them', () => {
    const price = { unit_price: 120.5, subtotal: 482, discount: 72.28, total: 409.72, currency: 'THB' };
    expect(of(visited, 'booking_modified').map(({ data }) => data)).toEqual([
      {
        booking_id: visited.booking_id,
        modified_at: AT_MINUTE(1),
        changes: { num_adults: { from: 2, to: 3 } },
        // Tomorrow is past the free cancellation, and half of 307.29 is kept.
        new_pricing: { ...price, retained: 153.64 },
        modified_by: 'user',
        ...CALLERS,
      },
    ]);
  });

  test('qr_verified has the venue, and the recommendation of the booking', () => {
    expect(of(visited, 'qr_verified').map(({ data }) => data)).toEqual([
      {
        booking_id: visited.booking_id,
        activity_id: 'river-walk',
        activity_title: 'River Walk (en)',
        context_log_id: logId,
        verified_at: AT_MINUTE(2),
        verification_method: 'qr_scan',
        venue_id: 'old-pier',
        venue_name: 'Old Pier',
        check_in_data: { gate: 'north', device_id: device.device_id },
        ...CALLERS,
      },
    ]);
  });

  test('booking_cancelled has the reason in both fields, and the refund', () => {
    expect(of(cancelled, 'booking_cancelled').map(({ data }) => data)).toEqual([
      {
        booking_id: cancelled.booking_id,
        activity_id: 'paper-museum',
        cancelled_at: AT_MINUTE(4),
        reason: 'user_requested',
        cancellation_reason: 'user_requested',
        refund_status: 'processed',
        refund_amount: cancelled.pricing.total,
        currency: 'THB',
        ...CALLERS,
      },
    ]);
  });
});

test.each(['venue_unavailable', 'weather', 'system'])("an operator's reason is passed on: %s", async (reason) => {
  const before = receiver.received.length;
  const { data: booking } = await service.book({ activity_id: 'light-show' }, caller);
  await receiver.arrived(before + 2);
  await service.post(`/api/bookings/${booking.booking_id}/cancel`, { reason }, service.admin);
  await receiver.arrived(before + 3);
  expect(of(booking, 'booking_cancelled')[0]?.data).toMatchObject({
    reason,
    cancellation_reason: reason,
    refund_status: 'processed',
    refund_amount: booking.pricing.total,
  });
});
