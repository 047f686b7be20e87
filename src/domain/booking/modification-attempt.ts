import type { LocalDate } from '../activity/activity.ts';
import { priceOf } from '../activity/pricing.ts';
import {
  type AllotmentCommand,
  type AllotmentId,
  allotmentId,
  type BookingId,
  type Opening,
} from '../allotment/allotment.ts';
import { type GuestDetails, guestId } from '../guest/guest.ts';
import type { Claimed } from './attempt.ts';
import type {
  BookingCommand,
  BookingRejection,
  ClaimRef,
  ExistingBooking,
  Fingerprint,
  GuestField,
  Hours,
  Modification,
} from './booking.ts';
import { planClaims } from './claims.ts';
import type { NameClaim, Step, StepResult } from './step.ts';

/** Abandonments after which an attempt gives up. */
const ROUNDS = 5;

/** Everything one attempt at a modification needs, worked out before its first step. */
export type ModificationAsk = {
  readonly booking: BookingId;
  /** As it was read; the attempt is refused where it has another version by the time of its last step. */
  readonly state: ExistingBooking;
  /** Who wishes it, when, and under which command. */
  readonly wished: Omit<Extract<BookingCommand, { type: 'Modify' }>, 'type' | 'plannedOn' | 'modification' | 'taken'>;
  /** Another date, with what the schedule says of it; null: the date stays. */
  readonly move: {
    readonly date: LocalDate;
    readonly hours: Hours;
    readonly lastEntryMs: number;
    /** What the guests' hotel takes off the present price, in percent; 0 without one. */
    readonly hotelPercentOff: number;
  } | null;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly guest: {
    readonly details: GuestDetails;
    /** Of the details and of the wish that they come from. */
    readonly fingerprint: Fingerprint;
    readonly fields: readonly GuestField[];
  } | null;
  /** What the schedule says of the date on which slots are claimed, should nobody have claimed any yet. */
  readonly opening: Opening;
  readonly claimDeadlineMs: number;
};

export type ModificationOutcome =
  | { readonly kind: 'modified' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | { readonly kind: 'refused'; readonly rejection: BookingRejection }
  | { readonly kind: 'contended' };

/**
 * One attempt at a modification: claim the slots it needs beside those the booking has, record the guest where that
 * changes, then the fact that names what it takes and drops. What is dropped is freed only after that. Until the last
 * step the booking is what it was; what an attempt leaves behind that ends before it, the reaper gives back.
 */
export function* modificationAttempt(
  ask: ModificationAsk,
  nameClaim: NameClaim,
): Generator<Step, ModificationOutcome, StepResult> {
  let abandonments = ask.state.abandoned.length;
  for (let round = 0; round < ROUNDS; round++) {
    const result = yield* attemptWith(ask, (allotment, size) => {
      const { booking, guest } = ask;
      const { command } = ask.wished;
      // The guest's record is found by the claim: where another one is to be recorded, the claim is another one.
      const fingerprint = guest?.fingerprint ?? ask.wished.fingerprint;
      const id = nameClaim({ booking, command, fingerprint, allotment, size, abandonments });
      return { allotment, size, id };
    });
    if (result !== 'claim-lost' && result.kind !== 'exhausted') return result;
    const reading: StepResult = yield { to: 'read', id: ask.booking };
    if (reading.kind !== 'read' || reading.booking.status === 'none') return { kind: 'contended' };
    // The same request may have come to its end elsewhere: then what is missing here stands there.
    if (reading.booking.modifications.get(ask.wished.command) !== undefined) {
      const known = yield* recordWith(ask, null, null);
      return known === 'claim-lost' ? { kind: 'contended' } : known;
    }
    if (result !== 'claim-lost') return result;
    const { length } = reading.booking.abandoned;
    if (length === abandonments) return { kind: 'contended' };
    abandonments = length;
  }
  return { kind: 'contended' };
}

type NameFor = (allotment: AllotmentId, size: number) => ClaimRef;

function* attemptWith(
  ask: ModificationAsk,
  nameFor: NameFor,
): Generator<Step, ModificationOutcome | 'claim-lost', StepResult> {
  const { booking, state, guest } = ask;
  const { take } = planClaims(state, ask);
  // A guest's record is made with a claim. Where no slots are needed it is made with one of none.
  const wanted = take ?? (guest === null ? null : { allotment: presentAllotment(state), size: 0 });
  if (wanted === null) return yield* recordWith(ask, null, null);
  const ref = nameFor(wanted.allotment, wanted.size);
  const claimed: StepResult = yield { to: 'allotment', id: ref.allotment, command: claimingOf(ref, ask) };
  if (claimed.kind === 'refused') {
    const { rejection } = claimed;
    return rejection.code === 'INVENTORY_EXHAUSTED' ? { kind: 'exhausted', free: rejection.free } : 'claim-lost';
  }
  if (claimed.kind !== 'claimed') return { kind: 'contended' };
  const taken = take === null ? null : { ref, claimed };
  if (guest === null) return yield* recordWith(ask, taken, null);
  const { details, fingerprint, fields } = guest;
  const recorded: StepResult = yield {
    to: 'guest',
    id: guestId(ref.id),
    command: { type: 'RecordGuest', booking, fingerprint, guest: details },
  };
  if (recorded.kind === 'erased') return 'claim-lost';
  if (recorded.kind !== 'done') return { kind: 'contended' };
  return yield* recordWith(ask, taken, { record: ref.id, fingerprint, fields });
}

function claimingOf({ id: claim, size }: ClaimRef, ask: ModificationAsk): AllotmentCommand {
  const { booking, opening, wished, move, claimDeadlineMs: deadlineMs } = ask;
  const price = { hotelPercentOff: move?.hotelPercentOff ?? 0, nowMs: wished.nowMs };
  return { type: 'ClaimSlots', claim, booking, size, deadlineMs, ...price, opening };
}

function presentAllotment({ facts }: ExistingBooking): AllotmentId {
  return allotmentId(facts.activityId, facts.date);
}

function* recordWith(
  ask: ModificationAsk,
  taken: { readonly ref: ClaimRef; readonly claimed: Claimed } | null,
  guest: Modification['guest'],
): Generator<Step, ModificationOutcome | 'claim-lost', StepResult> {
  const { booking, state, wished, move, numAdults, numChildren } = ask;
  const modification: Modification = {
    move: move === null ? null : moveTo(move, taken?.claimed ?? null, ask),
    numAdults,
    numChildren,
    guest,
  };
  const recorded: StepResult = yield {
    to: 'booking',
    id: booking,
    command: { type: 'Modify', ...wished, plannedOn: state.version, modification, taken: taken?.ref ?? null },
  };
  if (recorded.kind === 'done') return { kind: 'modified' };
  if (recorded.kind !== 'refused') return { kind: 'contended' };
  const { rejection } = recorded;
  switch (rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'REVISION_CONFLICT':
    case 'BOOKING_NOT_MODIFIABLE':
    case 'IDEMPOTENCY_KEY_REUSED':
    case 'BOOKING_NOT_FOUND':
      return { kind: 'refused', rejection };
    default:
      return { kind: 'contended' };
  }
}

/** The date's own price and policy, as they were when it was claimed. Without a claim the change was made before. */
function moveTo(
  { date, hours, lastEntryMs, hotelPercentOff }: NonNullable<ModificationAsk['move']>,
  claimed: Claimed | null,
  { opening }: ModificationAsk,
): Modification['move'] {
  const pricing = claimed?.pricing ?? priceOf(opening, hotelPercentOff);
  return { date, hours, lastEntryMs, pricing, cancellation: claimed?.cancellation ?? opening.cancellation };
}
