import { describe, expect, test } from 'bun:test';
import type { BookingRejection } from '../../src/domain/booking/commands.ts';
import {
  type BookRequest,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  HOLD_MS,
  hold,
  hoursOf,
  type ModifyRequest,
  modify,
  OFFER,
  scan,
} from './life/requests.ts';
import { faultsOf, leaksOf, summaryOf } from './life/summary.ts';
import { createSystem, type System } from './life/system.ts';

const MON = '2026-12-01';
const TUE = '2026-12-02';
const ANN: BookRequest = { booking: 'X', on: MON, guests: 2, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyRequest = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };
const H = { hold: 'H', on: MON, guests: 2 };

function withAnn(change: Partial<BookRequest> = {}): System {
  const system = createSystem();
  expect(system.begin(book(system, { ...ANN, ...change })).end()).toEqual({ kind: 'booked' });
  return system;
}

/** Passes every deadline, runs the reaper to its end, and expects no fault and no leak. */
function settled(system: System) {
  system.nowMs += 2 * HOLD_MS;
  system.reap();
  expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
  return summaryOf(system);
}

const rejected = (rejection: BookingRejection) => ({ kind: 'rejected', rejection }) as const;

describe('a hold around its end', () => {
  test('used one millisecond before its end: the booking gets the slots, and the reaper releases nothing', () => {
    const system = createSystem();
    system.begin(hold(system, H)).end();
    system.nowMs = HOLD_MS - 1;
    const using = system.begin(book(system, { ...ANN, hold: 'H' })).go(1);
    system.nowMs = HOLD_MS;
    system.reap();
    expect(using.end()).toEqual({ kind: 'booked' });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });

  test('released by the reaper first: a booking that started before is rejected', () => {
    const system = createSystem();
    system.begin(hold(system, H)).end();
    system.nowMs = HOLD_MS - 1;
    const using = system.begin(book(system, { ...ANN, hold: 'H' }));
    system.nowMs = HOLD_MS;
    system.reap();
    expect(using.end()).toEqual({ kind: 'hold-rejected', code: 'HOLD_EXPIRED' });
    expect(settled(system)).toEqual({ bookings: {}, taken: { 'rafting-2026-12-01': 0 } });
  });

  test('used at its end: rejected, although the reaper has not released it', () => {
    const system = createSystem();
    system.begin(hold(system, H)).end();
    system.nowMs = HOLD_MS;
    const outcome = system.begin(book(system, { ...ANN, hold: 'H' })).end();
    expect(outcome).toEqual({ kind: 'hold-rejected', code: 'HOLD_EXPIRED' });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 0 });
  });

  test('a late release of a hold that was used does not touch the booking', () => {
    const system = createSystem();
    system.begin(hold(system, H)).end();
    system.nowMs = HOLD_MS;
    const [late] = system.due();
    system.nowMs = HOLD_MS - 1;
    system.begin(book(system, { ...ANN, hold: 'H' })).end();
    system.execute(late ?? expect.unreachable());
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });
});

describe('one hold used by two idempotency keys', () => {
  test.each([0, 1, 2, 3])('the second after %d steps of the first: one books', (steps) => {
    const system = createSystem();
    system.begin(hold(system, H)).end();
    const first = system.begin(book(system, { ...ANN, hold: 'H' })).go(steps);
    const second = system.begin(book(system, { ...ANN, hold: 'H', booking: 'Y' })).end();
    const outcomes = [first.end(), second];
    expect(outcomes.filter(({ kind }) => kind === 'booked').length).toBe(1);
    expect(outcomes).toContainEqual({ kind: 'hold-rejected', code: 'HOLD_USED' });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });
});

test('a late release of the first claim does not affect a booking that moved and moved back', () => {
  const system = withAnn();
  system.begin(modify(system, { ...CHANGE, on: TUE })).end();
  const [late] = system.due();
  system.begin(modify(system, { ...CHANGE, command: 'M2', on: MON })).end();
  for (let times = 0; times < 2; times++) system.execute(late ?? expect.unreachable());
  const { bookings, taken } = settled(system);
  expect(taken).toEqual({ 'rafting-2026-12-01': 2, 'rafting-2026-12-02': 0 });
  expect(bookings).toMatchObject({ X: { date: MON, slots: { 'rafting-2026-12-01': 2 }, paidMinor: 2_000 } });
});

test('guests 4, then 2, then 4 with a late shrink: four slots are taken and charged once', () => {
  const system = withAnn({ guests: 4 });
  system.begin(modify(system, { ...CHANGE, guests: 2 })).end();
  const [late] = system.due();
  expect(late?.type).toBe('ShrinkClaim');
  system.begin(modify(system, { ...CHANGE, command: 'M2', guests: 4 })).end();
  expect(system.allotment('rafting-2026-12-01')).toMatchObject({ taken: 6 });
  for (let times = 0; times < 2; times++) system.execute(late ?? expect.unreachable());
  const { bookings, taken } = settled(system);
  expect(taken).toEqual({ 'rafting-2026-12-01': 4 });
  expect(bookings).toMatchObject({ X: { guests: 4, paidMinor: 4_000 } });
});

describe('a paused node', () => {
  test.each([1, 2])('that books after %d steps and the abandonment of its claim books with another one', (steps) => {
    const system = createSystem();
    const paused = system.begin(book(system, ANN)).go(steps);
    system.nowMs = CLAIM_MS;
    system.reap();
    expect(system.allotment('rafting-2026-12-01')).toMatchObject({ taken: 0 });
    expect(paused.end()).toEqual({ kind: 'booked' });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });

  test('that books after another booking took its slots is rejected for lack of room', () => {
    const system = createSystem();
    const paused = system.begin(book(system, { ...ANN, guests: 6 })).go(2);
    system.nowMs = CLAIM_MS;
    system.reap();
    system.begin(book(system, { ...ANN, booking: 'Y', guests: 5 })).end();
    expect(paused.end()).toEqual({ kind: 'exhausted', free: 1 });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 5 });
  });

  test.each([
    ['more guests', { guests: 4 }, 1],
    ['another date', { on: TUE }, 1],
    ['another name, before it is recorded', { guest: 'bob' }, 1],
    ['another name, after it is recorded', { guest: 'bob' }, 2],
    ['another date and another name', { on: TUE, guest: 'bob' }, 2],
  ])('that modifies (%s) after the abandonment of its claim modifies with another one', (_, change, steps) => {
    const system = withAnn();
    const paused = system.begin(modify(system, { ...CHANGE, ...change })).go(steps);
    system.nowMs = CLAIM_MS;
    system.reap();
    expect(paused.end()).toEqual({ kind: 'modified' });
    const reference = withAnn();
    reference.begin(modify(reference, { ...CHANGE, ...change })).end();
    expect(settled(system)).toEqual(settled(reference));
  });

  test('that modifies after another booking took its slots leaves the booking unchanged', () => {
    const system = withAnn();
    const before = summaryOf(system).bookings;
    const paused = system.begin(modify(system, { ...CHANGE, guests: 6 })).go(1);
    system.nowMs = CLAIM_MS;
    system.reap();
    system.begin(book(system, { ...ANN, booking: 'Y' })).end();
    expect(paused.end()).toEqual({ kind: 'exhausted', free: 2 });
    expect(settled(system).bookings).toMatchObject(before);
  });
});

describe('the same key with two bodies on two nodes', () => {
  test.each([0, 1, 2, 3])('to book, the second after %d steps of the first: one books', (steps) => {
    const system = createSystem();
    const first = system.begin(book(system, ANN)).go(steps);
    const second = system.begin(book(system, { ...ANN, guests: 3 })).end();
    expect([first.end().kind, second.kind].sort()).toEqual(['booked', 'key-reused']);
    const { bookings, taken } = settled(system);
    expect(taken['rafting-2026-12-01']).toBe(bookings['X']?.guests ?? expect.unreachable());
  });

  test.each([0, 1, 2])('to modify, the second after %d steps of the first: one modifies', (steps) => {
    const system = withAnn();
    const first = system.begin(modify(system, { ...CHANGE, guests: 4 })).go(steps);
    const second = system.begin(modify(system, { ...CHANGE, on: TUE })).end();
    const outcomes = [first.end(), second];
    expect(outcomes.filter(({ kind }) => kind === 'modified').length).toBe(1);
    expect(outcomes).toContainEqual(rejected({ code: 'IDEMPOTENCY_KEY_REUSED' }));
    settled(system);
  });

  test('to hold: the first one wins, and takes its own number of slots', () => {
    const system = createSystem();
    const first = system.begin(hold(system, H)).go(1);
    expect(system.begin(hold(system, { ...H, guests: 5 })).end()).toEqual({
      kind: 'rejected',
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(first.end()).toEqual({ kind: 'accepted' });
    expect(system.allotment('rafting-2026-12-01')).toMatchObject({ taken: 2, held: 2 });
    settled(system);
  });
});

describe('a command repeated after its answer was lost and another command followed', () => {
  test('a modification after another one: gets its first answer; the second one stays in effect', () => {
    const system = withAnn();
    system.begin(modify(system, { ...CHANGE, guests: 4 })).end();
    system.begin(modify(system, { ...CHANGE, command: 'M2', guests: 1 })).end();
    const before = system.length;
    expect(system.begin(modify(system, { ...CHANGE, guests: 4 })).end()).toEqual({ kind: 'modified' });
    expect(system.length).toBe(before);
    expect(settled(system).bookings).toMatchObject({ X: { guests: 1, paidMinor: 1_000 } });
  });

  test('a modification after a cancellation: both get their first answers', () => {
    const system = withAnn();
    system.begin(modify(system, { ...CHANGE, guests: 4 })).end();
    system.begin(cancel(system, 'X', 'C1')).end();
    const before = system.length;
    expect(system.begin(modify(system, { ...CHANGE, guests: 4 })).end()).toEqual({ kind: 'modified' });
    expect(system.begin(cancel(system, 'X', 'C1')).end()).toEqual({ kind: 'accepted' });
    expect(system.length).toBe(before);
    expect(settled(system)).toMatchObject({
      bookings: { X: { ended: true, paidMinor: 0 } },
      taken: { 'rafting-2026-12-01': 0 },
    });
  });

  test('a booking after a move: gets its first answer, and the date stays', () => {
    const system = withAnn();
    system.begin(modify(system, { ...CHANGE, on: TUE })).end();
    expect(system.begin(book(system, ANN)).end()).toEqual({ kind: 'booked' });
    expect(settled(system)).toMatchObject({
      bookings: { X: { date: TUE } },
      taken: { 'rafting-2026-12-01': 0, 'rafting-2026-12-02': 2 },
    });
  });
});

describe('two modifications at the same time', () => {
  const changes: readonly (readonly [string, Partial<ModifyRequest>, Partial<ModifyRequest>])[] = [
    ['more guests and fewer', { guests: 4 }, { guests: 1 }],
    ['more guests twice', { guests: 3 }, { guests: 4 }],
    ['another date and more guests', { on: TUE }, { guests: 4 }],
    ['two other dates', { on: TUE }, { on: '2026-12-03' }],
    ['another name and fewer guests', { guest: 'bob' }, { guests: 1 }],
    ['two other names', { guest: 'bob' }, { guest: 'cat' }],
  ];
  const orders = changes.flatMap(([name, one, other]) => [
    [name, one, other] as const,
    [`${name}, the other way round`, other, one] as const,
  ]);
  test.each(orders)('%s: one wins, the other gets a conflict, and nothing leaks', (_, one, other) => {
    const system = withAnn();
    const first = system.begin(modify(system, { ...CHANGE, ...one }));
    const second = system.begin(modify(system, { ...CHANGE, command: 'M2', ...other }));
    first.go(1);
    const outcomes = [second.end(), first.end()];
    expect(outcomes).toContainEqual({ kind: 'modified' });
    expect(outcomes).toContainEqual(rejected({ code: 'REVISION_CONFLICT', version: 2 }));
    settled(system);
  });
});

describe('a modification against a cancellation', () => {
  test('the cancellation comes between its steps: it is rejected, and its claim is released', () => {
    const system = withAnn();
    const changing = system.begin(modify(system, { ...CHANGE, on: TUE, guests: 4 })).go(1);
    expect(system.begin(cancel(system, 'X', 'C1')).end()).toEqual({ kind: 'accepted' });
    expect(changing.end()).toEqual(rejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'cancelled' }));
    expect(settled(system)).toMatchObject({
      bookings: { X: { ended: true, paidMinor: 0 } },
      taken: { 'rafting-2026-12-01': 0, 'rafting-2026-12-02': 0 },
    });
  });

  test('the modification comes first: the cancellation refunds the current price', () => {
    const system = withAnn();
    system.begin(modify(system, { ...CHANGE, guests: 4 })).end();
    expect(system.begin(cancel(system, 'X', 'C1')).end()).toEqual({ kind: 'accepted' });
    expect(settled(system)).toMatchObject({ bookings: { X: { paidMinor: 0 } }, taken: { 'rafting-2026-12-01': 0 } });
  });
});

describe('a cancellation against a scan', () => {
  const openMs = hoursOf(MON).opensAtMs;

  test('the scan is reported first: the booking is completed, and cannot be cancelled', () => {
    const system = withAnn();
    system.nowMs = openMs;
    expect(system.begin(scan('X', 'S1', openMs)).end()).toEqual({ kind: 'accepted' });
    const cancelled = system.begin(cancel(system, 'X', 'C1')).end();
    expect(cancelled).toEqual({ kind: 'rejected', code: 'BOOKING_NOT_CANCELLABLE' });
    expect(system.booking('X')).toMatchObject({ status: 'completed', refundedMinor: 0 });
    settled(system);
  });

  test('the cancellation comes first: a later scan is rejected, an earlier one counts, and the refund stays', () => {
    const system = withAnn();
    system.nowMs = openMs;
    expect(system.begin(cancel(system, 'X', 'C1')).end()).toEqual({ kind: 'accepted' });
    expect(system.begin(scan('X', 'S1', openMs)).end()).toEqual({ kind: 'rejected', code: 'VOUCHER_CANCELLED' });
    expect(system.begin(scan('X', 'S2', openMs - 1, openMs)).end()).toEqual({ kind: 'accepted' });
    expect(system.booking('X')).toMatchObject({ status: 'completed', refundedMinor: 1_000 });
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 0 });
  });

  test('a modification that started before the visit is rejected after it', () => {
    const system = withAnn();
    system.nowMs = openMs;
    const changing = system.begin(modify(system, { ...CHANGE, on: TUE })).go(1);
    system.begin(scan('X', 'S1', openMs)).end();
    expect(changing.end()).toEqual(rejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'completed' }));
    expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2, 'rafting-2026-12-02': 0 });
  });
});

test('the venue confirms while the guest moves the date: the voucher is valid on the new date', () => {
  const system = withAnn({ ends: 'pending' });
  const agreeing = system.begin(confirm(system, 'X'));
  system.begin(modify(system, { ...CHANGE, on: TUE })).end();
  expect(agreeing.end()).toEqual({ kind: 'accepted' });
  const { beginsAtMs: validFromMs, closesAtMs: validUntilMs } = hoursOf(TUE);
  const X = { date: TUE, paidMinor: 2_000, voucher: { validFromMs, validUntilMs } };
  expect(settled(system).bookings).toMatchObject({ X });
});

test('a hold that expires while it is used does not block its slots for ever', () => {
  const system = createSystem();
  system.begin(hold(system, { ...H, guests: 6 })).end();
  system.nowMs = HOLD_MS - 1;
  system.begin(book(system, { ...ANN, guests: 6, hold: 'H' })).go(1);
  system.nowMs = HOLD_MS;
  system.reap();
  expect(system.begin(book(system, { ...ANN, booking: 'Y' })).end()).toEqual({ kind: 'exhausted', free: 0 });
  system.nowMs += CLAIM_MS;
  system.reap();
  expect(system.begin(book(system, { ...ANN, booking: 'Y' })).end()).toEqual({ kind: 'booked' });
  expect(settled(system).taken).toEqual({ 'rafting-2026-12-01': 2 });
});

test('a hold keeps its price after the date becomes more expensive', () => {
  const system = createSystem();
  system.begin(hold(system, H)).end();
  const dearer = { ...OFFER, unitPriceMinor: 9_999 };
  expect(system.begin(book(system, { ...ANN, hold: 'H' }, dearer)).end()).toEqual({ kind: 'booked' });
  expect(settled(system).bookings).toMatchObject({ X: { paidMinor: 2_000 } });
});
