import { describe, expect, test } from 'bun:test';
import type { BookingRejection } from '../../src/domain/booking/commands.ts';
import {
  type BookWish,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  HOLD_MS,
  hold,
  hoursOf,
  type ModifyWish,
  modify,
  OFFER,
  scan,
} from './life/requests.ts';
import { faultsOf, leaksOf, standing } from './life/standing.ts';
import { type Town, town } from './life/town.ts';

const MON = '2026-12-01';
const TUE = '2026-12-02';
const ANN: BookWish = { booking: 'X', on: MON, guests: 2, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyWish = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };
const H = { hold: 'H', on: MON, guests: 2 };

function withAnn(change: Partial<BookWish> = {}): Town {
  const here = town();
  expect(here.begin(book(here, { ...ANN, ...change })).end()).toEqual({ kind: 'booked' });
  return here;
}

/** Past every deadline, with the reaper at rest: nothing is wrong, and nothing left over. */
function settled(here: Town) {
  here.nowMs += 2 * HOLD_MS;
  here.reap();
  expect([faultsOf(here), leaksOf(here)]).toEqual([[], []]);
  return standing(here);
}

const rejected = (rejection: BookingRejection) => ({ kind: 'rejected', rejection }) as const;

describe('a hold at the very end of its time', () => {
  test('used a millisecond before it, the booking has it, and the reaper that comes then lets nothing go', () => {
    const here = town();
    here.begin(hold(here, H)).end();
    here.nowMs = HOLD_MS - 1;
    const using = here.begin(book(here, { ...ANN, hold: 'H' })).go(1);
    here.nowMs = HOLD_MS;
    here.reap();
    expect(using.end()).toEqual({ kind: 'booked' });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });

  test('the reaper comes first, and the booking that had begun before is told that it is over', () => {
    const here = town();
    here.begin(hold(here, H)).end();
    here.nowMs = HOLD_MS - 1;
    const using = here.begin(book(here, { ...ANN, hold: 'H' }));
    here.nowMs = HOLD_MS;
    here.reap();
    expect(using.end()).toEqual({ kind: 'hold-rejected', code: 'HOLD_EXPIRED' });
    expect(settled(here)).toEqual({ bookings: {}, taken: { 'rafting-2026-12-01': 0 } });
  });

  test('used at its end it is over, although the reaper has not come yet', () => {
    const here = town();
    here.begin(hold(here, H)).end();
    here.nowMs = HOLD_MS;
    const outcome = here.begin(book(here, { ...ANN, hold: 'H' })).end();
    expect(outcome).toEqual({ kind: 'hold-rejected', code: 'HOLD_EXPIRED' });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 0 });
  });

  test('a late release of a hold that was used does not touch the booking', () => {
    const here = town();
    here.begin(hold(here, H)).end();
    here.nowMs = HOLD_MS;
    const [late] = here.owed();
    here.nowMs = HOLD_MS - 1;
    here.begin(book(here, { ...ANN, hold: 'H' })).end();
    here.obey(late ?? expect.unreachable());
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });
});

describe('one hold used by two idempotency keys', () => {
  test.each([0, 1, 2, 3])('of which the second comes after %d steps of the first: one books', (steps) => {
    const here = town();
    here.begin(hold(here, H)).end();
    const first = here.begin(book(here, { ...ANN, hold: 'H' })).go(steps);
    const second = here.begin(book(here, { ...ANN, hold: 'H', booking: 'Y' })).end();
    const outcomes = [first.end(), second];
    expect(outcomes.filter(({ kind }) => kind === 'booked').length).toBe(1);
    expect(outcomes).toContainEqual({ kind: 'hold-rejected', code: 'HOLD_USED' });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });
});

test('a date moved there and back, and the release of the first claim comes late: the booking stands', () => {
  const here = withAnn();
  here.begin(modify(here, { ...CHANGE, on: TUE })).end();
  const [late] = here.owed();
  here.begin(modify(here, { ...CHANGE, command: 'M2', on: MON })).end();
  for (let times = 0; times < 2; times++) here.obey(late ?? expect.unreachable());
  const { bookings, taken } = settled(here);
  expect(taken).toEqual({ 'rafting-2026-12-01': 2, 'rafting-2026-12-02': 0 });
  expect(bookings).toMatchObject({ X: { date: MON, slots: { 'rafting-2026-12-01': 2 }, paidMinor: 2_000 } });
});

test('guests 4, then 2, then 4 with a late shrink: four slots stand, and are charged once', () => {
  const here = withAnn({ guests: 4 });
  here.begin(modify(here, { ...CHANGE, guests: 2 })).end();
  const [late] = here.owed();
  expect(late?.type).toBe('ShrinkClaim');
  here.begin(modify(here, { ...CHANGE, command: 'M2', guests: 4 })).end();
  expect(here.allotment('rafting-2026-12-01')).toMatchObject({ taken: 6 });
  for (let times = 0; times < 2; times++) here.obey(late ?? expect.unreachable());
  const { bookings, taken } = settled(here);
  expect(taken).toEqual({ 'rafting-2026-12-01': 4 });
  expect(bookings).toMatchObject({ X: { guests: 4, paidMinor: 4_000 } });
});

describe('a paused node', () => {
  test.each([1, 2])('that books after %d steps and the abandonment of its claim books with another one', (steps) => {
    const here = town();
    const paused = here.begin(book(here, ANN)).go(steps);
    here.nowMs = CLAIM_MS;
    here.reap();
    expect(here.allotment('rafting-2026-12-01')).toMatchObject({ taken: 0 });
    expect(paused.end()).toEqual({ kind: 'booked' });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2 });
  });

  test('that books after its slots went to somebody else is told that there are none', () => {
    const here = town();
    const paused = here.begin(book(here, { ...ANN, guests: 6 })).go(2);
    here.nowMs = CLAIM_MS;
    here.reap();
    here.begin(book(here, { ...ANN, booking: 'Y', guests: 5 })).end();
    expect(paused.end()).toEqual({ kind: 'exhausted', free: 1 });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 5 });
  });

  test.each([
    ['more guests', { guests: 4 }, 1],
    ['another date', { on: TUE }, 1],
    ['another name, before it is on record', { guest: 'bob' }, 1],
    ['another name, after it is on record', { guest: 'bob' }, 2],
    ['another date and another name', { on: TUE, guest: 'bob' }, 2],
  ])('that modifies (%s) after the abandonment of its claim modifies with another one', (_, change, steps) => {
    const here = withAnn();
    const paused = here.begin(modify(here, { ...CHANGE, ...change })).go(steps);
    here.nowMs = CLAIM_MS;
    here.reap();
    expect(paused.end()).toEqual({ kind: 'modified' });
    const reference = withAnn();
    reference.begin(modify(reference, { ...CHANGE, ...change })).end();
    expect(settled(here)).toEqual(settled(reference));
  });

  test('that modifies after its slots went to somebody else leaves the booking as it was', () => {
    const here = withAnn();
    const before = standing(here).bookings;
    const paused = here.begin(modify(here, { ...CHANGE, guests: 6 })).go(1);
    here.nowMs = CLAIM_MS;
    here.reap();
    here.begin(book(here, { ...ANN, booking: 'Y' })).end();
    expect(paused.end()).toEqual({ kind: 'exhausted', free: 2 });
    expect(settled(here).bookings).toMatchObject(before);
  });
});

describe('the same key with two bodies on two nodes', () => {
  test.each([0, 1, 2, 3])('to book, the second after %d steps of the first: one is made', (steps) => {
    const here = town();
    const first = here.begin(book(here, ANN)).go(steps);
    const second = here.begin(book(here, { ...ANN, guests: 3 })).end();
    expect([first.end().kind, second.kind].sort()).toEqual(['booked', 'key-reused']);
    const { bookings, taken } = settled(here);
    expect(taken['rafting-2026-12-01']).toBe(bookings['X']?.guests ?? expect.unreachable());
  });

  test.each([0, 1, 2])('to modify, the second after %d steps of the first: one is made', (steps) => {
    const here = withAnn();
    const first = here.begin(modify(here, { ...CHANGE, guests: 4 })).go(steps);
    const second = here.begin(modify(here, { ...CHANGE, on: TUE })).end();
    const outcomes = [first.end(), second];
    expect(outcomes.filter(({ kind }) => kind === 'modified').length).toBe(1);
    expect(outcomes).toContainEqual(rejected({ code: 'IDEMPOTENCY_KEY_REUSED' }));
    settled(here);
  });

  test('to hold: the first one stands, and takes no more than it says', () => {
    const here = town();
    const first = here.begin(hold(here, H)).go(1);
    expect(here.begin(hold(here, { ...H, guests: 5 })).end()).toEqual({
      kind: 'rejected',
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(first.end()).toEqual({ kind: 'obeyed' });
    expect(here.allotment('rafting-2026-12-01')).toMatchObject({ taken: 2, held: 2 });
    settled(here);
  });
});

describe('an answer is lost, another command comes, then the first one again', () => {
  test('of two modifications: the first is answered as it was, and the second stands', () => {
    const here = withAnn();
    here.begin(modify(here, { ...CHANGE, guests: 4 })).end();
    here.begin(modify(here, { ...CHANGE, command: 'M2', guests: 1 })).end();
    const before = here.length;
    expect(here.begin(modify(here, { ...CHANGE, guests: 4 })).end()).toEqual({ kind: 'modified' });
    expect(here.length).toBe(before);
    expect(settled(here).bookings).toMatchObject({ X: { guests: 1, paidMinor: 1_000 } });
  });

  test('of a modification and a cancellation: both are answered as they were', () => {
    const here = withAnn();
    here.begin(modify(here, { ...CHANGE, guests: 4 })).end();
    here.begin(cancel(here, 'X', 'C1')).end();
    const before = here.length;
    expect(here.begin(modify(here, { ...CHANGE, guests: 4 })).end()).toEqual({ kind: 'modified' });
    expect(here.begin(cancel(here, 'X', 'C1')).end()).toEqual({ kind: 'obeyed' });
    expect(here.length).toBe(before);
    expect(settled(here)).toMatchObject({
      bookings: { X: { ended: true, paidMinor: 0 } },
      taken: { 'rafting-2026-12-01': 0 },
    });
  });

  test('of a booking that was moved since: it is answered as booked, and stays where it is', () => {
    const here = withAnn();
    here.begin(modify(here, { ...CHANGE, on: TUE })).end();
    expect(here.begin(book(here, ANN)).end()).toEqual({ kind: 'booked' });
    expect(settled(here)).toMatchObject({
      bookings: { X: { date: TUE } },
      taken: { 'rafting-2026-12-01': 0, 'rafting-2026-12-02': 2 },
    });
  });
});

describe('two modifications at the same time', () => {
  const changes: readonly (readonly [string, Partial<ModifyWish>, Partial<ModifyWish>])[] = [
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
  test.each(orders)('%s: one wins, the other is told so, and nothing leaks', (_, one, other) => {
    const here = withAnn();
    const first = here.begin(modify(here, { ...CHANGE, ...one }));
    const second = here.begin(modify(here, { ...CHANGE, command: 'M2', ...other }));
    first.go(1);
    const outcomes = [second.end(), first.end()];
    expect(outcomes).toContainEqual({ kind: 'modified' });
    expect(outcomes).toContainEqual(rejected({ code: 'REVISION_CONFLICT', version: 2 }));
    settled(here);
  });
});

describe('a modification against a cancellation', () => {
  test('the cancellation comes between its steps: it is refused, and what it took is given back', () => {
    const here = withAnn();
    const changing = here.begin(modify(here, { ...CHANGE, on: TUE, guests: 4 })).go(1);
    expect(here.begin(cancel(here, 'X', 'C1')).end()).toEqual({ kind: 'obeyed' });
    expect(changing.end()).toEqual(rejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'cancelled' }));
    expect(settled(here)).toMatchObject({
      bookings: { X: { ended: true, paidMinor: 0 } },
      taken: { 'rafting-2026-12-01': 0, 'rafting-2026-12-02': 0 },
    });
  });

  test('the modification comes first: the cancellation gives back what stands then', () => {
    const here = withAnn();
    here.begin(modify(here, { ...CHANGE, guests: 4 })).end();
    expect(here.begin(cancel(here, 'X', 'C1')).end()).toEqual({ kind: 'obeyed' });
    expect(settled(here)).toMatchObject({ bookings: { X: { paidMinor: 0 } }, taken: { 'rafting-2026-12-01': 0 } });
  });
});

describe('a cancellation against a scan', () => {
  const openMs = hoursOf(MON).opensAtMs;

  test('the scan is told first: the booking is completed, and cannot be cancelled', () => {
    const here = withAnn();
    here.nowMs = openMs;
    expect(here.begin(scan('X', 'S1', openMs)).end()).toEqual({ kind: 'obeyed' });
    expect(here.begin(cancel(here, 'X', 'C1')).end()).toEqual({ kind: 'rejected', code: 'BOOKING_NOT_CANCELLABLE' });
    expect(here.booking('X')).toMatchObject({ status: 'completed', refundedMinor: 0 });
    settled(here);
  });

  test('the cancellation is told first: a later scan is refused, an earlier one counts, and the refund stays', () => {
    const here = withAnn();
    here.nowMs = openMs;
    expect(here.begin(cancel(here, 'X', 'C1')).end()).toEqual({ kind: 'obeyed' });
    expect(here.begin(scan('X', 'S1', openMs)).end()).toEqual({ kind: 'rejected', code: 'VOUCHER_CANCELLED' });
    expect(here.begin(scan('X', 'S2', openMs - 1)).end()).toEqual({ kind: 'obeyed' });
    expect(here.booking('X')).toMatchObject({ status: 'completed', refundedMinor: 1_000 });
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 0 });
  });

  test('a modification that had begun is refused once the guests are in', () => {
    const here = withAnn();
    here.nowMs = openMs;
    const changing = here.begin(modify(here, { ...CHANGE, on: TUE })).go(1);
    here.begin(scan('X', 'S1', openMs)).end();
    expect(changing.end()).toEqual(rejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'completed' }));
    expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2, 'rafting-2026-12-02': 0 });
  });
});

test('a venue that agrees while the guests move: the voucher is for the date that they have', () => {
  const here = withAnn({ ends: 'pending' });
  const agreeing = here.begin(confirm(here, 'X'));
  here.begin(modify(here, { ...CHANGE, on: TUE })).end();
  expect(agreeing.end()).toEqual({ kind: 'obeyed' });
  const { beginsAtMs, closesAtMs } = hoursOf(TUE);
  expect(settled(here).bookings).toMatchObject({
    X: { date: TUE, paidMinor: 2_000, voucher: { validFromMs: beginsAtMs, validUntilMs: closesAtMs } },
  });
});

test('a hold whose end comes while it is being used keeps nobody else out for ever', () => {
  const here = town();
  here.begin(hold(here, { ...H, guests: 6 })).end();
  here.nowMs = HOLD_MS - 1;
  here.begin(book(here, { ...ANN, guests: 6, hold: 'H' })).go(1);
  here.nowMs = HOLD_MS;
  here.reap();
  expect(here.begin(book(here, { ...ANN, booking: 'Y' })).end()).toEqual({ kind: 'exhausted', free: 0 });
  here.nowMs += CLAIM_MS;
  here.reap();
  expect(here.begin(book(here, { ...ANN, booking: 'Y' })).end()).toEqual({ kind: 'booked' });
  expect(settled(here).taken).toEqual({ 'rafting-2026-12-01': 2 });
});

test('the price of a hold stays, though the date has got dearer since', () => {
  const here = town();
  here.begin(hold(here, H)).end();
  const dearer = { ...OFFER, unitPriceMinor: 9_999 };
  expect(here.begin(book(here, { ...ANN, hold: 'H' }, dearer)).end()).toEqual({ kind: 'booked' });
  expect(settled(here).bookings).toMatchObject({ X: { paidMinor: 2_000 } });
});
