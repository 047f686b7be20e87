import { answering, changing, refusing } from './answers.ts';
import type { Rules } from './rules.ts';
import { resuming, settling } from './settling.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';
import {
  bookingsOf,
  confirmationsOf,
  dateSchedule,
  slotsHeld,
  slotsTaken,
  sum,
  type Told,
  takingsOf,
  toldOf,
} from './tally.ts';
import type { Invariant, Violation } from './violation.ts';
import { hoursOf, placeOf } from './wish.ts';
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
      return (
        first(changing(request)) ??
        first(refusing(world.store, request)) ??
        first(answering(world.store, request.attempt))
      );
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
    if (confirmations.length > 1) {
      yield { invariant: 'a booking is confirmed once', detail: `${stream.name}: ${confirmations.length} times` };
    }
    const told = toldOf(stream);
    if (told === null) continue;
    yield* kept(store, stream.name, told);
    yield* recorded(store, stream.name, told);
    yield* charged(store, stream.name, told);
    yield* vouched(stream.name, told);
  }
}

function* room(store: Store, stream: Stream<'allotment'>): Generator<Violation> {
  const capacity = dateSchedule(stream)?.capacity ?? 0;
  const slots = slotsTaken(stream);
  const held = slotsHeld(stream);
  const here = [...bookingsOf(store).values()].filter(({ ended, date }) => !ended && placeOf(date) === stream.name);
  const guests = sum(here.map((booking) => booking.guests));
  const { state } = stream;
  const counted = state.status === 'open' ? [state.taken, state.held] : [0, 0];
  if (slots > capacity) yield { invariant: 'slots taken fit the capacity', detail: `${slots} of ${capacity}` };
  if (guests > capacity) yield { invariant: 'guests booked fit the capacity', detail: `${guests} of ${capacity}` };
  if (counted[0] !== slots || counted[1] !== held) {
    const detail = `${counted.join()}, though it is ${slots}, ${held} of them held`;
    yield { invariant: 'the decider counts the slots that are claimed', detail };
  }
  for (const [id, { given, releases }] of takingsOf(stream)) {
    if (given > 1 || releases > 1) {
      const detail = `${id} was given ${given} times and given back ${releases} times`;
      yield { invariant: 'an id stands for one taking of slots', detail };
    }
  }
}

/** What a booking relies on stands: its claims, each its own, for its date and no fewer slots than guests. */
function* kept(store: Store, booking: string, { ended, date, guests, claims }: Told): Generator<Violation> {
  const size = sum(claims.map((claim) => claim.size));
  if (!ended && size !== guests) {
    yield { invariant: 'a booking holds its claims', detail: `${booking} of ${guests} guests relies on ${size} slots` };
  }
  for (const claim of claims) {
    const taking = takingsOf(store.stream('allotment', claim.allotment)).get(claim.id);
    const own = taking?.booking === booking && claim.allotment === placeOf(date);
    if (!own || taking.slots < claim.size) {
      const detail = `${booking} names ${claim.id} for ${claim.size} guests, of which is known ${JSON.stringify(taking)}`;
      yield { invariant: 'a booking holds its claims', detail };
    }
  }
}

/** Every record of the guest that ever counted stands, until the guest is to be forgotten. */
function* recorded(store: Store, booking: string, { erased, records }: Told): Generator<Violation> {
  for (const { claim, fingerprint } of records) {
    const guest = store.stream('guest', claim);
    const stands = !guest.erased && guest.events.length === 1 && guest.events[0]?.data.fingerprint === fingerprint;
    if (!erased && !stands) {
      const detail = `${booking} names guest ${claim}, ${guest.erased ? 'erased' : JSON.stringify(guest.events)}`;
      yield { invariant: 'a booked guest is on record', detail };
    }
  }
}

/** What is confirmed is paid for, at the price with which its date's allotment was opened; all else is free here. */
function* charged(store: Store, booking: string, told: Told): Generator<Violation> {
  const { confirmed, ended, guests, date, paidMinor } = told;
  const price = dateSchedule(store.stream('allotment', placeOf(date)))?.unitPriceMinor ?? 0;
  const owedMinor = confirmed && !ended ? guests * price : 0;
  if (paidMinor !== owedMinor) {
    const detail = `${booking} has paid ${paidMinor} for ${owedMinor}`;
    yield { invariant: 'charges equal what is confirmed', detail };
  }
}

/** Only a confirmed booking has a voucher, and it is valid on the booking's date. */
function* vouched(booking: string, { confirmed, voucher, date }: Told): Generator<Violation> {
  const { beginsAtMs, closesAtMs } = hoursOf(date);
  const right = voucher?.validFromMs === beginsAtMs && voucher.validUntilMs === closesAtMs;
  if (confirmed !== (voucher !== null) || (confirmed && !right)) {
    yield { invariant: 'a voucher is for its booking', detail: `${booking}, ${date}: ${JSON.stringify(voucher)}` };
  }
}

/** Before the deadline nothing is given back but what its booking has dropped, or its holder has let go. */
function* early(store: Store): Generator<Violation> {
  const dropped = new Set<string>();
  for (const { type, data } of store.log) {
    if (type === 'BookingModified') for (const { id } of [...data.dropped, ...data.shrunk]) dropped.add(id);
    if (type === 'BookingCancelled' || type === 'BookingRejected') for (const { id } of data.dropped) dropped.add(id);
    if (type === 'SlotsHeld') dropped.add(data.hold);
    const back = type === 'SlotsReleased' || type === 'ClaimShrunk';
    if (type === 'ClaimAbandoned' || (back && !dropped.has(data.claim))) {
      yield { invariant: 'nothing is given back early', detail: `${type} ${data.claim}` };
    }
  }
}
