import type {
  AllotmentCommand,
  AllotmentId,
  BookingId,
  ClaimId,
  HoldId,
  OpenAllotment,
  Opening,
} from '../allotment/allotment.ts';
import { pricingOfClaim } from '../allotment/decider.ts';
import { type GuestDetails, guestId } from '../guest/guest.ts';
import type { BookingCommand, BookingFacts, ClaimRef, ExistingBooking, Fingerprint, Voucher } from './booking.ts';
import type { NameClaim, Step, StepResult } from './step.ts';

/** Abandonments and races after which an attempt gives up. */
const ROUNDS = 5;

/** Everything one attempt at a booking needs, worked out before its first step. */
export type BookingAsk = {
  readonly booking: BookingId;
  readonly allotment: AllotmentId;
  readonly opening: Opening;
  /** What the guests' hotel takes off the present price, in percent; 0 without one. */
  readonly hotelPercentOff: number;
  /** The hold whose slots and price it takes. */
  readonly hold: HoldId | null;
  /** The moment (ms since the epoch) whose price it gets, and at which the hold is to be had still. */
  readonly nowMs: number;
  readonly guests: number;
  readonly guest: GuestDetails;
  readonly guestFingerprint: Fingerprint;
  readonly facts: Omit<BookingFacts, 'claims' | 'pricing' | 'guest' | 'cancellation'>;
  /** Confirmed at once with this voucher, or by the venue, which may answer until a time (ms since the epoch). */
  readonly ends:
    | { readonly as: 'confirmed'; readonly voucher: Voucher }
    | { readonly as: 'pending'; readonly answerByMs: number };
  readonly claimDeadlineMs: number;
  /** How many claims the booking's stream had abandoned when it was read. */
  readonly abandonments: number;
};

export type AttemptOutcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | { readonly kind: 'hold-refused'; readonly code: 'HOLD_UNKNOWN' | 'HOLD_USED' | 'HOLD_EXPIRED' }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'contended' };

/**
 * One attempt at a booking, step by step: claim the slots, record the guest, then the fact that names the claim. A crash
 * after any step leaves a claim that the reaper finds; only the last step books. A generator without effects: whoever
 * drives it does the steps, in production the actors, in the exhaustive search every interleaving of them
 * (docs/decisions/0002).
 */
export function* bookingAttempt(ask: BookingAsk, nameClaim: NameClaim): Generator<Step, AttemptOutcome, StepResult> {
  let { abandonments } = ask;
  const { booking, allotment, guests: size } = ask;
  const { command, fingerprint } = ask.facts;
  for (let round = 0; round < ROUNDS; round++) {
    const id = nameClaim({ booking, command, fingerprint, allotment, size, abandonments });
    const claim: ClaimRef = { allotment, size, id };
    const result = yield* attemptWith(claim, ask);
    if (result !== 'claim-lost' && result.kind !== 'exhausted' && result.kind !== 'hold-refused') return result;
    // None of these is told before the booking was looked at: another attempt under the same key may have made it meanwhile.
    const reading: StepResult = yield { to: 'read', id: booking };
    if (reading.kind !== 'read') return { kind: 'contended' };
    if (reading.booking.status !== 'none') {
      const known = yield* joinIn(reading.booking, ask);
      return known === 'claim-lost' ? { kind: 'contended' } : known;
    }
    if (result !== 'claim-lost') return result;
    // A claim is lost only after its abandonment was stored, so the next one gets another id.
    const { length } = reading.booking.abandoned;
    if (length === abandonments) return { kind: 'contended' };
    abandonments = length;
  }
  return { kind: 'contended' };
}

/** What a booking that was claimed for like this says of itself. */
export function factsOf(ask: BookingAsk, claim: ClaimRef, { pricing, cancellation }: Claimed): BookingFacts {
  return {
    ...ask.facts,
    claims: [claim],
    guest: ask.guestFingerprint,
    pricing,
    cancellation,
  };
}

export type Claimed = Extract<StepResult, { kind: 'claimed' }>;

/** What an attempt is told of a command that its allotment has obeyed. */
export function claimedBy(allotment: OpenAllotment, command: AllotmentCommand): StepResult {
  if (command.type !== 'ClaimSlots' && command.type !== 'TakeHold') return { kind: 'done' };
  const { cancellation } = allotment.schedule;
  return { kind: 'claimed', pricing: pricingOfClaim(allotment, command), cancellation };
}

function* attemptWith(claim: ClaimRef, ask: BookingAsk): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const claimed: StepResult = yield { to: 'allotment', id: claim.allotment, command: takingOf(claim, ask) };
  if (claimed.kind === 'refused') {
    const { rejection } = claimed;
    switch (rejection.code) {
      case 'INVENTORY_EXHAUSTED':
        return { kind: 'exhausted', free: rejection.free };
      case 'HOLD_UNKNOWN':
      case 'HOLD_USED':
      case 'HOLD_EXPIRED':
        return { kind: 'hold-refused', code: rejection.code };
      default:
        return 'claim-lost';
    }
  }
  if (claimed.kind !== 'claimed') return { kind: 'contended' };
  return yield* recordAndBook(claim.id, factsOf(ask, claim, claimed), ask);
}

/**
 * What another attempt at the same wish made, or only started: then that one may have ended before the guest was on record
 * where the booking looks for it.
 */
function* joinIn(
  booking: ExistingBooking,
  ask: BookingAsk,
): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const { facts, guestRecord } = booking;
  const started = booking.status === 'processing' && facts.fingerprint === ask.facts.fingerprint;
  if (started) return yield* recordAndBook(guestRecord, facts, ask);
  return yield* bookWith({ ...facts, ...ask.facts }, ask);
}

function* recordAndBook(
  record: ClaimId,
  facts: BookingFacts,
  ask: BookingAsk,
): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const { booking, guest, guestFingerprint: fingerprint } = ask;
  const recorded: StepResult = yield {
    to: 'guest',
    id: guestId(record),
    command: { type: 'RecordGuest', booking, fingerprint, guest },
  };
  if (recorded.kind === 'erased') return 'claim-lost';
  if (recorded.kind !== 'done') return { kind: 'contended' };
  return yield* bookWith(facts, ask);
}

function takingOf({ id: claim, size }: ClaimRef, ask: BookingAsk): AllotmentCommand {
  const { booking, opening, hold, hotelPercentOff, nowMs, claimDeadlineMs: deadlineMs } = ask;
  if (hold === null) return { type: 'ClaimSlots', claim, booking, size, deadlineMs, hotelPercentOff, nowMs, opening };
  return { type: 'TakeHold', hold, claim, booking, size, deadlineMs, nowMs };
}

function* bookWith(
  facts: BookingFacts,
  { booking, ends }: BookingAsk,
): Generator<Step, AttemptOutcome | 'claim-lost', StepResult> {
  const command: BookingCommand =
    ends.as === 'confirmed'
      ? { type: 'Book', facts, voucher: ends.voucher }
      : { type: 'PlaceOnRequest', facts, answerByMs: ends.answerByMs };
  const booked: StepResult = yield { to: 'booking', id: booking, command };
  if (booked.kind === 'done') return { kind: 'booked' };
  if (booked.kind !== 'refused') return { kind: 'contended' };
  switch (booked.rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'IDEMPOTENCY_KEY_REUSED':
      return { kind: 'key-reused' };
    default:
      return { kind: 'contended' };
  }
}
