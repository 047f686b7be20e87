import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { allTold, deliveryEvents, storeDeliveries } from '../../support/deliveries.ts';
import { deliveryFacts, publicEventId } from '../../support/examples.ts';
import { headOf } from '../../support/log-of-service.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type AnswerOf, faulty } from '../../support/service-answers.ts';

type Feed = AnswerOf<'get /api/b2a/events'>;

let service: Service;
let receiver: Receiver;
let caller: Credentials;
beforeEach(async () => {
  receiver = openReceiver();
  service = await openService();
  caller = withKey((await service.createKey({ webhook_url: receiver.url })).key);
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

const at = (ms: number) => new Date(NOW + ms).toISOString();
const keyed = (key: string) => ({ ...caller, 'idempotency-key': key });

async function feed(query = '', headers = caller) {
  await service.documents('feed');
  return service.get<Feed>(`/api/b2a/events${query}`, headers);
}

const eventsOf = async (query = '', headers = caller) =>
  (await feed(query, headers)).data.items.map(({ event }) => event);

async function replay(body: object, headers = caller) {
  await service.documents('feed');
  return service.post<{
    readonly replay_id: string;
    readonly scheduled: number;
    readonly suspended: number;
    readonly next_cursor: string | null;
  }>('/api/webhooks/replay', body, headers);
}

/** A booking today that is verified a minute later; the receiver of `headers` gets both events. */
async function visited(headers = caller): Promise<void> {
  const { data } = await service.book({ booking_date: TODAY }, headers);
  await deliveryEvents(service, 'DeliverySucceeded', 1);
  service.clock.advance(MINUTE_MS);
  await service.verify({ code: data.voucher.code });
  await deliveryEvents(service, 'DeliverySucceeded', 2);
}

describe('the feed', () => {
  test('has the events as they were posted, oldest first', async () => {
    await visited();
    const { items, next_cursor } = (await feed()).data;
    expect(items.map((item) => JSON.stringify(item))).toEqual(receiver.received.map(({ body }) => body));
    expect(items.map(({ event }) => event)).toEqual(['booking_confirmed', 'qr_verified']);
    expect(next_cursor).toBeNull();
  });

  test('has events without a receiver too', async () => {
    const deaf = withKey((await service.createKey()).key);
    const choosy = withKey((await service.createKey({ webhook_url: receiver.url, webhook_events: [] })).key);
    for (const headers of [deaf, choosy]) await service.book({}, headers);
    for (const headers of [deaf, choosy]) expect(await eventsOf('', headers)).toEqual(['booking_confirmed']);
    await allTold(service);
    expect(receiver.received).toEqual([]);
    // Only the delivery that marks the end in `allTold`.
    const streams = (await service.events()).map(({ stream }) => stream);
    expect(new Set(streams.filter((stream) => stream.startsWith('delivery-'))).size).toBe(1);
  });

  test('continues after the last event taken, whatever came since', async () => {
    for (let booked = 0; booked < 3; booked++) await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 3);
    const first = (await feed('?limit=2')).data;
    expect(first.next_cursor).toBe(first.items[1]?.id ?? '');
    const second = (await feed(`?limit=2&after=${first.next_cursor}`)).data;
    expect([second.items.length, second.next_cursor]).toEqual([1, null]);
    const last = second.items[0]?.id ?? '';
    expect(await eventsOf(`?after=${last}`)).toEqual([]);
    await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 4);
    const third = (await feed(`?after=${last}`)).data;
    const ids = [...first.items, ...second.items, ...third.items].map(({ id }) => id);
    expect(ids).toEqual((await feed()).data.items.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
  });

  test('starts at the oldest event of the delivery log, even after an older cursor', async () => {
    await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const [old] = (await feed()).data.items;
    service.clock.advance(90 * DAY_MS);
    expect(await eventsOf()).toEqual(['booking_confirmed']);
    service.clock.advance(1);
    expect(await eventsOf()).toEqual([]);
    await service.book({ booking_date: '2027-03-01' }, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    const now = (await feed()).data.items;
    expect(now).toHaveLength(1);
    expect((await feed(`?after=${old?.id}`)).data.items).toEqual(now);
  });

  test("does not have another key's events, nor accept them as cursor", async () => {
    await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const [event] = (await feed()).data.items;
    const other = withKey((await service.createKey()).key);
    expect(await eventsOf('', other)).toEqual([]);
    const sentence = `after must be the id of an event of this key; it was "${event?.id}". Leave it out to begin with the oldest.`;
    expect((await feed(`?after=${event?.id}`, other)).refusal).toMatchObject({
      code: 'INVALID_REQUEST',
      error: sentence,
    });
    expect((await feed('?after=evt_1')).refusal).toEqual(
      faulty('INVALID_REQUEST', 'after must be an event\'s id; it was "evt_1".'),
    );
  });

  test('is the same after a rebuild, and after a replay', async () => {
    await visited();
    const before = (await feed()).data;
    await replay({ from: at(0) });
    await deliveryEvents(service, 'DeliverySucceeded', 4);
    expect(await service.rebuild('feed')).toMatchObject({ differences: 0 });
    expect((await feed()).data).toEqual(before);
  });
});

test.each([
  [
    'the feed',
    async (headers: Credentials) => (await service.get<Feed>('/api/b2a/events?limit=100', headers)).data.items.length,
  ],
  [
    'a replay',
    async (headers: Credentials) =>
      (await service.post<AnswerOf<'post /api/webhooks/replay'>>('/api/webhooks/replay', { from: at(0) }, headers)).data
        .scheduled,
  ],
])('%s includes all events up to the position that the caller sends', async (_, count) => {
  await service.book({}, caller);
  const [scheduled] = await deliveryEvents(service, 'DeliveryScheduled', 1);
  const facts = { ...deliveryFacts(), ...scheduled?.data };
  await storeDeliveries(service, 99, (copy) => [
    { type: 'DeliveryOmitted', data: { ...facts, eventId: publicEventId(`evt_${copy}`) } },
  ]);
  const position = await headOf(service);
  expect(await count({ ...keyed('fresh'), 'x-position': position })).toBe(100);
});

describe('a replay', () => {
  test('sends delivered events again: the same ids and bytes, in new deliveries', async () => {
    await visited();
    expect((await replay({ from: at(0) })).data).toEqual({
      replay_id: expect.stringMatching(/^rpl_/),
      scheduled: 2,
      suspended: 0,
      next_cursor: null,
    });
    await deliveryEvents(service, 'DeliverySucceeded', 4);
    const [first, second, ...again] = receiver.received;
    expect(new Set(again.map(({ body }) => body))).toEqual(new Set([first?.body ?? '', second?.body ?? '']));
    const deliveries = receiver.received.map(({ headers }) => headers.get('x-service-delivery-id'));
    expect(new Set(deliveries).size).toBe(4);
    expect(new Set(receiver.received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(2);
  });

  test('can be limited to a time and to some events', async () => {
    await visited();
    const scheduled = async (body: object) => (await replay(body)).data.scheduled;
    expect(await scheduled({ from: at(MINUTE_MS) })).toBe(1);
    expect(await scheduled({ from: at(MINUTE_MS + 1) })).toBe(0);
    expect(await scheduled({ from: at(0), to: at(MINUTE_MS) })).toBe(1);
    expect(await scheduled({ from: TODAY, to: TODAY })).toBe(2);
    expect(await scheduled({ from: at(0), events: ['qr_verified'] })).toBe(1);
    expect(await scheduled({ from: at(0), events: ['booking_cancelled'] })).toBe(0);
    service.clock.advance(90 * DAY_MS);
    expect(await scheduled({ from: at(0) })).toBe(1);
  });

  test('sends events without a receiver to a new one; without a receiver it sends nothing', async () => {
    const deaf = withKey((await service.createKey()).key);
    await service.book({}, deaf);
    expect((await replay({ from: at(0) }, deaf)).data.scheduled).toBe(0);
    const { headers } = await service.patch('/api/keys/self', { webhook_url: receiver.url }, deaf);
    expect(headers.get('x-position')).not.toBeNull();
    expect((await replay({ from: at(0) }, deaf)).data.scheduled).toBe(1);
    await receiver.arrived(1);
  });

  test('is limited to 500 at a time, and continues where it ended', async () => {
    await service.book({}, caller);
    const [scheduled] = await deliveryEvents(service, 'DeliveryScheduled', 1);
    const facts = { ...deliveryFacts(), ...scheduled?.data };
    await storeDeliveries(service, 500, (copy) => [
      { type: 'DeliveryOmitted', data: { ...facts, eventId: publicEventId(`evt_${copy}`) } },
    ]);
    const first = (await replay({ from: at(0) }, keyed('pages'))).data;
    expect(first.scheduled).toBe(500);
    expect(first.next_cursor).not.toBeNull();
    expect((await replay({ from: at(0), cursor: first.next_cursor }, keyed('pages'))).data).toEqual({
      replay_id: first.replay_id,
      scheduled: 1,
      suspended: 0,
      next_cursor: null,
    });
    const replayed = await deliveryEvents(service, 'ReplayScheduled', 501);
    expect(new Set(replayed.map(({ data }) => data.eventId)).size).toBe(501);
  });

  test("goes to the booking's own URL if it has one", async () => {
    await using own = openReceiver();
    await service.book({ webhook_url: own.url }, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    await replay({ from: at(0) });
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    expect([own.received.length, receiver.received.length]).toEqual([2, 0]);
  });

  test('sends once under one Idempotency-Key, also after a restart', async () => {
    await service.book({}, caller);
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    const first = await replay({ from: at(0) }, keyed('once'));
    await deliveryEvents(service, 'DeliverySucceeded', 2);
    await service.restart();
    expect((await replay({ from: at(0) }, keyed('once'))).data).toEqual(first.data);
    await allTold(service);
    expect(receiver.received).toHaveLength(2);
    await replay({ from: at(0) }, keyed('twice'));
    await receiver.arrived(3);
  });

  test.each([
    [
      {},
      'INVALID_DATE',
      'from is missing; it must be a date as YYYY-MM-DD (UTC) or an ISO 8601 timestamp with a zone.',
    ],
    [
      { from: TODAY, events: ['booked'] },
      'INVALID_REQUEST',
      `events must be a list of ${WEBHOOK_EVENTS.join(', ')}, with one of them at least; it was ["booked"].`,
    ],
  ] as const)('asked with %p is refused', async (body, code, sentence) => {
    expect((await replay(body)).refusal).toEqual(faulty(code, sentence));
  });
});
