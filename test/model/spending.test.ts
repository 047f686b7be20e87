import { describe, expect, test } from 'bun:test';
import type { Money } from '../../src/domain/spending/spending.ts';
import { date } from '../support/examples.ts';
import {
  type BookRequest,
  book,
  cancel,
  confirm,
  hold,
  type ModifyRequest,
  modify,
  reject,
  setPrice,
} from './life/requests.ts';
import { recounted, settle, used } from './life/spending.ts';
import { faultsOf, leaksOf } from './life/summary.ts';
import { createSystem, type Flow, type System } from './life/system.ts';

const MON = '2026-12-01';
const ANN: BookRequest = { booking: 'X', on: MON, guests: 3, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyRequest = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };
/** The price of one guest is 1,000. */
const BOUND: Money = { amountMinor: 9_000, currency: 'THB' };

const booked = (system: System) => book(system, ANN);
const pending = (system: System) => book(system, { ...ANN, ends: 'pending' });
const held = (system: System) => hold(system, { hold: 'H', on: MON, guests: 3 });

type Case = {
  readonly name: string;
  readonly before: readonly ((system: System) => Flow<unknown>)[];
  readonly request: (system: System) => Flow<unknown>;
  /** Commands, in order: the first one reserves the amount, the third one corrects it to the claim's price. */
  readonly steps: number;
  readonly used: number;
};

const CASES: readonly Case[] = [
  { name: 'a booking', before: [], request: booked, steps: 5, used: 3_000 },
  { name: 'a booking on request', before: [], request: pending, steps: 5, used: 3_000 },
  {
    name: 'a booking with a hold',
    before: [held],
    request: (system) => book(system, { ...ANN, hold: 'H' }),
    steps: 5,
    used: 3_000,
  },
  {
    name: 'more guests',
    before: [booked],
    request: (system) => modify(system, { ...CHANGE, guests: 5 }),
    steps: 4,
    used: 5_000,
  },
  {
    name: 'another date and more guests, before the venue confirms',
    before: [pending],
    request: (system) => modify(system, { ...CHANGE, on: '2026-12-02', guests: 5 }),
    steps: 4,
    used: 5_000,
  },
  {
    name: 'fewer guests',
    before: [booked],
    request: (system) => modify(system, { ...CHANGE, guests: 1 }),
    steps: 1,
    used: 1_000,
  },
  { name: 'a cancellation', before: [booked], request: (system) => cancel(system, 'X', 'C1'), steps: 1, used: 0 },
  { name: 'a rejection by the venue', before: [pending], request: (system) => reject(system, 'X'), steps: 1, used: 0 },
  {
    name: 'a confirmation by the venue',
    before: [pending],
    request: (system) => confirm(system, 'X'),
    steps: 1,
    used: 3_000,
  },
];

const CRASHES = CASES.flatMap((tested) =>
  Array.from({ length: tested.steps + 1 }, (_, after) => ({ ...tested, after })),
);

function prepared({ before }: Case): System {
  const system = createSystem();
  system.dayTotal = BOUND;
  for (const request of before) system.begin(request(system)).end();
  return system;
}

function expectSettled(system: System): void {
  expect(used(system)).toBe(recounted(system));
  expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
}

describe('after a crash between two steps the spending is that of the streams', () => {
  test.each(CRASHES)('$name, after $after of $steps steps', (tested) => {
    const system = prepared(tested);
    system.begin(tested.request(system)).go(tested.after);
    expect(used(system)).toBeGreaterThanOrEqual(recounted(system));
    settle(system);
    expectSettled(system);
    // The repeated request ends as without the crash.
    system.begin(tested.request(system)).end();
    settle(system);
    expect(used(system)).toBe(tested.used);
    expectSettled(system);
  });

  test.each(CRASHES)('$name, repeated before the settlement: after $after of $steps steps', (tested) => {
    const system = prepared(tested);
    system.begin(tested.request(system)).go(tested.after);
    system.begin(tested.request(system)).end();
    settle(system);
    expect(used(system)).toBe(tested.used);
    expectSettled(system);
  });
});

test.each(CASES)('$name has $steps steps', (tested) => {
  const system = prepared(tested);
  const request = system.begin(tested.request(system));
  expect(request.go(tested.steps - 1).outcome).toBeNull();
  expect(request.go(1).outcome).not.toBeNull();
});

test('a refused booking leaves neither spending nor slots', () => {
  const system = createSystem();
  system.dayTotal = { amountMinor: 5_999, currency: 'THB' };
  system.begin(booked(system)).end();
  const refused = system.begin(book(system, { ...ANN, booking: 'Y' })).end();
  const money = { useMinor: 3_000, wantedMinor: 3_000, boundMinor: 5_999, currency: 'THB' };
  expect<object>(refused).toEqual({ kind: 'over-limit', limit: 'day_total', ...money });
  expect([used(system), system.booking('Y').status]).toEqual([3_000, 'none']);
  settle(system);
  expectSettled(system);
});

test('a booking that finds no slots returns what it reserved, at once', () => {
  const system = createSystem();
  system.dayTotal = BOUND;
  system.begin(book(system, { ...ANN, guests: 5 })).end();
  expect(system.begin(book(system, { ...ANN, booking: 'Y' })).end().kind).toBe('exhausted');
  expect(used(system)).toBe(5_000);
  settle(system);
  expectSettled(system);
});

test('of two runs of one request, one that finds no slots takes no reservation from the other', () => {
  const system = createSystem();
  system.dayTotal = BOUND;
  system.begin(book(system, { ...ANN, booking: 'Y', guests: 4 })).end();
  const first = system.begin(booked(system)).go(2);
  const second = system.begin(booked(system)).go(1);
  system.begin(cancel(system, 'Y', 'C1')).end();
  system.reap();
  // Claims, corrects the reservation and records the guest.
  second.go(3);
  expect<object>(first.end()).toMatchObject({ kind: 'exhausted' });
  expect(second.end()).toEqual({ kind: 'booked' });
  expect(used(system)).toBeGreaterThanOrEqual(recounted(system));
  settle(system);
  expect(used(system)).toBe(3_000);
  expectSettled(system);
});

describe('a price that rises between the reservation and the claim', () => {
  const dearer = (system: System, unitPriceMinor: number) => system.begin(setPrice(date(MON), unitPriceMinor)).end();

  test('is reserved before the booking', () => {
    const system = createSystem();
    system.dayTotal = BOUND;
    const request = system.begin(booked(system)).go(1);
    dearer(system, 2_000);
    expect(request.end()).toEqual({ kind: 'booked' });
    expect([used(system), recounted(system)]).toEqual([6_000, 6_000]);
  });

  test('is refused beyond the limit, and its slots and its reservation are returned', () => {
    const system = createSystem();
    system.dayTotal = BOUND;
    const request = system.begin(booked(system)).go(1);
    dearer(system, 3_001);
    expect<object>(request.end()).toMatchObject({ kind: 'over-limit', wantedMinor: 9_003 });
    expect(used(system)).toBe(0);
    settle(system);
    expectSettled(system);
  });
});

test('a price that falls between the reservation and the claim is corrected, even if the change costs nothing more', () => {
  const system = createSystem();
  system.dayTotal = BOUND;
  system.begin(booked(system)).end();
  system.begin(setPrice(date('2026-12-02'), 1_500)).end();
  const change = system.begin(modify(system, { ...CHANGE, on: '2026-12-02' })).go(1);
  expect(used(system)).toBe(4_500);
  system.begin(setPrice(date('2026-12-02'), 700)).end();
  change.end();
  settle(system);
  expect(used(system)).toBe(2_100);
  expectSettled(system);
});
