import { describe, expect, test } from 'bun:test';
import { allotmentIdOf, parseHoldId } from '../../../src/domain/ids.ts';
import { activityId, date } from '../../support/examples.ts';
import { keyOf } from '../../support/exposure.ts';
import { allotmentOf, hold, readHold, reaped, releaseHold, shownFree } from '../../support/holds.ts';
import { recorded } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TOMORROW } from '../../support/service.ts';

const TEN_MINUTES_MS = 600_000;
const CAPACITY = 10;
const ALLOTMENT = allotmentIdOf(activityId('river-walk'), date(TOMORROW));
/** A short interval, so that a test need not move the clock far. */
const SETTINGS = { REAPER_INTERVAL_MS: '1000' };

async function open(): Promise<Service> {
  return openService({ settings: SETTINGS });
}

describe('the slots of an unused hold', () => {
  test('are free after its end, and not before', async () => {
    await using service = await open();
    const first = (await hold(service, { num_adults: 4 })).data;
    service.clock.advance(TEN_MINUTES_MS / 2);
    // A further hold of the same key would end sooner.
    const other = await keyOf(service, 'enterprise');
    const second = (await hold(service, { num_adults: 6 }, other)).data;
    service.clock.set(NOW + TEN_MINUTES_MS + 1_000);
    await recorded(service, 'SlotsReleased');
    // The reaper finishes its current run before the service stops.
    await service.restart();
    expect(await shownFree(service)).toBe(4);
    expect((await readHold(service, first.hold_id)).data).toEqual({ ...first, status: 'expired' });
    expect((await readHold(service, second.hold_id, other)).data).toEqual(second);
    await reaped(service, 2);
    expect(await shownFree(service)).toBe(10);
    expect((await readHold(service, second.hold_id, other)).data).toEqual({ ...second, status: 'expired' });
    expect((await service.book({ num_adults: 10 })).data.status).toBe('confirmed');
  });

  test('are free after its end, even if the service was stopped then', async () => {
    await using service = await open();
    const { data } = await hold(service, { num_adults: 10 });
    await service.restart();
    expect([await shownFree(service), (await readHold(service, data.hold_id)).data]).toEqual([0, data]);
    service.clock.set(NOW + TEN_MINUTES_MS);
    await service.restart();
    await reaped(service, 1);
    expect(await shownFree(service)).toBe(10);
    await service.restart();
    expect((await readHold(service, data.hold_id)).data).toEqual({ ...data, status: 'expired' });
  });

  test('are released once, even if the hold was released before its end', async () => {
    await using service = await open();
    const [first, second] = [(await hold(service)).data, (await hold(service)).data];
    await releaseHold(service, first.hold_id);
    await reaped(service, 1);
    await releaseHold(service, second.hold_id);
    service.clock.advance(TEN_MINUTES_MS);
    await service.restart();
    expect((await allotmentOf(service)).map(({ type, taken, held }) => [type, taken, held])).toEqual([
      ['AllotmentOpened', 0, 0],
      ['SlotsHeld', 2, 2],
      ['SlotsHeld', 4, 4],
      ['SlotsReleased', 2, 2],
      ['SlotsReleased', 0, 0],
    ]);
  });
});

test('the slots of a booked hold stay taken after its end', async () => {
  await using service = await open();
  const [used, unused] = [(await hold(service)).data, (await hold(service)).data];
  const { booking_id } = (await service.book({ hold_id: used.hold_id })).data;
  await reaped(service, 1);
  await service.restart();
  service.clock.advance(TEN_MINUTES_MS);
  expect((await allotmentOf(service)).map(({ type, taken, held }) => [type, taken, held])).toEqual([
    ['AllotmentOpened', 0, 0],
    ['SlotsHeld', 2, 2],
    ['SlotsHeld', 4, 4],
    ['HoldTaken', 4, 2],
    ['SlotsReleased', 2, 0],
  ]);
  const statuses = [used, unused].map(async ({ hold_id }) => (await readHold(service, hold_id)).data.status);
  expect(await Promise.all(statuses)).toEqual(['used', 'expired']);
  expect((await service.booking(booking_id)).data.status).toBe('confirmed');
  expect(await shownFree(service)).toBe(8);
});

describe('an expired hold cannot be booked', () => {
  test('before and after its slots are released', async () => {
    await using service = await open();
    const { hold_id } = (await hold(service)).data;
    service.clock.set(NOW + TEN_MINUTES_MS);
    const early = (await service.book({ hold_id })).refusal;
    await reaped(service, 1);
    const late = (await service.book({ hold_id })).refusal;
    expect([early.code, late]).toEqual(['HOLD_EXPIRED', early]);
    expect((await service.events()).some(({ stream }) => stream.startsWith('booking-'))).toBe(false);
  });

  test('if the reaper of a node with a clock ahead released it first; otherwise the booking keeps the slots', async () => {
    await using service = await open();
    const { streams, clock } = service.node.context;
    const cause = { correlationId: 'c', causationId: null, by: 'claim-reaper', at: new Date(NOW).toISOString() };
    const outcomes = [];
    for (let round = 0; round < CAPACITY; round++) {
      const { hold_id } = (await hold(service, { num_adults: 1 })).data;
      const id = parseHoldId(hold_id);
      if (id === null) throw new Error(`${hold_id} has not the form of a hold's id`);
      const release = () =>
        streams.allotments.handle(ALLOTMENT, { type: 'ReleaseHold', holdId: id }, cause, clock.nowMs() + 10_000);
      // In every second round the booking starts first.
      const reaping = round % 2 === 0 ? release() : null;
      const booking = service.book({ num_adults: 1, hold_id });
      const [answer, reply] = [await booking, await (reaping ?? release())];
      outcomes.push(answer.status === 200 ? 'booked' : answer.refusal.code);
      expect([answer.status, reply.kind]).toEqual(answer.status === 200 ? [200, 'rejected'] : [410, 'accepted']);
    }
    expect(outcomes.filter((outcome) => outcome === 'booked')).toHaveLength(CAPACITY / 2);
    const last = (await allotmentOf(service)).at(-1);
    expect([last?.taken, last?.held, await shownFree(service)]).toEqual([CAPACITY / 2, 0, CAPACITY / 2]);
  });
});
