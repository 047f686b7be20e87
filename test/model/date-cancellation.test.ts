import { describe, expect, test } from 'bun:test';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { Booking, Cancellation } from '../../src/domain/booking/state.ts';
import { EARLY_MS } from '../support/booking-life.ts';
import { ISSUED } from '../support/examples.ts';
import {
  booking,
  CLOSED_DATE,
  cancelledByGuest,
  confirmed,
  GUESTS,
  HERE,
  moved,
  OTHER_DATE,
  started,
  THERE,
} from './dates/requests.ts';
import { CANCELLED_WITH_DATE, type Scenario, World } from './dates/world.ts';

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a booking is made on the date',
    before: () => {},
    request: () => booking({ kind: 'confirm', ...ISSUED }),
    ends: ['cancelled', 'none'],
  },
  {
    name: 'a booking on request is made on the date',
    before: () => {},
    request: () => booking({ kind: 'place-on-request', answerByMs: EARLY_MS + 1 }),
    ends: ['cancelled', 'none'],
  },
  {
    name: 'a slow booking is only started',
    before: () => {},
    request: () => started(),
    ends: ['cancelled', 'none', 'rejected'],
  },
  {
    name: 'the venue confirms a booking on request',
    before: (world) => world.book(HERE, true),
    request: () => confirmed(),
    ends: ['cancelled'],
  },
  {
    name: 'a booking moves onto the date',
    before: (world) => world.book(THERE),
    request: (world) => moved(world.booking, CLOSED_DATE),
    ends: ['cancelled', 'confirmed'],
  },
  {
    name: 'a booking moves away from the date',
    before: (world) => world.book(HERE),
    request: (world) => moved(world.booking, OTHER_DATE),
    ends: ['cancelled', 'confirmed'],
  },
  {
    name: 'guests are added to a booking of the date',
    before: (world) => world.book(HERE),
    request: (world) => moved(world.booking, CLOSED_DATE, GUESTS + 1),
    ends: ['cancelled'],
  },
  {
    name: 'its guest cancels a booking of the date',
    before: (world) => world.book(HERE),
    request: () => cancelledByGuest(),
    ends: ['cancelled'],
  },
];

/** What must hold once everything is done. */
function faultsOf(world: World): readonly string[] {
  return [...faultsOfBooking(world), ...faultsOfDate(world), ...faultsOfSlots(world)];
}

function faultsOfBooking({ booking: found, events }: World): readonly string[] {
  const faults: string[] = [];
  const count = (type: BookingEvent['type']): number => events.filter((event) => event.type === type).length;
  if (isActive(found) && found.facts.claims.some(({ allotment }) => allotment === HERE))
    faults.push(`it is ${found.status} on the cancelled date`);
  if (isActive(found) && found.facts.date === CLOSED_DATE) faults.push('it is booked on the cancelled date');
  if (count('BookingCancelled') > 1 || count('RefundRecorded') > 1) faults.push('it is cancelled or refunded twice');
  if (cancelledWithDate(found) !== null && found.status === 'cancelled' && found.refundedMinor !== found.chargedMinor)
    faults.push(`${found.refundedMinor} of ${found.chargedMinor} refunded`);
  return faults;
}

function faultsOfDate({ booking: found, here }: World): readonly string[] {
  const known = here.status === 'open' ? here.cancellation : null;
  if (typeof known?.finishedAt !== 'string') return ['the cancellation has not finished'];
  const cancellation = cancelledWithDate(found);
  const [counted, refunded] = cancellation === null ? [0, 0] : [1, cancellation.refundMinor];
  return known.cancelled === counted && known.refundMinor === refunded
    ? []
    : [`${known.cancelled} counted as cancelled, ${known.refundMinor} as refunded`];
}

function faultsOfSlots({ booking: found, here, allotments }: World): readonly string[] {
  const faults: string[] = [];
  if (here.status === 'open' && here.taken !== 0) faults.push(`${here.taken} slots of the date are taken`);
  const there = allotments.get(THERE);
  const taken = there?.status === 'open' ? there.taken : 0;
  if (taken !== (isActive(found) ? GUESTS : 0)) faults.push(`${taken} slots of the other date are taken`);
  return faults;
}

type Active = Extract<Booking, { status: 'processing' | 'pending' | 'confirmed' }>;

function isActive(found: Booking): found is Active {
  return found.status === 'processing' || found.status === 'pending' || found.status === 'confirmed';
}

function cancelledWithDate(found: Booking): Cancellation | null {
  return found.status === 'cancelled' && found.cancellation.command === CANCELLED_WITH_DATE ? found.cancellation : null;
}

type Found = {
  readonly worlds: number;
  readonly ends: ReadonlySet<string>;
  /** The first fault, with a shortest way to it: numbers of runs, -1 for the closing. */
  readonly fault: { readonly faults: readonly string[]; readonly moves: readonly number[] } | null;
};

/** Visits every reachable world, breadth first, and checks each as if all requests stopped there. */
function search(scenario: Scenario): Found {
  const known = new Set<string>();
  const ends = new Set<string>();
  let layer: (readonly number[])[] = [[]];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const moves of layer) {
      const world = worldAfter(moves, scenario);
      if (known.has(world.key)) continue;
      known.add(world.key);
      next.push(...[-1, ...world.runs.keys()].map((move) => [...moves, move]));
      world.settle();
      ends.add(world.booking.status);
      const faults = faultsOf(world);
      if (faults.length > 0) return { worlds: known.size, ends, fault: { faults, moves } };
    }
    layer = next;
  }
  return { worlds: known.size, ends, fault: null };
}

/** Generators cannot be copied, so each world is replayed from the start. */
function worldAfter(moves: readonly number[], scenario: Scenario): World {
  const world = new World(scenario);
  for (const move of moves) {
    if (move === -1) world.close();
    else world.runs[move]?.step();
  }
  return world;
}

describe('while a date is cancelled by two nodes, in every order of their steps and those of requests', () => {
  for (const scenario of SCENARIOS) {
    test(`and ${scenario.name}: no booking is left there, each is refunded once, each slot is released`, () => {
      const { worlds, ends, fault } = search(scenario);
      process.stdout.write(`${scenario.name}: ${worlds} worlds\n`);
      expect(fault).toBeNull();
      expect([...ends].sort()).toEqual([...scenario.ends]);
    }, 120_000);
  }
});
