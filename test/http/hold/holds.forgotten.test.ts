import { expect, test } from 'bun:test';
import { fingerprintOf, holdIdOfKey } from '../../../src/application/identifiers.ts';
import { KEPT_RELEASES } from '../../../src/domain/allotment/state.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { A_TAKER, activityId, date, holdFacts, holdId, keyId } from '../../support/examples.ts';
import { A_HOLD, allotmentOf, hold, quotedAndBooked, readHold, releaseHold, shownFree } from '../../support/holds.ts';
import { NOW, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

const TEN_MINUTES_MS = 600_000;
const ALLOTMENT = allotmentIdOf(activityId('river-walk'), date(TOMORROW));
const CAUSE = { correlationId: 'c', causationId: null, by: 'a test', at: new Date(NOW).toISOString() };

/** Holds and releases slots until the allotment has forgotten every id released before. */
async function churn({ node: { context } }: Service): Promise<void> {
  const { streams, clock } = context;
  const deadlineMs = clock.nowMs() + 10_000;
  const read = await streams.allotments.read(ALLOTMENT, deadlineMs);
  if (read.kind !== 'state' || read.state.status !== 'open') throw new Error(`${ALLOTMENT} is not open`);
  const { schedule } = read.state;
  const slots = {
    size: 1,
    expiresAtMs: clock.nowMs() + TEN_MINUTES_MS,
    hotelPercentOff: 0,
    nowMs: clock.nowMs(),
    schedule,
  };
  for (let round = 0; round < KEPT_RELEASES; round++) {
    const id = holdId(context.ids.uuid());
    const commands = [
      { type: 'HoldSlots', holder: A_TAKER, holdId: id, ...slots, releasesSeen: round },
      { type: 'ReleaseHold', holdId: id },
    ] as const;
    const replies = commands.map((command) => streams.allotments.handle(ALLOTMENT, command, CAUSE, deadlineMs));
    // They share appends; more of them would fill the mailbox.
    if (round % 64 === 63)
      expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  }
}

/** The hold ids of the date, as often as they were held. */
async function heldOften(service: Service): Promise<number> {
  return (await allotmentOf(service)).filter(({ type }) => type === 'SlotsHeld').length - KEPT_RELEASES;
}

test('a released hold that its allotment has forgotten is answered as released, then as expired, and not made again', async () => {
  await using service = await openService();
  const key = { 'idempotency-key': 'one wish' };
  const { data } = await hold(service, {}, key);
  await releaseHold(service, data.hold_id);
  await churn(service);
  for (const status of ['released', 'expired'] as const) {
    expect((await readHold(service, data.hold_id)).data).toEqual({ ...data, status });
    const again = await hold(service, {}, key);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([{ ...data, status }, 'true']);
    expect((await releaseHold(service, data.hold_id)).data).toEqual({ hold_id: data.hold_id, status: 'released' });
    const { quote, booked } = await quotedAndBooked(service, { ...A_HOLD, hold_id: data.hold_id });
    for (const { refusal } of [quote, booked])
      expect([refusal.code, refusal.details]).toEqual(['HOLD_EXPIRED', `expires_at: ${data.expires_at}`]);
    service.clock.set(NOW + TEN_MINUTES_MS);
    await service.restart();
  }
  expect([await heldOften(service), await shownFree(service)]).toEqual([1, 10]);
});

test('a hold whose booking has its slots is used, however many other ids were released since', async () => {
  await using service = await openService();
  const { data } = await hold(service);
  const { booking_id } = (await service.book({ hold_id: data.hold_id })).data;
  await churn(service);
  expect((await readHold(service, data.hold_id)).data).toEqual({ ...data, status: 'used' });
  const { refusal } = await service.book({ hold_id: data.hold_id });
  expect([refusal.code, refusal.details]).toEqual(['HOLD_USED', `booking_id: ${booking_id}`]);
});

test('a hold that was asked for by a release without prices in its request is unknown once it is forgotten', async () => {
  await using service = await openService();
  const { context } = service.node;
  const created = await service.createKey();
  const [by, caller, wish] = [keyId(created.id), withKey(created.key), { 'idempotency-key': 'an old wish' }];
  const id = holdIdOfKey(context.digest, { keyId: by, mode: 'live' }, 'an old wish');
  const facts = holdFacts({
    hold: id,
    keyId: by,
    fingerprint: fingerprintOf(context.digest, ['river-walk', TOMORROW, 2, 0, null]),
    activityId: activityId('river-walk'),
    date: date(TOMORROW),
    allotment: ALLOTMENT,
    numChildren: 0,
    offered: null,
  });
  await context.streams.holds.handle(id, { type: 'AskHold', facts }, CAUSE, NOW + 10_000);
  expect((await hold(service, {}, { ...caller, ...wish })).data.hold_id).toBe(id);
  await releaseHold(service, id, caller);
  await churn(service);
  const unknown = `hold_id "${id}" is not a hold of this key; check the id, or book without one.`;
  for (const answer of [await readHold(service, id, caller), await releaseHold(service, id, caller)])
    expect(answer.refusal).toEqual(refused(404, 'HOLD_NOT_FOUND', unknown));
  const ended = 'the hold of this Idempotency-Key ended long ago; send another Idempotency-Key to make a new hold.';
  expect((await hold(service, {}, { ...caller, ...wish })).refusal).toEqual(refused(410, 'HOLD_EXPIRED', ended));
  expect(await heldOften(service)).toBe(1);
});

/** The number of reads of bookings' streams that a booking needs. */
async function readsOfABooking(service: Service): Promise<number> {
  const { store } = service.node.stores;
  const read = store.read.bind(store);
  let reads = 0;
  store.read = (stream, ...range) => {
    if (stream.startsWith('booking-')) reads++;
    return read(stream, ...range);
  };
  expect((await service.book({ num_adults: 1 })).data.status).toBe('confirmed');
  return reads;
}

test('a date that has forgotten released ids costs a booking one more read, unless its actor is in memory', async () => {
  await using service = await openService();
  await releaseHold(service, (await hold(service)).data.hold_id);
  const before = await readsOfABooking(service);
  await churn(service);
  const inMemory = await readsOfABooking(service);
  await service.restart();
  expect([inMemory - before, (await readsOfABooking(service)) - before]).toEqual([0, 1]);
});

test('a date that has forgotten released ids is booked and changed, with its actor in memory or not', async () => {
  await using service = await openService();
  await releaseHold(service, (await hold(service)).data.hold_id);
  await churn(service);
  const key = { 'idempotency-key': 'one wish' };
  const first = await service.book({}, key);
  await service.restart();
  const second = await service.book({ num_adults: 3 });
  expect([first.data.status, second.data.status]).toEqual(['confirmed', 'confirmed']);
  const again = await service.book({}, key);
  expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
  await service.restart();
  const path = `/api/b2a/bookings/${first.data.booking_id}`;
  const grown = await service.post<{ num_adults: number }>(`${path}/modify`, { num_adults: 4 }, service.key);
  expect(grown.data.num_adults).toBe(4);
  expect(await shownFree(service)).toBe(3);
});
