import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Money } from '../../src/domain/spending/spending.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { date } from '../support/examples.ts';
import { type BookRequest, book, CLAIM_MS, cancel, confirm, modify, reject, setPrice } from './life/requests.ts';
import { dayOf, recounted, settle, used } from './life/spending.ts';
import { faultsOf, leaksOf } from './life/summary.ts';
import { createSystem, type Flow, type Paused, type System } from './life/system.ts';

const MON = '2026-12-01';
const ANN: BookRequest = { booking: 'X', on: MON, guests: 3, guest: 'ann', hold: null, ends: 'confirmed' };
/** The price of one guest is 1,000. */
const BOUND: Money = { amountMinor: 9_000, currency: 'THB' };

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
