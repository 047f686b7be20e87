import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { ExposureEntry } from '../../../src/ports/exposure-store.ts';
import { codesOf, keyOf, overLimit } from '../../support/exposure.ts';
import { hold, releaseHold } from '../../support/holds.ts';
import { type Credentials, NOW, openService, type Service, TOMORROW } from '../../support/service.ts';
import type { Quote } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** 40 places a day, free to cancel until 24 hours before. */
const SHOW = { activity_id: 'light-show' };
/** The n-th day after today, on which cancellation is free if n > 1. */
const day = (n: number) => new Date(NOW + n * DAY_MS).toISOString().slice(0, 10);
const QUOTED = { user_email: 'ada@example.com', user_name: 'Ada Lovelace', dry_run: true };

/** Books `guests` guests of the show on the n-th day. */
function book(n: number, guests: number, headers: Credentials, at: Service = service) {
  return at.book({ ...SHOW, booking_date: day(n), num_adults: guests }, headers);
}

/** What the counter of a key has, as another node would write it. */
async function write(at: Service, key: { readonly id: string }, limit: string, entries: readonly ExposureEntry[]) {
  const { exposure } = at.node.stores;
  const counter = `${key.id} ${limit}`;
  const { version } = await exposure.read(counter);
  await exposure.replace(counter, version, entries);
}

describe('guests in bookings that can be cancelled free', () => {
  test('of a basic key are at most 200: seven nights cannot be filled and cancelled', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic');
    const nights: string[] = [];
    for (let n = 3; n < 10; n++) nights.push(...codesOf([await book(n, 20, key, own), await book(n, 20, key, own)]));
    expect(nights).toEqual([
      ...Array.from({ length: 10 }, () => 'ok'),
      ...Array.from({ length: 4 }, () => 'EXPOSURE_LIMIT'),
    ]);
  });

  test('are refused beyond the limit, and by a dry run; an ended booking makes room', async () => {
    const key = await keyOf(service, 'basic', { limits: { refundable_guests: 5 } });
    const { data } = await book(3, 3, key);
    await book(5, 1, key);
    const refusal = overLimit(
      'This API key has 4 guests in bookings that can still be cancelled free, and may have 5; 2 more are too many. Book fewer guests or a later time, or ask the operator.',
      'limit: refundable_guests; use: 4; bound: 5; eases: 2026-11-23T01:00:00.000Z, or when a booking is cancelled',
    );
    const events = (await service.events()).length;
    const wish = { ...SHOW, ...QUOTED, booking_date: day(4), num_adults: 2 };
    expect((await service.post<Quote>('/api/b2a/execute_booking', wish, key)).refusal).toEqual(refusal);
    expect((await book(4, 2, key)).refusal).toEqual(refusal);
    expect(await service.events()).toHaveLength(events);
    // Not more than one fits; no dry run and no refusal took anything.
    expect(codesOf([await book(4, 1, key)])).toEqual(['ok']);
    await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, { reason: 'user_requested' }, key);
    expect(codesOf([await book(4, 3, key), await book(4, 1, key)])).toEqual(['ok', 'EXPOSURE_LIMIT']);
  });

  test('do not count once their cancellation costs something', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic', { limits: { refundable_guests: 2 } });
    expect(codesOf([await book(1, 20, key, own), await book(3, 2, key, own)])).toEqual(['ok', 'ok']);
    expect(codesOf([await book(4, 1, key, own)])).toEqual(['EXPOSURE_LIMIT']);
    own.clock.advance(2 * DAY_MS);
    expect(codesOf([await book(4, 2, key, own)])).toEqual(['ok']);
  });

  test('follow a booking through its changes: a family changes its booking four times', async () => {
    const key = await keyOf(service, 'basic', { limits: { refundable_guests: 5 } });
    const { data } = await book(3, 4, key);
    const modify = (change: object) => service.post(`/api/b2a/bookings/${data.booking_id}/modify`, change, key);
    const changes = [{ num_adults: 5 }, { booking_date: day(6) }, { num_adults: 3 }, { num_children: 1 }];
    for (const change of changes) expect(codesOf([await modify(change)])).toEqual(['ok']);
    expect(codesOf([await modify({ num_adults: 6 }), await book(3, 2, key), await book(3, 1, key)])).toEqual([
      'EXPOSURE_LIMIT',
      'EXPOSURE_LIMIT',
      'ok',
    ]);
  });

  test('of one request that is repeated count once, and a booking without slots takes nothing', async () => {
    const key = await keyOf(service, 'basic', { limits: { refundable_guests: 4 } });
    const sent = { ...key, 'idempotency-key': 'two of four' };
    for (let times = 0; times < 3; times++) await book(7, 2, sent);
    await service.book({ ...SHOW, booking_date: day(8), num_adults: 20 });
    await service.book({ ...SHOW, booking_date: day(8), num_adults: 20 });
    const full = { ...key, 'idempotency-key': 'a full date' };
    expect(codesOf([await book(8, 2, full), await book(7, 2, key), await book(7, 1, key)])).toEqual([
      'INVENTORY_EXHAUSTED',
      'ok',
      'EXPOSURE_LIMIT',
    ]);
  });

  test('cost a key without limits nothing: an agency books 30 guests on one date', async () => {
    await using own = await openService();
    const [agency, unlimited] = [await keyOf(own, 'premium'), await keyOf(own, 'enterprise')];
    for (const guests of [20, 10]) expect(codesOf([await book(3, guests, agency, own)])).toEqual(['ok']);
    const calls = counted(own);
    expect(
      codesOf([await book(4, 20, unlimited, own), await hold(own, { ...SHOW, booking_date: day(4) }, unlimited)]),
    ).toEqual(['ok', 'ok']);
    expect(calls()).toBe(0);
  });
});

describe('after a crash', () => {
  const NOBODY = { attempt: 'of a node that died', checkedAtMs: 0 };

  test('a reservation without a booking ends with the deadline of its claim', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic', { limits: { refundable_guests: 2 } });
    const subject = 'bk_06gzznzez9qfdm3bzqmg';
    const lost = { ...NOBODY, subject, amount: 2, endsAtMs: NOW + 10 * DAY_MS, openUntilMs: NOW + 60_000 };
    await write(own, key, 'refundableGuests', [lost]);
    own.clock.advance(59_999);
    expect(codesOf([await book(5, 1, key, own)])).toEqual(['EXPOSURE_LIMIT']);
    own.clock.advance(1);
    expect(codesOf([await book(5, 2, key, own), await book(5, 1, key, own)])).toEqual(['ok', 'EXPOSURE_LIMIT']);
  });

  test('a reservation of a booking that was made stays, with the guests of its stream', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic', { limits: { refundable_guests: 4 } });
    const { data } = await book(5, 3, key, own);
    const stale = { ...NOBODY, subject: data.booking_id, amount: 4, endsAtMs: NOW + 10 * DAY_MS, openUntilMs: NOW };
    await write(own, key, 'refundableGuests', [stale]);
    expect(codesOf([await book(5, 1, key, own), await book(5, 1, key, own)])).toEqual(['ok', 'EXPOSURE_LIMIT']);
  });

  test('what ended without a return is found: a cancelled booking, a released hold', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic', { limits: { refundable_guests: 2, open_holds: 1 } });
    const { data } = await book(5, 2, key, own);
    const held = await hold(own, { ...SHOW, booking_date: day(5) }, key);
    const entry = { ...NOBODY, endsAtMs: NOW + DAY_MS, openUntilMs: NOW };
    await own.post(`/api/b2a/bookings/${data.booking_id}/cancel`, { reason: 'user_requested' }, key);
    await releaseHold(own, held.data.hold_id, key);
    await write(own, key, 'refundableGuests', [{ ...entry, subject: data.booking_id, amount: 2 }]);
    await write(own, key, 'openHolds', [{ ...entry, subject: held.data.hold_id, amount: 1 }]);
    expect(codesOf([await book(5, 2, key, own), await hold(own, {}, key)])).toEqual(['ok', 'ok']);
  });

  test('a key that is refused all the time makes no stream be read twice in a minute', async () => {
    await using own = await openService();
    const key = await keyOf(own, 'basic', { limits: { refundable_guests: 2 } });
    await book(5, 2, key, own);
    own.clock.advance(HOUR_MS);
    const reads = counted(own);
    for (let times = 0; times < 5; times++) await book(5, 1, key, own);
    // The first one writes what it has compared.
    expect(reads()).toBe(1);
  });
});

/** Counts the writes of counters from now on. */
function counted(at: Service): () => number {
  const { exposure } = at.node.stores;
  const replace = exposure.replace.bind(exposure);
  let writes = 0;
  exposure.replace = (...args) => {
    writes++;
    return replace(...args);
  };
  return () => writes;
}

test('tomorrow is not free to cancel, so its guests are no part of any limit', async () => {
  const key = await keyOf(service, 'free', { limits: { refundable_guests: 0 } });
  expect(codesOf([await service.book({ ...SHOW, booking_date: TOMORROW }, key)])).toEqual(['ok']);
});
