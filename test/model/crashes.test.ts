import { describe, expect, test } from 'bun:test';
import {
  type BookRequest,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  erase,
  hold,
  type ModifyRequest,
  modify,
  reject,
  releaseHold,
} from './life/requests.ts';
import { faultsOf, leaksOf, summaryOf } from './life/summary.ts';
import { createSystem, type Flow, type System } from './life/system.ts';

const MON = '2026-12-01';
const ANN: BookRequest = { booking: 'X', on: MON, guests: 3, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyRequest = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };

type Case = {
  readonly name: string;
  readonly before: readonly ((system: System) => Flow<unknown>)[];
  /** Starts the request on a node; again if its answer was lost. */
  readonly request: (system: System) => Flow<unknown>;
  /** Appends of other streams, in this order. */
  readonly steps: number;
};

const booked = (system: System) => book(system, ANN);
const pending = (system: System) => book(system, { ...ANN, ends: 'pending' });
const held = (system: System) => hold(system, { hold: 'H', on: MON, guests: 3 });
const grown = (system: System) => modify(system, { ...CHANGE, command: 'M0', guests: 5 });

const CASES: readonly Case[] = [
  { name: 'a booking', before: [], request: booked, steps: 3 },
  { name: 'a booking on request', before: [], request: pending, steps: 3 },
  { name: 'a hold', before: [], request: held, steps: 2 },
  { name: 'a booking with a hold', before: [held], request: (system) => book(system, { ...ANN, hold: 'H' }), steps: 3 },
  { name: 'the end of a hold', before: [held], request: () => releaseHold('H', MON), steps: 1 },
  { name: 'more guests', before: [booked], request: (system) => modify(system, { ...CHANGE, guests: 5 }), steps: 2 },
  { name: 'fewer guests', before: [booked], request: (system) => modify(system, { ...CHANGE, guests: 1 }), steps: 1 },
  {
    name: 'fewer guests over two claims',
    before: [booked, grown],
    request: (system) => modify(system, { ...CHANGE, guests: 2 }),
    steps: 1,
  },
  {
    name: 'another date',
    before: [booked],
    request: (system) => modify(system, { ...CHANGE, on: '2026-12-02' }),
    steps: 2,
  },
  {
    name: 'another guest',
    before: [booked],
    request: (system) => modify(system, { ...CHANGE, guest: 'bob' }),
    steps: 3,
  },
  {
    name: 'another date, another guest and more guests',
    before: [booked],
    request: (system) => modify(system, { ...CHANGE, on: '2026-12-02', guest: 'bob', guests: 5 }),
    steps: 3,
  },
  { name: 'a cancellation', before: [booked, grown], request: (system) => cancel(system, 'X', 'C1'), steps: 1 },
  { name: 'a confirmation by the venue', before: [pending], request: (system) => confirm(system, 'X'), steps: 1 },
  { name: 'a rejection by the venue', before: [pending], request: (system) => reject(system, 'X'), steps: 1 },
  { name: 'an erasure', before: [booked], request: (system) => erase(system, 'X'), steps: 1 },
];

function prepared({ before }: Case): System {
  const system = createSystem();
  for (const request of before) system.begin(request(system)).end();
  system.reap();
  return system;
}

/** The result without a crash. */
function withoutCrash(tested: Case) {
  const system = prepared(tested);
  const outcome = system.begin(tested.request(system)).end();
  system.nowMs += CLAIM_MS;
  system.reap();
  return { outcome, ...summaryOf(system) };
}

const CRASHES = CASES.flatMap((tested) =>
  Array.from({ length: tested.steps + 1 }, (_, after) => ({ ...tested, after })),
);

describe('a request repeated after a crash of its node ends as without the crash', () => {
  test.each(CRASHES)('$name, repeated after the reaper finished: after $after of $steps steps', (tested) => {
    const system = prepared(tested);
    system.begin(tested.request(system)).go(tested.after);
    system.nowMs += CLAIM_MS;
    system.reap();
    expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
    const again = system.begin(tested.request(system)).end();
    system.nowMs += CLAIM_MS;
    system.reap();
    expect({ outcome: again, ...summaryOf(system) }).toEqual(withoutCrash(tested));
    expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
  });

  test.each(CRASHES)('$name, repeated before the reaper runs: after $after of $steps steps', (tested) => {
    const system = prepared(tested);
    system.begin(tested.request(system)).go(tested.after);
    const again = system.begin(tested.request(system)).end();
    system.nowMs += CLAIM_MS;
    system.reap();
    expect({ outcome: again, ...summaryOf(system) }).toEqual(withoutCrash(tested));
    expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
  });
});

describe('a reaper that crashes after each of its commands is continued by another one', () => {
  test.each(CRASHES)('$name, after $after of $steps steps', (tested) => {
    const system = prepared(tested);
    system.begin(tested.request(system)).go(tested.after);
    system.nowMs += CLAIM_MS;
    // Other reapers repeat each command.
    for (let due = system.due(); due.length > 0; due = system.due()) {
      const [next] = due;
      if (next === undefined) break;
      for (let times = 0; times < 3; times++) system.execute(next);
      expect(faultsOf(system)).toEqual([]);
    }
    expect(leaksOf(system)).toEqual([]);
    const again = system.begin(tested.request(system)).end();
    system.nowMs += CLAIM_MS;
    system.reap();
    expect({ outcome: again, ...summaryOf(system) }).toEqual(withoutCrash(tested));
  });
});

test.each(CASES)('$name has $steps steps, each an append', (tested) => {
  const system = prepared(tested);
  const request = system.begin(tested.request(system));
  const outcomes = Array.from({ length: tested.steps }, () => {
    const before = system.length;
    const { outcome } = request.go(1);
    return [system.length > before, outcome === null];
  });
  expect(outcomes).toEqual(outcomes.map((_, index) => [true, index + 1 < tested.steps]));
});
