import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type Booking, type Deliveries, type Delivery, faulty, refused } from '../../support/service-answers.ts';

let service: Service;
let receiver: Receiver;
let caller: Credentials;
let keyId: string;
/** The first was booked at 03:00 and delivered at once, the second at 03:01 and verified; the third at 03:02 failed once. */
let bookings: readonly Booking[] = [];

beforeAll(async () => {
  receiver = openReceiver();
  service = await openService();
  const created = await service.createKey({ webhook_url: `${receiver.url}/hooks?token=1` });
  [caller, keyId] = [withKey(created.key), created.id];
  const first = await service.book({}, caller);
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  service.clock.advance(MINUTE_MS);
  const second = await service.book({ booking_date: TODAY }, caller);
  await deliveryEvents(service, 'DeliverySucceeded', 2);
  service.clock.advance(MINUTE_MS);
  await service.verify({ code: second.data.voucher.code });
  await deliveryEvents(service, 'DeliverySucceeded', 3);
  service.clock.advance(MINUTE_MS);
  receiver.answer(() => new Response('no', { status: 503 }));
  const third = await service.book({ webhook_url: `${receiver.url}/own` }, caller);
  await deliveryEvents(service, 'AttemptFailed', 1);
  bookings = [first, second, third].map(({ data }) => data);
});
afterAll(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function list(query = '', headers = caller) {
  await service.documents('deliveries');
  return service.get<Deliveries>(`/api/webhooks/deliveries${query}`, headers);
}

/** What a list shows: the event and the number of the booking. */
async function shown(query: string) {
  const { data } = await list(query);
  return data.items.map(
    ({ event, booking_id: id }) => [event, bookings.findIndex((one) => one.booking_id === id) + 1] as const,
  );
}

const ALL: (readonly [event: Delivery['event'], booking: number])[] = [
  ['booking_confirmed', 3],
  ['qr_verified', 2],
  ['booking_confirmed', 2],
  ['booking_confirmed', 1],
];

describe('the delivery log', () => {
  test('shows a whole delivery, with the sent payload and the URL', async () => {
    const [failed, , , delivered] = (await list()).data.items;
    expect(failed).toEqual({
      delivery_id: expect.stringMatching(/^dlv_/),
      key_id: keyId,
      event_id: expect.stringMatching(/^evt_/),
      event: 'booking_confirmed',
      booking_id: bookings[2]?.booking_id ?? '',
      url: `${receiver.url}/own`,
      status: 'retrying',
      scheduled_at: '2026-11-21T03:03:00.000Z',
      attempts: [
        {
          at: '2026-11-21T03:03:00.000Z',
          response_code: 503,
          response_time_ms: expect.any(Number),
          error: 'answered 503',
        },
      ],
      next_attempt_at: '2026-11-21T03:03:05.000Z',
      failed_because: null,
      payload: JSON.parse(receiver.received[3]?.body ?? '{}'),
    });
    expect(delivered).toMatchObject({
      url: `${receiver.url}/hooks?token=1`,
      status: 'success',
      attempts: [{ at: '2026-11-21T03:00:00.000Z', response_code: 200, error: null }],
      next_attempt_at: null,
      payload: JSON.parse(receiver.received[0]?.body ?? '{}'),
    });
    expect(delivered?.delivery_id).toBe(receiver.received[0]?.headers.get('x-service-delivery-id') ?? '');
    expect(delivered?.event_id).toBe(receiver.received[0]?.headers.get('webhook-id') ?? '');
  });

  test.each([
    ['', ALL],
    ['?status=success', ALL.slice(1)],
    ['?status=retrying', ALL.slice(0, 1)],
    ['?status=failed', []],
    ['?event=qr_verified', ALL.slice(1, 2)],
    ['?event=booking_cancelled', []],
    ['?from=2026-11-21T03:01:00Z', ALL.slice(0, 3)],
    ['?from=2026-11-21T03:01:00.001Z', ALL.slice(0, 2)],
    ['?to=2026-11-21T03:01:00Z', ALL.slice(3)],
    ['?from=2026-11-21T10:01:00%2B07:00&to=2026-11-21T10:02:00%2B07:00', ALL.slice(2, 3)],
    ['?from=2026-11-21&to=2026-11-21', ALL],
    ['?from=0000-01-01&to=9999-12-31', ALL],
    ['?from=2026-11-22', []],
    ['?to=2026-11-20', []],
    ['?booking_id=bk_00000000000000000000', []],
    ['?booking_id=nothing', []],
  ])('%s has the right deliveries, newest first', async (query, expected) => {
    expect(await shown(query)).toEqual(expected);
  });

  test('can be filtered by booking', async () => {
    expect(await shown(`?booking_id=${bookings[1]?.booking_id}`)).toEqual(ALL.slice(1, 3));
    expect(await shown(`?booking_id=${bookings[1]?.booking_id}&event=booking_confirmed`)).toEqual(ALL.slice(2, 3));
  });

  test('is paginated', async () => {
    const first = (await list('?limit=3')).data;
    const second = (await list(`?limit=3&cursor=${first.next_cursor}`)).data;
    const whole = (await list()).data;
    expect([...first.items, ...second.items]).toEqual([...whole.items]);
    expect([first.items.length, second.next_cursor, whole.next_cursor]).toEqual([3, null, null]);
  });

  test('shows one delivery by its id', async () => {
    const [first] = (await list()).data.items;
    expect((await service.get(`/api/webhooks/deliveries/${first?.delivery_id}`, caller)).data).toEqual(first ?? {});
  });

  test("does not show another key's deliveries", async () => {
    const [first] = (await list()).data.items;
    const other = withKey((await service.createKey()).key);
    expect((await list('', other)).data).toEqual({ items: [], next_cursor: null });
    for (const id of [first?.delivery_id ?? '', 'dlv_000000000000000000000000', 'nonsense']) {
      expect((await service.get(`/api/webhooks/deliveries/${id}`, other)).refusal).toEqual(
        refused(
          404,
          'NOT_FOUND',
          `There is no delivery "${id}" in this key's log; GET /api/webhooks/deliveries lists them.`,
        ),
      );
    }
  });

  test.each([
    ['status=scheduled', 'INVALID_REQUEST', 'status must be one of success, retrying, failed; it was "scheduled".'],
    ['event=booked', 'INVALID_REQUEST', `event must be one of ${WEBHOOK_EVENTS.join(', ')}; it was "booked".`],
    [
      'from=soon',
      'INVALID_DATE',
      'from must be a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone; it was "soon".',
    ],
    [
      'to=2026-02-30',
      'INVALID_DATE',
      'to must be a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone; it was "2026-02-30".',
    ],
    ['limit=0', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100; it was 0.'],
    ['limit=101', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100; it was 101.'],
  ] as const)('asked with %s is %s', async (query, code, sentence) => {
    expect((await list(`?${query}`)).refusal).toEqual(faulty(code, sentence));
  });

  test('is the same after a rebuild', async () => {
    const before = (await list()).data;
    const outcome = await service.rebuild('deliveries');
    expect(outcome).toMatchObject({ differences: 0 });
    expect((await list()).data).toEqual(before);
  });
});

test('a delivery is not shown after 90 days', async () => {
  const [newest] = (await list()).data.items;
  await using later = await openService({ settings: { WEBHOOK_LOG_DAYS: '90' } });
  const key = withKey((await later.createKey({ webhook_url: receiver.url })).key);
  receiver.answer(() => new Response('ok'));
  await later.book({}, key);
  await deliveryEvents(later, 'DeliverySucceeded', 1);
  await later.documents('deliveries');
  const count = async () => (await later.get<Deliveries>('/api/webhooks/deliveries', key)).data.items.length;
  const [one] = (await later.get<Deliveries>('/api/webhooks/deliveries', key)).data.items;
  later.clock.advance(90 * DAY_MS);
  expect(await count()).toBe(1);
  later.clock.advance(1);
  expect(await count()).toBe(0);
  const gone = await later.get(`/api/webhooks/deliveries/${one?.delivery_id}`, key);
  expect(gone.refusal.code).toBe('NOT_FOUND');
  expect(newest?.status).toBe('retrying');
});
