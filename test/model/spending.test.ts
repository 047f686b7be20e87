import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { useIn } from '../../src/domain/spending/decider.ts';
import type { Money } from '../../src/domain/spending/spending.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { date } from '../support/examples.ts';
import { recountOf } from '../support/spending-recount.ts';
import {
  type BookRequest,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  hold,
  type ModifyRequest,
  modify,
  RATES,
  reject,
  setPrice,
} from './life/requests.ts';
import { faultsOf, leaksOf } from './life/summary.ts';
import { createSystem, type Flow, type Paused, type System } from './life/system.ts';

const MON = '2026-12-01';
const ANN: BookRequest = { booking: 'X', on: MON, guests: 3, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyRequest = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };
/** The price of one guest is 1,000. */
const BOUND: Money = { amountMinor: 9_000, currency: 'THB' };

const dayOf = ({ nowMs }: System) => new Date(nowMs).toISOString().slice(0, 10);

/** What counts for the limit on the present day. */
function used(system: System, day = dayOf(system)): number {
  return useIn('THB', system.spending(`key_1-${day}`), RATES);
}

function recounted(system: System, day = dayOf(system)): number {
  return [...system.streams.booking.values()].reduce((sum, events) => sum + recountOf(events, day), 0);
}

/** Time passes until every deadline, then the reaper and the settlement run to their ends. */
function settle(system: System): void {
  system.nowMs += CLAIM_MS;
  system.reap();
  system.settle('start');
  system.reap();
}

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

type Action = (system: System) => Flow<unknown>;
const BOOKINGS = ['X', 'Y', 'Z'] as const;
const DATES = [MON, '2026-12-02'] as const;
const id = fc.constantFrom(...BOOKINGS);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc
    .record({ booking: id, guests: fc.integer({ min: 1, max: 4 }), pends: fc.boolean(), on: fc.constantFrom(...DATES) })
    .map(({ booking, guests, pends, on }): Action => {
      return (system) => book(system, { ...ANN, booking, guests, on, ends: pends ? 'pending' : 'confirmed' });
    }),
  fc
    .record({
      booking: id,
      command: fc.constantFrom('M1', 'M2', 'M3'),
      guests: fc.option(fc.integer({ min: 1, max: 5 })),
      on: fc.option(fc.constantFrom(...DATES)),
    })
    .map(
      (request): Action =>
        (system) =>
          modify(system, { ...request, guest: null }),
    ),
  id.map(
    (booking): Action =>
      (system) =>
        cancel(system, booking, `C ${booking}`),
  ),
  id.map(
    (booking): Action =>
      (system) =>
        reject(system, booking),
  ),
  id.map(
    (booking): Action =>
      (system) =>
        confirm(system, booking),
  ),
);
/** Begin a request, or one `again`; `go` on with one, or crash it; change a price; let time pass; settle. */
const move = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('begin' as const), action }), weight: 4 },
  {
    arbitrary: fc.record({ kind: fc.constant('go' as const), which: fc.nat(9), steps: fc.integer({ min: 1, max: 6 }) }),
    weight: 8,
  },
  { arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat(9) }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      on: fc.constantFrom(...DATES),
      unitPriceMinor: fc.constantFrom(700, 1_000, 1_500),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('crash' as const), which: fc.nat(9) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, CLAIM_MS, DAY_MS) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constantFrom('settle' as const, 'reap' as const) }), weight: 2 },
);

test('random requests, crashes and settlements never exceed the limit, and end at the sum of the streams', () => {
  const seed = Number(process.env['SEQUENCE_SEED'] ?? Date.now() % 2 ** 31);
  process.stdout.write(`SEQUENCE_SEED=${seed}\n`);
  fc.assert(
    fc.property(fc.array(move, { minLength: 5, maxLength: 60 }), (moves) => {
      const system = createSystem();
      system.dayTotal = BOUND;
      let running: Paused<unknown>[] = [];
      const actions: Action[] = [];
      const days = new Set<string>();
      for (const next of moves) {
        days.add(dayOf(system));
        if (next.kind === 'begin') actions.push(next.action);
        const begun = next.kind === 'again' ? actions[next.which % actions.length] : actions.at(-1);
        if ((next.kind === 'begin' || next.kind === 'again') && begun) running.push(system.begin(begun(system)));
        if (next.kind === 'price') system.begin(setPrice(date(next.on), next.unitPriceMinor)).end();
        if (next.kind === 'go') running[next.which % running.length]?.go(next.steps);
        if (next.kind === 'crash') running = running.filter((_, index) => index !== next.which % running.length);
        if (next.kind === 'wait') system.nowMs += next.ms;
        if (next.kind === 'settle') system.settle();
        if (next.kind === 'reap') system.reap();
        for (const day of days) {
          expect(recounted(system, day)).toBeLessThanOrEqual(used(system, day));
          expect(used(system, day)).toBeLessThanOrEqual(BOUND.amountMinor);
        }
      }
      settle(system);
      for (const day of days) expect(used(system, day)).toBe(recounted(system, day));
      expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
    }),
    { seed, numRuns: 2_000 },
  );
});
