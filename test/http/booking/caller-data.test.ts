import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deliveryEvents } from '../../support/deliveries.ts';
import { eventsOf, modify } from '../../support/modifications.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type AnswerOf, type Deliveries, faulty } from '../../support/service-answers.ts';

type Bookings = AnswerOf<'get /api/b2a/bookings'>;

const CALLERS = { reference: 'ทริป 42/ü 😀', metadata: { room: '1204', 'crm.id': 'customer of a-17', empty: '' } };
const NONE = { reference: null, metadata: {} };

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

const list = async (reference: string, headers: Readonly<Record<string, string>> = service.key, more = '') => {
  await service.documents('bookings');
  const path = 'authorization' in headers ? '/api/bookings' : '/api/b2a/bookings';
  const query = `reference=${encodeURIComponent(reference)}${more}`;
  return (await service.get<Bookings>(`${path}?${query}`, headers)).data.items;
};
const idsOf = (items: Bookings['items']) => items.map(({ booking_id: id }) => id);

async function erase(id: string): Promise<void> {
  await service.post(`/api/bookings/${id}/erase`, {}, service.admin);
}

describe('reference and metadata', () => {
  test('are in every answer about the booking, and stay when it changes', async () => {
    const { data } = await service.book({ ...CALLERS, booking_date: TODAY });
    const path = `/api/b2a/bookings/${data.booking_id}`;
    await service.documents('bookings');
    const answers = [
      data,
      (await service.booking(data.booking_id)).data,
      (await service.get<Bookings>('/api/b2a/bookings', service.key)).data.items[0],
      (await service.get(`/api/bookings/${data.booking_id}`, service.admin)).data,
      (await list(CALLERS.reference, service.admin))[0],
      (await modify(service, data, { user_name: 'Augusta King', num_adults: 3 })).data,
      (await service.get(path, service.key)).data,
    ];
    for (const answer of answers) expect(answer).toMatchObject(CALLERS);
    await service.restart();
    expect((await service.booking(data.booking_id)).data).toMatchObject({ ...CALLERS, user_name: 'Augusta King' });
  });

  test.each([{}, NONE, { reference: null }, { metadata: null }])('left out are null and empty: %j', async (left) => {
    const { data } = await service.book(left);
    expect(data).toMatchObject(NONE);
    // Such a booking has the events that earlier releases know, and no others.
    const guests = (await service.events()).filter(({ stream }) => stream.startsWith('guest-'));
    expect(guests.map(({ type }) => type)).toEqual(['GuestRecorded.v1']);
    expect((await eventsOf(service, data)).map(({ type }) => type)).toEqual([
      'BookingConfirmed.v6',
      'ChargeRecorded.v2',
      'VoucherIssued.v1',
    ]);
  });

  test('of a booking on request are kept until and after the venue’s answer', async () => {
    const { data } = await service.book({ ...CALLERS, activity_id: 'village-kitchen' });
    expect(data).toMatchObject({ ...CALLERS, status: 'pending' });
    const confirmed = await service.post(`/api/bookings/${data.booking_id}/confirm`, {}, service.admin);
    expect(confirmed.data).toMatchObject({ ...CALLERS, status: 'confirmed' });
    expect(idsOf(await list(CALLERS.reference))).toEqual([data.booking_id]);
  });

  test('belong to the body of an Idempotency-Key, in any order of the members', async () => {
    const key = { 'idempotency-key': 'once' };
    const { data } = await service.book(CALLERS, key);
    const reordered = Object.fromEntries(Object.entries(CALLERS.metadata).toReversed());
    const again = await service.book({ ...CALLERS, metadata: reordered }, key);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([data, 'true']);
    for (const other of [{}, { ...CALLERS, reference: 'other' }, { ...CALLERS, metadata: { room: '1205' } }]) {
      expect((await service.book(other, key)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
  });

  test('are hidden in the events that an operator reads', async () => {
    await service.book(CALLERS);
    const { stream } = (await service.events()).find(({ type }) => type.startsWith('CallerData')) ?? { stream: '' };
    const { data } = await service.get<{ items: readonly { data: object }[] }>(
      `/api/ops/streams/${stream}`,
      service.admin,
    );
    expect<object | undefined>(data.items[1]?.data).toEqual({ reference: '[hidden]', metadata: '[hidden]' });
  });
});

describe('the filter by reference', () => {
  test('finds the bookings with exactly this reference, of the caller’s key or of all keys', async () => {
    const other = withKey((await service.createKey()).key);
    const booked = [];
    for (const reference of ['trip-1', 'trip-1', 'trip-10', 'Trip-1', undefined]) {
      service.clock.advance(1_000);
      booked.unshift((await service.book({ reference, num_adults: 1 })).data.booking_id);
    }
    service.clock.advance(1_000);
    const { data: theirs } = await service.book({ reference: 'trip-1', num_adults: 1 }, other);
    const [, , , second, first] = booked;
    expect(idsOf(await list('trip-1'))).toEqual([second ?? '', first ?? '']);
    expect(idsOf(await list('trip-1', other))).toEqual([theirs.booking_id]);
    expect(idsOf(await list('trip-1', service.admin))).toEqual([theirs.booking_id, second ?? '', first ?? '']);
    expect(idsOf(await list('trip-1', service.key, '&status=cancelled'))).toEqual([]);
    expect(idsOf(await list('trip-1', service.key, '&limit=1'))).toEqual([second ?? '']);
    expect(await list('trip-2')).toEqual([]);
  });

  test('works after a rebuild, and finds no erased guest before and after one', async () => {
    const [one, two] = [(await service.book(CALLERS)).data, (await service.book(CALLERS)).data];
    await erase(one.booking_id);
    expect(idsOf(await list(CALLERS.reference))).toEqual([two.booking_id]);
    expect(await service.rebuild('bookings')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(idsOf(await list(CALLERS.reference))).toEqual([two.booking_id]);
    const documents = await service.documents('bookings');
    const references = documents.map(({ id, doc }) => [id, (doc as { reference: string | null }).reference !== null]);
    expect(Object.fromEntries(references)).toEqual({ [one.booking_id]: false, [two.booking_id]: true });
  });
});

describe('an erasure', () => {
  test('removes the caller’s data from answers, lists, deliveries, feed and store', async () => {
    await using receiver = openReceiver();
    receiver.answer(() => new Response('no', { status: 500 }));
    const { key } = await service.createKey({ webhook_url: receiver.url });
    const caller = withKey(key);
    const { data } = await service.book(CALLERS, caller);
    await deliveryEvents(service, 'AttemptFailed', 1);
    expect((JSON.parse(receiver.received[0]?.body ?? '') as { data: object }).data).toMatchObject(CALLERS);
    await erase(data.booking_id);
    expect((await service.booking(data.booking_id, caller)).data).toMatchObject(NONE);
    expect(await list(CALLERS.reference, caller)).toEqual([]);
    expect(await list(CALLERS.reference, service.admin)).toEqual([]);
    await service.documents('deliveries');
    const { items } = (await service.get<Deliveries>('/api/webhooks/deliveries', caller)).data;
    expect(items[0]?.payload.data).toMatchObject(NONE);
    await service.documents('feed');
    const feed = (await service.get<{ items: readonly { data: object }[] }>('/api/b2a/events', caller)).data;
    expect<object | undefined>(feed.items[0]?.data).toMatchObject(NONE);
    service.clock.advance(5_000);
    expect((JSON.parse((await receiver.arrived(2)).body) as { data: object }).data).toMatchObject(NONE);
    while ((await service.events()).some(({ stream }) => stream.startsWith('guest-'))) {
      service.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    const left = JSON.stringify([await service.events(), await service.documents('bookings'), service.logged]);
    expect([CALLERS.reference, 'customer of a-17'].filter((text) => left.includes(text))).toEqual([]);
  });
});

describe('a request is refused', () => {
  const LINE = 'your own name for the booking: 1 to 100 characters in one line';
  test.each(['', 'x'.repeat(101), 42])('for the reference %j', async (reference) => {
    const shown = JSON.stringify(reference);
    const excerpt = shown.length > 80 ? `${shown.slice(0, 77)}…` : shown;
    expect((await service.book({ reference })).refusal).toEqual(
      faulty('INVALID_REQUEST', `reference must be ${LINE}; it was ${excerpt}.`),
    );
  });

  const TEXT = 'a text of at most 200 characters in one line';
  const NAMES = '1 to 40 characters: letters A-Z and a-z, digits, _ . or -; the first one a letter or digit';
  const long = 'x'.repeat(201);
  test.each([
    [['room'], ' must be an object of at most 20 texts; it was ["room"].'],
    ['room', ' must be an object of at most 20 texts; it was "room".'],
    [{ room: 1204 }, `.room must be ${TEXT}; it was 1204.`],
    [{ room: null }, `.room must be ${TEXT}; it was null.`],
    [{ bed: 'x', room: { number: '1204' } }, `.room must be ${TEXT}; it was {"number":"1204"}.`],
    [{ room: long }, `.room must be ${TEXT}; it was "${'x'.repeat(76)}….`],
    [{ '': 'x' }, ` must have names of ${NAMES}; one was "".`],
    [{ 'my room': 'x' }, ` must have names of ${NAMES}; one was "my room".`],
    [{ _room: 'x' }, ` must have names of ${NAMES}; one was "_room".`],
    [{ ['x'.repeat(41)]: 'x' }, ` must have names of ${NAMES}; one was "${'x'.repeat(41)}".`],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key${n}`, 'x'])),
      ' must have at most 20 members; it had 21.',
    ],
  ])('for the metadata %j', async (given, rest) => {
    expect((await service.book({ metadata: given })).refusal).toEqual(faulty('INVALID_REQUEST', `metadata${rest}`));
  });

  test('for metadata with a member that JavaScript treats specially, but not for others', async () => {
    const special: unknown = JSON.parse('{"__proto__": "x"}');
    expect((await service.book({ metadata: special })).refusal.code).toBe('INVALID_REQUEST');
    const metadata = { constructor: 'x', toString: 'y' };
    expect((await service.book({ metadata })).data.metadata).toEqual(metadata);
  });

  test('only beyond the bounds', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${'k'.repeat(38)}${n + 10}`, '😀'.repeat(200)]),
    );
    const { data } = await service.book({ reference: '😀'.repeat(100), metadata });
    expect(data).toMatchObject({ reference: '😀'.repeat(100), metadata });
  });
});
