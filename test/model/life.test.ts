import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import { type Reckoned, reckonBooked, reckonCancelled, reckonConfirmed, reckonModified } from './life/reckoning.ts';
import {
  type BookWish,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  erase,
  HOLD_MS,
  hold,
  hoursOf,
  letGo,
  type ModifyWish,
  modify,
  type Offer,
  reject,
  scan,
} from './life/requests.ts';
import { faultsOf, leaksOf, standing } from './life/standing.ts';
import { type Flow, type Town, town } from './life/town.ts';

const OFFERS = {
  '2026-12-01': { capacity: 6, unitPriceMinor: 1_001, cancellation: { freeUntilHours: 24, percentKept: 50 } },
  '2026-12-02': { capacity: 5, unitPriceMinor: 777, cancellation: { freeUntilHours: 48, percentKept: 33 } },
  '2026-12-03': { capacity: 4, unitPriceMinor: 1_500, cancellation: { freeUntilHours: 0, percentKept: 100 } },
} as const satisfies Record<string, Offer>;
type On = keyof typeof OFFERS;

type Wish =
  | ({ readonly kind: 'book' } & BookWish & { readonly on: On })
  | ({ readonly kind: 'modify' } & ModifyWish & { readonly on: On | null })
  | { readonly kind: 'cancel'; readonly booking: string; readonly reason: 'user_requested' | 'weather' }
  | { readonly kind: 'confirm' | 'reject' | 'erase' | 'scan'; readonly booking: string }
  | { readonly kind: 'hold'; readonly hold: string; readonly on: On; readonly guests: number }
  | { readonly kind: 'let-go'; readonly hold: string; readonly on: On };
type Happening =
  /** `crashAfter`: number of steps before a crash; null: the request runs to its end. */
  | { readonly kind: 'wish'; readonly wish: Wish; readonly crashAfter: number | null }
  | { readonly kind: 'time'; readonly passesMs: number }
  /** So many commands of a reaper, which may not come to its end. */
  | { readonly kind: 'reaper'; readonly commands: number };

const on = fc.constantFrom(...(Object.keys(OFFERS) as On[]));
const booking = fc.constantFrom('X', 'Y', 'Z');
const guests = fc.integer({ min: 1, max: 4 });
const heldAs = fc.constantFrom('H' as const, 'I' as const);
const guest = fc.constantFrom('ann', 'bob');
/** Mostly what is held is asked for as it is used. */
const HELD = { H: { on: '2026-12-01', guests: 2 }, I: { on: '2026-12-02', guests: 3 } } as const;
const mostly = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false));
const bookWish = fc
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
  .map(({ asHeld, ...wished }) => (asHeld && wished.hold !== null ? { ...wished, ...HELD[wished.hold] } : wished));
const holdWish = fc
  .record({ kind: fc.constant('hold' as const), hold: heldAs, on, guests, asHeld: mostly })
  .map(({ asHeld, ...wished }) => (asHeld ? { ...wished, ...HELD[wished.hold] } : wished));
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 3, arbitrary: bookWish },
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
  { weight: 3, arbitrary: holdWish },
  fc.record({ kind: fc.constant('let-go' as const), hold: heldAs, on }),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('wish' as const),
      wish,
      crashAfter: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.nat(3)),
    }),
  },
  fc.record({
    kind: fc.constant('time' as const),
    // The last one leads past the moment until which the first dates are free to cancel, and a second one past all of them.
    passesMs: fc.constantFrom(CLAIM_MS / 2, CLAIM_MS, HOLD_MS, 9.5 * DAY_MS),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reaper' as const), commands: fc.integer({ min: 1, max: 9 }) }),
  },
);

function toldAtOnce(wished: Wish): Happening {
  return { kind: 'wish', wish: wished, crashAfter: null };
}

function requestOf(here: Town, wished: Wish): Flow<{ readonly kind: string }> {
  switch (wished.kind) {
    case 'book':
      return book(here, wished, OFFERS[wished.on]);
    case 'modify': {
      return modify(here, wished, OFFERS[wished.on ?? dateOf(here, wished.booking)]);
    }
    case 'cancel':
      return cancel(here, wished.booking, 'C1', wished.reason);
    case 'confirm':
      return confirm(here, wished.booking);
    case 'reject':
      return reject(here, wished.booking);
    case 'erase':
      return erase(here, wished.booking);
    case 'scan':
      // Told by a gate's device; as it lies, now or at the opening of the date.
      return scan(wished.booking, 'S1', hoursOf(dateOf(here, wished.booking)).opensAtMs);
    case 'hold':
      return hold(here, wished, OFFERS[wished.on]);
    case 'let-go':
      return letGo(wished.hold, wished.on);
    default:
      return unreachable(wished);
  }
}

function dateOf(here: Town, name: string): On {
  const state = here.booking(name);
  const days = Object.keys(OFFERS) as On[];
  return days.find((day) => state.status !== 'none' && day === state.facts.date) ?? '2026-12-01';
}

/** What an answer says of a booking's account; nothing where it was given before. */
function reckon(books: Map<string, Reckoned>, ended: Set<string>, wished: Wish, nowMs: number): void {
  if (!('booking' in wished)) return;
  const before = books.get(wished.booking);
  if (wished.kind === 'book') {
    const { guests: size, ends } = wished;
    if (before === undefined)
      books.set(wished.booking, reckonBooked(wished.on, size, ends === 'confirmed', OFFERS[wished.on]));
    return;
  }
  if (before === undefined || ended.has(wished.booking)) return;
  const offer = OFFERS[before.on as On];
  if (wished.kind === 'modify') {
    const change = { command: wished.command, on: wished.on ?? before.on, guests: wished.guests ?? before.guests };
    const changes = change.on !== before.on || change.guests !== before.guests || wished.guest !== null;
    if (before.commands.has(wished.command) || !changes) return;
    const offers = { before: offer, after: OFFERS[change.on as On] };
    books.set(wished.booking, reckonModified(before, change, offers, nowMs));
  }
  if (wished.kind === 'confirm') books.set(wished.booking, reckonConfirmed(before, offer));
  if (wished.kind === 'cancel')
    books.set(wished.booking, reckonCancelled(before, wished.reason === 'user_requested', offer, nowMs));
  if (wished.kind === 'cancel' || wished.kind === 'reject') ended.add(wished.booking);
}

test('whatever is wished for, and whoever dies over it: nothing is sold twice, miscounted, mischarged or left over', () => {
  const told = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(bookWish, { maxLength: 3 }),
      fc.array(happening, { maxLength: 60, size: 'max' }),
      (first, more) => {
        const happenings = [...first.map(toldAtOnce), ...more];
        const here = town();
        const books = new Map<string, Reckoned>();
        const ended = new Set<string>();
        for (const next of happenings) {
          if (next.kind === 'time') here.nowMs += next.passesMs;
          if (next.kind === 'reaper') for (const command of here.owed().slice(0, next.commands)) here.obey(command);
          if (next.kind === 'wish') {
            const request = here.begin(requestOf(here, next.wish));
            const outcome = next.crashAfter === null ? request.end() : request.go(next.crashAfter).outcome;
            told.add(`${next.wish.kind}: ${outcome?.kind ?? 'nobody hears'}`);
            if (outcome !== null && ['booked', 'modified', 'obeyed'].includes(outcome.kind))
              reckon(books, ended, next.wish, here.nowMs);
            if (outcome !== null) {
              const { length } = here;
              expect(here.begin(requestOf(here, next.wish)).end()).toEqual(outcome);
              expect(here.length).toBe(length);
            }
          }
          expect(faultsOf(here)).toEqual([]);
          const { bookings } = standing(here);
          for (const [name, { paidMinor, guests: size, date }] of Object.entries(bookings)) {
            const reckoned = books.get(name);
            expect({ name, paidMinor, size, date }).toEqual({
              name,
              paidMinor: reckoned?.paidMinor ?? -1,
              size: reckoned?.guests ?? -1,
              date: reckoned?.on ?? 'never',
            });
          }
        }
        here.nowMs += 2 * HOLD_MS;
        here.reap();
        expect([faultsOf(here), leaksOf(here)]).toEqual([[], []]);
        const open = Object.keys(OFFERS).map((day) => here.allotment(`rafting-${day}`));
        expect(open.map((allotment) => (allotment.status === 'open' ? allotment.held : 0))).toEqual([0, 0, 0]);
      },
    ),
    { numRuns: 400 },
  );
  // A property of wishes that are all refused would say nothing.
  expect([...told]).toEqual(
    expect.arrayContaining([
      'book: booked',
      'book: exhausted',
      'book: hold-rejected',
      'book: key-reused',
      'book: nobody hears',
      'cancel: obeyed',
      'hold: obeyed',
      'let-go: obeyed',
      'modify: exhausted',
      'modify: modified',
      'modify: nobody hears',
      'modify: rejected',
    ]),
  );
});
