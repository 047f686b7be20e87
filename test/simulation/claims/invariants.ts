import { type BookingFacts, guestsOf } from '../../../src/domain/booking/booking.ts';
import { guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { Attempt } from './attempt.ts';
import type { Rules } from './rules.ts';
import { resuming, settling } from './settling.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';
import { bookedOn, chargesOf, claimsOf, confirmationsOf, openingOf, slotsTaken, sum } from './tally.ts';
import type { Invariant, Violation } from './violation.ts';
import { fulfils } from './wish.ts';
import type { Move, World } from './world.ts';

/**
 * What a search looks at: each world, and each move's answer to a request.
 * @param only the invariants to look at, all by default.
 */
export function watch(rules: Rules, only?: readonly Invariant[]) {
  const first = (violations: Iterable<Violation>): Violation | null => {
    for (const violation of violations) if (only === undefined || only.includes(violation.invariant)) return violation;
    return null;
  };
  // What holds of a store is worked out once, however many worlds have it.
  const known = new Map<number, Violation | null>();
  return {
    answer({ world, request }: Move): Violation | null {
      if (request === null) return null;
      return first(refusing(world.store, request)) ?? first(answering(world.store, request.attempt));
    },
    world({ late, store }: World): Violation | null {
      let violation = known.get(store.number);
      if (violation === undefined) {
        violation =
          first(standing(store)) ?? first(resuming(store, rules.reaper)) ?? first(settling(store, rules.reaper));
        known.set(store.number, violation);
      }
      return violation ?? (late ? null : first(early(store)));
    },
  };
}

function* standing(store: Store): Generator<Violation> {
  for (const stream of store.streams.allotment.values()) yield* room(store, stream);
  for (const stream of store.streams.booking.values()) {
    const confirmations = confirmationsOf(stream);
    for (const facts of confirmations) yield* kept(store, stream.name, facts);
    if (confirmations.length > 1) {
      yield { invariant: 'a booking is confirmed once', detail: `${stream.name}: ${confirmations.length} times` };
    }
    yield* charged(store, stream);
  }
}

function* room(store: Store, stream: Stream<'allotment'>): Generator<Violation> {
  const capacity = openingOf(stream)?.capacity ?? 0;
  const slots = slotsTaken(stream);
  const guests = sum(bookedOn(store, stream.name).map(guestsOf));
  const counted = stream.state.status === 'open' ? stream.state.taken : 0;
  if (slots > capacity) yield { invariant: 'slots taken fit the capacity', detail: `${slots} of ${capacity}` };
  if (guests > capacity) yield { invariant: 'guests booked fit the capacity', detail: `${guests} of ${capacity}` };
  if (counted !== slots) {
    yield { invariant: 'the decider counts the slots that are claimed', detail: `${counted}, though it is ${slots}` };
  }
}

/** What a confirmed booking relies on stands: its claims, each its own, and its guest. */
function* kept(store: Store, booking: string, facts: BookingFacts): Generator<Violation> {
  for (const { allotment, id, size } of facts.claims) {
    const claim = claimsOf(store.stream('allotment', allotment)).get(id);
    const own = claim?.booking === booking && claim.releases === 0;
    if (!own || claim.sizes.length !== 1 || claim.sizes[0] !== size || size !== guestsOf(facts)) {
      const detail = `${booking} names ${id} for ${size} guests, of which is known ${JSON.stringify(claim)}`;
      yield { invariant: 'a booking holds its claims', detail };
    }
    const guest = store.stream('guest', guestId(id));
    if (guest.erased || guest.events.length !== 1 || guest.events[0]?.data.fingerprint !== facts.guest) {
      const detail = `${booking} names guest ${id}, ${guest.erased ? 'erased' : JSON.stringify(guest.events)}`;
      yield { invariant: 'a booked guest is on record', detail };
    }
  }
}

/** What is confirmed is charged, once, at the price with which the allotment was opened. */
function* charged(store: Store, stream: Stream<'booking'>): Generator<Violation> {
  const [confirmed] = confirmationsOf(stream);
  const price = (confirmed?.claims ?? []).map(({ allotment, size }) => {
    return size * (openingOf(store.stream('allotment', allotment))?.unitPriceMinor ?? 0);
  });
  const owed = confirmed === undefined ? [] : [sum(price)];
  const charges = chargesOf(stream);
  if (charges.join() !== owed.join()) {
    const detail = `${stream.name} is charged [${charges.join()}] for [${owed.join()}]`;
    yield { invariant: 'charges equal what is confirmed', detail };
  }
}

function* early(store: Store): Generator<Violation> {
  for (const { type } of store.log) {
    if (type === 'ClaimAbandoned' || type === 'SlotsReleased') {
      yield { invariant: 'nothing is abandoned before the deadline', detail: type };
    }
  }
}

/** Holds a refusal for want of room against the allotment at that moment. */
function* refusing(store: Store, { attempt, told }: NonNullable<Move['request']>): Generator<Violation> {
  if (told?.kind !== 'refused' || told.rejection.code !== 'INVENTORY_EXHAUSTED') return;
  const { on, capacity, guests } = attempt.wish;
  const allotment = store.stream('allotment', on);
  const free = (openingOf(allotment)?.capacity ?? capacity) - slotsTaken(allotment);
  if (free >= guests || free !== told.rejection.free) {
    yield { invariant: 'an answer is true', detail: `${told.rejection.free} free, though it is ${free}` };
  }
}

/** Holds an answer against the booking at the moment it is given. */
function* answering(store: Store, { wish, outcome }: Attempt): Generator<Violation> {
  const { state } = store.stream('booking', wish.booking);
  const booked = fulfils(state, wish);
  switch (outcome?.kind) {
    case undefined:
    case 'stopped':
      return;
    case 'booked':
      if (!booked) yield { invariant: 'an answer is true', detail: `${wish.booking} is not booked` };
      return;
    case 'key-reused':
      if (booked || state.status === 'none')
        yield { invariant: 'an answer is true', detail: 'no other wish is booked' };
      return;
    case 'exhausted':
      if (booked) yield { invariant: 'what is booked is not refused', detail: `${wish.booking} is booked` };
      return;
    case 'contended':
      yield { invariant: 'no attempt is contended', detail: `${wish.guests} with ${wish.guest} for ${wish.booking}` };
      return;
    default:
      unreachable(outcome);
  }
}
