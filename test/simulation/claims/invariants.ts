import { type BookingFacts, guestsOf } from '../../../src/domain/booking/booking.ts';
import { guestId } from '../../../src/domain/guest/guest.ts';
import type { Attempt } from './attempt.ts';
import type { Rules } from './rules.ts';
import { resuming, settling } from './settling.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';
import { chargesOf, claimsOf, confirmationsOf, openedCapacity, slotsOf, sum } from './tally.ts';
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
    answer({ world, by }: Move): Violation | null {
      const attempt = by === null ? undefined : world.requests[by]?.attempt;
      return attempt === undefined || attempt.outcome === null ? null : first(answered(world.store, attempt));
    },
    world({ late, store }: World): Violation | null {
      let violation = known.get(store.number);
      if (violation === undefined) {
        violation = first(standing(store)) ?? first(resuming(store, rules.reaper)) ?? first(settling(store, rules.reaper));
        known.set(store.number, violation);
      }
      return violation ?? (late ? null : first(early(store)));
    },
  };
}

function* standing(store: Store): Generator<Violation> {
  const { allotment, booking } = store.streams;
  for (const stream of allotment.values()) yield* capacity(stream, store);
  for (const stream of booking.values()) {
    const confirmations = confirmationsOf(stream);
    for (const facts of confirmations) yield* kept(store, stream.name, facts);
    if (confirmations.length > 1) {
      yield { invariant: 'a booking is confirmed once', detail: `${stream.name}: ${confirmations.length} times` };
    }
    yield* charged(store, stream);
  }
}

function* capacity(stream: Stream<'allotment'>, store: Store): Generator<Violation> {
  const free = openedCapacity(stream);
  const slots = slotsOf(stream);
  const booked = [...store.streams.booking.values()].flatMap(confirmationsOf);
  const guests = sum(booked.filter(({ claims }) => claims.some(({ allotment }) => allotment === stream.name)).map(guestsOf));
  const counted = stream.state.status === 'open' ? stream.state.taken : 0;
  const capacity = openedCapacity(stream);
  if (slots > capacity) yield { invariant: 'slots taken fit the capacity', detail: `${slots} of ${capacity}` };
  if (guests > capacity) yield { invariant: 'guests booked fit the capacity', detail: `${guests} of ${capacity}` };
  if (counted !== slots) {
    yield { invariant: 'the decider counts the slots that are claimed', detail: `${counted} for ${slots}` };
  }
}
