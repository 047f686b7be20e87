import { placesIn } from '../../../src/domain/exposure/exposure.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { checkAnswer, checkModification, checkRejection, checkTotal } from './answers.ts';
import { allotmentOf, hoursOf, TAKER } from './requests.ts';
import type { Rules } from './rules.ts';
import { checkResumed, checkSettled } from './settling.ts';
import type { Store } from './store.ts';
import { inOrder, type Stream } from './stream.ts';
import {
  allocationsOf,
  type BookingSummary,
  bookingSummary,
  bookingsOf,
  claimedPriceMinor,
  confirmationsOf,
  dateSchedule,
  slotsHeld,
  slotsTaken,
  sum,
  unpaidPlaces,
} from './summaries.ts';
import type { Invariant, Violation } from './violation.ts';
import type { Move, World } from './world.ts';

/**
 * Checks each world, and each answer to a request.
 * @param only the invariants to check, by default all
 */
export function watch(rules: Rules, only?: readonly Invariant[]) {
  const first = (violations: Iterable<Violation>): Violation | null => {
    for (const violation of violations) if (only === undefined || only.includes(violation.invariant)) return violation;
    return null;
  };
  // Each store is checked once, however many worlds share it.
  const known = new Map<number, Violation | null>();
  return {
    answer({ world, execution }: Move): Violation | null {
      if (execution === null) return null;
      return (
        first(checkModification(execution)) ??
        first(checkTotal(execution)) ??
        first(checkRejection(world.store, execution)) ??
        first(checkAnswer(world.store, execution.attempt))
      );
    },
    world({ late, store }: World): Violation | null {
      let violation = known.get(store.number);
      if (violation === undefined) {
        violation =
          first(checkStore(store, rules)) ??
          first(checkResumed(store, rules.reaper)) ??
          first(checkSettled(store, rules.reaper));
        known.set(store.number, violation);
      }
      return violation ?? (late ? null : first(checkEarlyReleases(store)));
    },
  };
}

function* checkStore(store: Store, { deciders }: Rules): Generator<Violation> {
  for (const stream of store.streams.allotment.values()) {
    yield* checkAllotment(store, stream);
    const [loaded, folded] = [stream.state, fold(deciders.allotment, stream.events)].map((state) =>
      JSON.stringify(state, inOrder),
    );
    if (loaded !== folded)
      yield { invariant: 'a state from a snapshot is that of all events', detail: `${loaded} instead of ${folded}` };
  }
  for (const stream of store.streams.booking.values()) {
    const confirmations = confirmationsOf(stream);
    if (confirmations.length > 1) {
      yield {
        invariant: 'a booking is confirmed at most once',
        detail: `${stream.name}: ${confirmations.length} times`,
      };
    }
    const summary = bookingSummary(stream);
    if (summary === null) continue;
    yield* checkClaims(store, stream.name, summary);
    yield* checkGuestRecords(store, stream.name, summary);
    yield* checkCharges(store, stream.name, summary);
    yield* checkVoucher(stream.name, summary);
  }
}

function* checkAllotment(store: Store, stream: Stream<'allotment'>): Generator<Violation> {
  const capacity = dateSchedule(stream)?.capacity ?? 0;
  const slots = slotsTaken(stream);
  const held = slotsHeld(stream);
  const here = [...bookingsOf(store).values()].filter(({ ended, date }) => !ended && allotmentOf(date) === stream.name);
  const guests = sum(here.map((booking) => booking.guests));
  const { state } = stream;
  const counted = state.status === 'open' ? [state.taken, state.held] : [0, 0];
  if (slots > capacity)
    yield { invariant: 'taken slots do not exceed the capacity', detail: `${slots} of ${capacity}` };
  if (guests > capacity)
    yield { invariant: 'booked guests do not exceed the capacity', detail: `${guests} of ${capacity}` };
  if (counted[0] !== slots || counted[1] !== held) {
    const detail = `counted ${counted.join()}, taken ${slots}, held ${held}`;
    yield { invariant: 'the decider counts the taken slots', detail };
  }
  const unpaid = sum([...unpaidPlaces(stream).values()]);
  const { keyId, share } = TAKER;
  if (unpaid > placesIn(share ?? 1, capacity)) {
    yield { invariant: 'unpaid places do not exceed the share of their key', detail: `${unpaid} of ${capacity}` };
  }
  const countedUnpaid = state.status === 'open' ? (state.unpaid.get(keyId) ?? 0) : 0;
  if (countedUnpaid !== unpaid)
    yield { invariant: 'the decider counts the unpaid places', detail: `counted ${countedUnpaid} of ${unpaid}` };
  for (const [id, { grants, releases }] of allocationsOf(stream)) {
    if (grants > 1 || releases > 1) {
      const detail = `${id} was granted ${grants} times and released ${releases} times`;
      yield { invariant: 'an id is claimed and released at most once', detail };
    }
  }
}

/** A booking has its claims: its own, for its date, with a slot for each guest. */
function* checkClaims(
  store: Store,
  booking: string,
  { ended, date, guests, claims }: BookingSummary,
): Generator<Violation> {
  const size = sum(claims.map((claim) => claim.size));
  if (!ended && size !== guests) {
    yield { invariant: 'a booking holds its claims', detail: `${booking} of ${guests} guests relies on ${size} slots` };
  }
  for (const claim of claims) {
    const allocation = allocationsOf(store.stream('allotment', claim.allotment)).get(claim.id);
    const own = allocation?.booking === booking && claim.allotment === allotmentOf(date);
    if (!own || allocation.slots < claim.size) {
      const detail = `${booking} names ${claim.id} for ${claim.size} guests, but the allotment has ${JSON.stringify(allocation)}`;
      yield { invariant: 'a booking holds its claims', detail };
    }
  }
}

/** Every record of the guest that the booking has ever named exists until the guest is erased. */
function* checkGuestRecords(store: Store, booking: string, { erased, records }: BookingSummary): Generator<Violation> {
  for (const { claim, fingerprint } of records) {
    const guest = store.stream('guest', claim);
    const [recorded, ...more] = guest.events;
    const right = recorded?.type === 'GuestRecorded' && recorded.data.fingerprint === fingerprint;
    const stands = !guest.erased && more.length === 0 && right;
    if (!erased && !stands) {
      const detail = `${booking} names guest ${claim}, ${guest.erased ? 'erased' : JSON.stringify(guest.events)}`;
      yield { invariant: 'the guest of a booking is recorded', detail };
    }
  }
}

/** A confirmed booking is charged at the price of its first claim; in this model nothing else is. */
function* checkCharges(store: Store, booking: string, summary: BookingSummary): Generator<Violation> {
  const { confirmed, ended, guests, date, claims, paidMinor } = summary;
  const price = claimedPriceMinor(store.stream('allotment', allotmentOf(date)), claims[0]?.id);
  const expectedMinor = confirmed && !ended ? guests * price : 0;
  if (paidMinor !== expectedMinor) {
    const detail = `${booking} has paid ${paidMinor}, expected ${expectedMinor}`;
    yield { invariant: 'charges match confirmations', detail };
  }
}

/** Only a confirmed booking has a voucher, and it is valid on the booking's date. */
function* checkVoucher(booking: string, { confirmed, voucher, date }: BookingSummary): Generator<Violation> {
  const { beginsAtMs, closesAtMs } = hoursOf(date);
  const right = voucher?.validFromMs === beginsAtMs && voucher.validUntilMs === closesAtMs;
  if (confirmed !== (voucher !== null) || (confirmed && !right)) {
    yield {
      invariant: 'a voucher is valid on the date of its booking',
      detail: `${booking}, ${date}: ${JSON.stringify(voucher)}`,
    };
  }
}

/** Before the deadline, only holds are released, and claims that their booking dropped or named only as a guest's record. */
function* checkEarlyReleases(store: Store): Generator<Violation> {
  const dropped = new Set<string>();
  for (const { type, data } of store.log) {
    if (type === 'BookingModified') {
      for (const { id } of [...data.dropped, ...data.shrunk]) dropped.add(id);
      if (data.guest !== null && !data.claims.some(({ id }) => id === data.guest?.record))
        dropped.add(data.guest.record);
    }
    if (type === 'BookingCancelled' || type === 'BookingRejected') for (const { id } of data.dropped) dropped.add(id);
    if (type === 'SlotsHeld') dropped.add(data.hold);
    const back = type === 'SlotsReleased' || type === 'ClaimShrunk';
    if (type === 'ClaimAbandoned' || (back && !dropped.has(data.claim))) {
      yield { invariant: 'nothing is released before its deadline', detail: `${type} ${data.claim}` };
    }
  }
}
