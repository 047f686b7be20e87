import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { verifyBodySignature, verifyWebhook } from '../../../examples/verify-webhook.ts';
import type { ApiKeyEvent } from '../../../src/domain/apikey/apikey.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { keySettingsIn } from '../../../src/processes/schedule-deliveries/key-settings.ts';
import {
  type ScheduleDelivery,
  scheduleDeliveries,
} from '../../../src/processes/schedule-deliveries/process-manager.ts';
import { scheduleDelivery } from '../../../src/processes/schedule-deliveries/schedule-delivery.ts';
import { allTold, deliveryEvents } from '../../support/deliveries.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { openReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';
import { NOW, openService, type Service, TODAY, withKey } from '../../support/service.ts';

let service: Service;
let receiver: Receiver;
beforeEach(async () => {
  receiver = openReceiver();
  service = await openService();
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

/** The body of a request, after both signatures are verified. */
function eventIn({ headers, body }: Received, secret: string) {
  const event = verifyWebhook(headers, body, secret, service.clock.nowMs());
  expect(verifyBodySignature(headers.get('x-service-signature'), body, secret)).toBe(true);
  expect(headers.get('x-service-event')).toBe(event?.event ?? '');
  expect(headers.get('webhook-id')).toBe(event?.id ?? '');
  return event;
}

/** The events sent for each booking, once all are sent. */
async function toldAfterAll(): Promise<string[]> {
  await allTold(service);
  return receiver.received.map(({ body }) => {
    const { event, data } = JSON.parse(body) as { event: string; data: { booking_id: string } };
    return `${event} ${data.booking_id}`;
  });
}

describe('a booking with a key that has a receiver', () => {
  test('sends booking_confirmed: a signed POST to the key’s URL', async () => {
    const { key, webhook_secret: secret } = await service.createKey({ webhook_url: `${receiver.url}/hooks` });
    const { data: booking } = await service.book({ num_children: 1 }, withKey(key));
    const received = await receiver.arrived(1);
    expect([received.method, received.path]).toEqual(['POST', '/hooks']);
    expect(received.headers.toJSON()).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(received.body)),
      'user-agent': `Waymark-Webhooks/${service.node.context.version}`,
      'x-service-event': 'booking_confirmed',
      'x-service-delivery-id': expect.stringMatching(/^dlv_[0-9a-hjkmnp-tv-z]{24}$/),
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'webhook-id': expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{24}$/),
      'webhook-timestamp': String(NOW / 1_000),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      host: new URL(receiver.url).host,
      connection: 'keep-alive',
    });
    expect<object | null>(eventIn(received, secret)).toEqual({
      id: received.headers.get('webhook-id'),
      event: 'booking_confirmed',
      api_version: '2026-11',
      created_at: '2026-11-21T03:00:00.000Z',
      sequence: 1,
      data: {
        booking_id: booking.booking_id,
        activity_id: 'river-walk',
        activity_title: 'River Walk (en)',
        activity_category: 'cultural',
        user_email: 'ada@example.com',
        user_name: 'Ada Lovelace',
        booking_date: '2026-11-22',
        num_adults: 2,
        num_children: 1,
        num_guests: 3,
        total_price: 361.5,
        currency: 'THB',
        pricing: { unit_price: 120.5, subtotal: 361.5, discount: 0, total: 361.5, currency: 'THB' },
        context_log_id: null,
        voucher_code: booking.voucher.code,
        reference: null,
        metadata: {},
      },
    });
  });

  test('sends events in its own language', async () => {
    const { key, webhook_secret: secret } = await service.createKey({ webhook_url: receiver.url });
    await service.book({}, { ...withKey(key), 'accept-language': 'th' });
    const event = eventIn(await receiver.arrived(1), secret);
    expect(event?.data).toMatchObject({ activity_title: 'River Walk (th)' });
  });

  test('sends voucher_delivered and qr_verified, ordered by `sequence`', async () => {
    const { key, webhook_secret: secret } = await service.createKey({ webhook_url: receiver.url });
    const { data: booking } = await service.book({ booking_date: TODAY }, withKey(key));
    await receiver.arrived(1);
    const mailed = { messageId: '<1@waymark>', providerId: 'queued as 1', at: '2026-11-21T03:00:01.000Z' };
    const recipient = fingerprint('ADA');
    const command = { type: 'RecordVoucherMailed', issue: 1, recipient, ...mailed } as const;
    const { bookings } = service.node.context.streams;
    await bookings.handle(bookingId(booking.booking_id), command, SOME_CAUSE, NOW + 10_000);
    const delivered = eventIn(await receiver.arrived(2), secret);
    service.clock.advance(60_000);
    await service.verify({ code: booking.voucher.code, gate: 'north' });
    const verified = eventIn(await receiver.arrived(3), secret);
    expect<readonly (object | null)[]>([delivered, verified]).toEqual([
      {
        id: expect.any(String),
        event: 'voucher_delivered',
        api_version: '2026-11',
        created_at: SOME_CAUSE.at,
        sequence: 4,
        data: {
          booking_id: booking.booking_id,
          voucher_code: booking.voucher.code,
          delivered_to: 'ada@example.com',
          delivered_at: '2026-11-21T03:00:01.000Z',
          delivery_method: 'email',
          email_provider_id: 'queued as 1',
          reference: null,
          metadata: {},
        },
      },
      {
        id: expect.any(String),
        event: 'qr_verified',
        api_version: '2026-11',
        created_at: '2026-11-21T03:01:00.000Z',
        sequence: 5,
        data: {
          booking_id: booking.booking_id,
          activity_id: 'river-walk',
          activity_title: 'River Walk (en)',
          context_log_id: null,
          verified_at: '2026-11-21T03:01:00.000Z',
          verification_method: 'manual',
          venue_id: 'old-pier',
          venue_name: 'Old Pier',
          check_in_data: { gate: 'north', device_id: expect.stringMatching(/^dev_/) },
          reference: null,
          metadata: {},
        },
      },
    ]);
  });
});

describe('the receiver is', () => {
  test("the booking's own if it has one, signed with the key's secret", async () => {
    const { key, webhook_secret: secret } = await service.createKey({ webhook_url: `${receiver.url}/key` });
    await service.book({ webhook_url: `${receiver.url}/booking?token=1` }, withKey(key));
    const received = await receiver.arrived(1);
    expect(received.path).toBe('/booking');
    expect(eventIn(received, secret)?.event).toBe('booking_confirmed');
    expect(await toldAfterAll()).toHaveLength(1);
  });

  test("the booking's own even if the key has none", async () => {
    await service.book({ webhook_url: `${receiver.url}/booking` });
    expect((await receiver.arrived(1)).path).toBe('/booking');
  });

  test('nobody if neither has one', async () => {
    const { data: booking } = await service.book();
    await allTold(service);
    expect(await writtenFor(booking.booking_id)).toEqual([]);
  });
});

describe('webhook_events', () => {
  test('sends only the listed events', async () => {
    const { key } = await service.createKey({ webhook_url: receiver.url, webhook_events: ['qr_verified'] });
    const { data: booking } = await service.book({ booking_date: TODAY }, withKey(key));
    await service.verify({ code: booking.voucher.code });
    await receiver.arrived(1);
    expect(await toldAfterAll()).toEqual([`qr_verified ${booking.booking_id}`]);
  });

  test('sends nothing if empty, not even to a booking’s own URL', async () => {
    const silent = await service.createKey({ webhook_url: receiver.url, webhook_events: [] });
    await service.book({ webhook_url: receiver.url }, withKey(silent.key));
    const { key } = await service.createKey({ webhook_url: receiver.url });
    const { data: booking } = await service.book({}, withKey(key));
    await receiver.arrived(1);
    expect(await toldAfterAll()).toEqual([`booking_confirmed ${booking.booking_id}`]);
  });
});

describe('a URL that is set later,', () => {
  test('gets no earlier event, not even from a fan-out that repeats itself', async () => {
    const headers = withKey((await service.createKey()).key);
    const { data: booking } = await service.book({}, headers);
    await service.patch('/api/keys/self', { webhook_url: receiver.url }, headers);
    const [command] = await owedByAll();
    expect(await executed(command)).toBe(true);
    expect(await toldAfterAll()).toEqual([]);
    expect(await writtenFor(booking.booking_id)).toEqual([]);
  });

  test('or a filter, does not matter to what was heard before', async () => {
    const headers = withKey((await service.createKey({ webhook_url: 'http://127.0.0.1:1/' })).key);
    const { data: booking } = await service.book({}, headers);
    await service.patch('/api/keys/self', { webhook_events: [] }, headers);
    const [command] = await owedByAll();
    expect(await executed(command)).toBe(true);
    expect(await writtenFor(booking.booking_id)).toContain('DeliveryScheduled.v1');
  });
});

describe('an event of an earlier version', () => {
  test.each([
    ['that nobody hears leaves a record for the feed', {}, 'DeliveryOmitted'],
    ['is delivered', { webhook_url: 'http://127.0.0.1:1/' }, 'DeliveryScheduled'],
  ] as const)('%s, with the facts of its booking', async (_, settings, type) => {
    await service.book({}, withKey((await service.createKey(settings)).key));
    const [{ facts, ...command }] = await owedByAll();
    expect(await executed({ ...command, facts: null, storedEventId: 'stored-before' })).toBe(true);
    const stored = await deliveryEvents(service, type, 1);
    expect(stored.at(-1)?.data).toMatchObject(facts ?? expect.unreachable());
  });
});

describe('an event is sent once', () => {
  test('after a repeated request, a restart and a rebuild of read models', async () => {
    const { key } = await service.createKey({ webhook_url: receiver.url });
    const headers = { ...withKey(key), 'idempotency-key': 'once' };
    const { data: booking } = await service.book({}, headers);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    await service.book({}, headers);
    await service.restart();
    for (const name of ['deliveries', 'bookings']) await service.rebuild(name);
    expect(await toldAfterAll()).toEqual([`booking_confirmed ${booking.booking_id}`]);
  });

  test('even if the fan-out restarts at the first event', async () => {
    const { key } = await service.createKey({ webhook_url: receiver.url });
    await service.book({}, withKey(key));
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const [command] = await owedByAll();
    expect(await executed(command)).toBe(true);
    expect(await toldAfterAll()).toHaveLength(1);
  });
});

test('events older than the delivery log are not sent', async () => {
  const { key } = await service.createKey({ webhook_url: receiver.url });
  await service.book({}, withKey(key));
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  const [command] = await owedByAll();
  const another = (storedEventId: string, atMs: number) =>
    executed({ ...command, storedEventId, at: new Date(atMs).toISOString() });
  expect([await another('old', NOW - 90 * DAY_MS - 1), await another('young', NOW - 90 * DAY_MS)]).toEqual([
    true,
    true,
  ]);
  expect(await toldAfterAll()).toHaveLength(2);
});

/** The types of the delivery events of a booking. */
async function writtenFor(booking: string): Promise<readonly string[]> {
  const events = (await service.events()).filter(({ stream }) => stream.startsWith('delivery-'));
  return events.filter(({ data }) => JSON.stringify(data).includes(booking)).map(({ type }) => type);
}

/** What a fan-out does that has just started. */
function executed(command: ScheduleDelivery): Promise<boolean> {
  const { webhooks } = service.node.context;
  return scheduleDelivery(command, webhooks, keySettingsIn(webhooks.store));
}

/** The commands of a fan-out that starts from the first event. */
async function owedByAll(): Promise<[ScheduleDelivery]> {
  let open = scheduleDeliveries.initial;
  for (const stored of await service.events()) {
    const event = /^(booking|apikey)-/.test(stored.stream) ? decodeEvent(stored) : null;
    // The codecs of bookings and keys gave it back.
    if (event !== null) open = scheduleDeliveries.react(open, event as Recorded<BookingEvent | ApiKeyEvent>);
  }
  const [command, ...more] = scheduleDeliveries.due(open, NOW, roomFor(100));
  if (command === undefined || more.length > 0) throw new Error('there is not exactly one event to tell of');
  return [command];
}
