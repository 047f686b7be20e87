import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import {
  type ExpectedBooking,
  expectBooked,
  expectCancelled,
  expectConfirmed,
  expectModified,
} from './life/expected-booking.ts';
import { listedAndStored, listedGuests } from './life/read-models.ts';
import {
  type BookRequest,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  erase,
  HOLD_MS,
  hold,
  hoursOf,
  type ModifyRequest,
  modify,
  type Offer,
  reject,
  releaseHold,
  scan,
} from './life/requests.ts';
import { faultsOf, leaksOf, summaryOf } from './life/summary.ts';
import { createSystem, type Flow, type System } from './life/system.ts';

const OFFERS = {
  '2026-12-01': { capacity: 6, unitPriceMinor: 1_001, cancellation: { freeUntilHours: 24, percentKept: 50 } },
  '2026-12-02': { capacity: 5, unitPriceMinor: 777, cancellation: { freeUntilHours: 48, percentKept: 33 } },
  '2026-12-03': { capacity: 4, unitPriceMinor: 1_500, cancellation: { freeUntilHours: 0, percentKept: 100 } },
} as const satisfies Record<string, Offer>;
type On = keyof typeof OFFERS;

type Request =
  | ({ readonly kind: 'book' } & BookRequest & { readonly on: On })
  | ({ readonly kind: 'modify' } & ModifyRequest & { readonly on: On | null })
  | { readonly kind: 'cancel'; readonly booking: string; readonly reason: 'user_requested' | 'weather' }
  | { readonly kind: 'confirm' | 'reject' | 'erase' | 'scan'; readonly booking: string }
  | { readonly kind: 'hold'; readonly hold: string; readonly on: On; readonly guests: number }
  | { readonly kind: 'release-hold'; readonly hold: string; readonly on: On };
type Action =
  /** `crashAfter`: number of steps before a crash; null: the request runs to its end. */
  | { readonly kind: 'request'; readonly request: Request; readonly crashAfter: number | null }
  | { readonly kind: 'time'; readonly passesMs: number }
  /** The reaper runs this number of commands, and may not finish. */
  | { readonly kind: 'reaper'; readonly commands: number };

const on = fc.constantFrom(...(Object.keys(OFFERS) as On[]));
const booking = fc.constantFrom('X', 'Y', 'Z');
const guests = fc.integer({ min: 1, max: 4 });
const heldAs = fc.constantFrom('H' as const, 'I' as const);
const guest = fc.constantFrom('ann', 'bob');
/** The usual date and size of each hold, so that most bookings match it. */
const HELD = { H: { on: '2026-12-01', guests: 2 }, I: { on: '2026-12-02', guests: 3 } } as const;
const mostly = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false));
const bookRequest = fc
  .record({
    kind: fc.constant('book' as const),
    booking,
    on,
    guests,
    guest,
    hold: fc.option(heldAs, { freq: 2 }),
    ends: fc.constantFrom('confirmed' as const, 'pending' as const),
    asHeld: mostly,
  })
  .map(({ asHeld, ...request }) => (asHeld && request.hold !== null ? { ...request, ...HELD[request.hold] } : request));
const holdRequest = fc
  .record({ kind: fc.constant('hold' as const), hold: heldAs, on, guests, asHeld: mostly })
  .map(({ asHeld, ...request }) => (asHeld ? { ...request, ...HELD[request.hold] } : request));
const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 3, arbitrary: bookRequest },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('modify' as const),
      booking,
      command: fc.constantFrom('M1', 'M2', 'M3', 'M4', 'M5', 'M6'),
      on: fc.option(on, { freq: 2 }),
      guests: fc.option(guests, { freq: 2 }),
      guest: fc.option(guest, { freq: 2 }),
    }),
  },
  fc.record({
    kind: fc.constant('cancel' as const),
    booking,
    reason: fc.constantFrom('user_requested' as const, 'weather' as const),
  }),
  fc.record({
    kind: fc.constantFrom('confirm' as const, 'reject' as const, 'erase' as const, 'scan' as const),
    booking,
  }),
  { weight: 3, arbitrary: holdRequest },
  fc.record({ kind: fc.constant('release-hold' as const), hold: heldAs, on }),
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      request: anyRequest,
      crashAfter: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.nat(3)),
    }),
  },
  fc.record({
    kind: fc.constant('time' as const),
    // The last value passes the free cancellation of the first dates; twice, it passes all dates.
    passesMs: fc.constantFrom(CLAIM_MS / 2, CLAIM_MS, HOLD_MS, 9.5 * DAY_MS),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reaper' as const), commands: fc.integer({ min: 1, max: 9 }) }),
  },
);

function uncrashed(request: Request): Action {
  return { kind: 'request', request, crashAfter: null };
}

function flowOf(system: System, request: Request): Flow<{ readonly kind: string }> {
  switch (request.kind) {
    case 'book':
      return book(system, request, OFFERS[request.on]);
    case 'modify': {
      return modify(system, request, OFFERS[request.on ?? dateOf(system, request.booking)]);
    }
    case 'cancel':
      return cancel(system, request.booking, 'C1', request.reason);
    case 'confirm':
      return confirm(system, request.booking);
    case 'reject':
      return reject(system, request.booking);
    case 'erase':
      return erase(system, request.booking);
    case 'scan':
      // A gate device reports a scan at the opening of the date.
      return scan(request.booking, 'S1', hoursOf(dateOf(system, request.booking)).opensAtMs);
    case 'hold':
      return hold(system, request, OFFERS[request.on]);
    case 'release-hold':
      return releaseHold(request.hold, request.on);
    default:
      return unreachable(request);
  }
}

function dateOf(system: System, name: string): On {
  const state = system.booking(name);
  const days = Object.keys(OFFERS) as On[];
  return days.find((day) => state.status !== 'none' && day === state.facts.date) ?? '2026-12-01';
}

/** Applies an answer to the expected bookings; a repeated answer changes nothing. */
function applyAnswer(
  expected: Map<string, ExpectedBooking>,
  ended: Set<string>,
  request: Request,
  nowMs: number,
): void {
  if (!('booking' in request)) return;
  const before = expected.get(request.booking);
  if (request.kind === 'book') {
    const { guests: size, ends } = request;
    if (before === undefined)
      expected.set(request.booking, expectBooked(request.on, size, ends === 'confirmed', OFFERS[request.on]));
    return;
  }
  if (before === undefined || ended.has(request.booking)) return;
  const offer = OFFERS[before.on as On];
  if (request.kind === 'modify') {
    const change = { command: request.command, on: request.on ?? before.on, guests: request.guests ?? before.guests };
    const changes = change.on !== before.on || change.guests !== before.guests || request.guest !== null;
    if (before.commands.has(request.command) || !changes) return;
    const offers = { before: offer, after: OFFERS[change.on as On] };
    expected.set(request.booking, expectModified(before, change, offers, nowMs));
  }
  if (request.kind === 'confirm') expected.set(request.booking, expectConfirmed(before));
  if (request.kind === 'cancel')
    expected.set(request.booking, expectCancelled(before, request.reason === 'user_requested', offer, nowMs));
  if (request.kind === 'cancel' || request.kind === 'reject') ended.add(request.booking);
}

test('after random requests and crashes, nothing is oversold, miscounted, mischarged or leaked', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(bookRequest, { maxLength: 3 }),
      fc.array(action, { maxLength: 60, size: 'max' }),
      (first, more) => {
        const actions = [...first.map(uncrashed), ...more];
        const system = createSystem();
        const expected = new Map<string, ExpectedBooking>();
        const ended = new Set<string>();
        for (const next of actions) {
          if (next.kind === 'time') system.nowMs += next.passesMs;
          if (next.kind === 'reaper')
            for (const command of system.due().slice(0, next.commands)) system.execute(command);
          if (next.kind === 'request') {
            const paused = system.begin(flowOf(system, next.request));
            const outcome = next.crashAfter === null ? paused.end() : paused.go(next.crashAfter).outcome;
            seen.add(`${next.request.kind}: ${outcome?.kind ?? 'no answer'}`);
            if (outcome !== null && ['booked', 'modified', 'accepted'].includes(outcome.kind))
              applyAnswer(expected, ended, next.request, system.nowMs);
            if (outcome !== null) {
              const { length } = system;
              expect(system.begin(flowOf(system, next.request)).end()).toEqual(outcome);
              expect(system.length).toBe(length);
            }
          }
          expect(faultsOf(system)).toEqual([]);
          const { bookings } = summaryOf(system);
          for (const [name, { paidMinor, guests: size, date }] of Object.entries(bookings)) {
            const booked = expected.get(name);
            expect({ name, paidMinor, size, date }).toEqual({
              name,
              paidMinor: booked?.price.paidMinor ?? -1,
              size: booked?.guests ?? -1,
              date: booked?.on ?? 'never',
            });
          }
        }
        system.nowMs += 2 * HOLD_MS;
        system.reap();
        expect([faultsOf(system), leaksOf(system)]).toEqual([[], []]);
        for (const [listed, stored] of listedAndStored(system)) expect(listed).toStrictEqual(stored);
        const kept = [...system.streams.guest.keys()].toSorted();
        expect(listedGuests(system)).toStrictEqual([kept, kept]);
        const open = Object.keys(OFFERS).map((day) => system.allotment(`rafting-${day}`));
        expect(open.map((allotment) => (allotment.status === 'open' ? allotment.held : 0))).toEqual([0, 0, 0]);
      },
    ),
    { numRuns: 400 },
  );
  // Proves that the random requests reach every outcome.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'book: booked',
      'book: exhausted',
      'book: hold-rejected',
      'book: key-reused',
      'book: no answer',
      'cancel: accepted',
      'hold: accepted',
      'release-hold: accepted',
      'modify: exhausted',
      'modify: modified',
      'modify: no answer',
      'modify: rejected',
    ]),
  );
});
