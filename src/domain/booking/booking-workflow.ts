import { amounts, type Pricing } from '../activity/pricing.ts';
import type { AllotmentCommand } from '../allotment/commands.ts';
import type { DateSchedule } from '../allotment/events.ts';
import type { UnpaidTaker } from '../exposure/exposure.ts';
import type { GuestDetails } from '../guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId, Fingerprint, HoldId } from '../ids.ts';
import type { BookingCommand } from './commands.ts';
import type { BookingFacts, ClaimRef } from './facts.ts';
import {
  claimFingerprint,
  type Expense,
  type OverLimit,
  reserveSpending,
  returnReservation,
  type SpendingGuard,
} from './reserve-spending.ts';
import type { ExistingBooking, Voucher } from './state.ts';
import {
  type Claimed,
  type ClaimForgotten,
  type ClaimIdOf,
  type ClaimLost,
  CONTENDED,
  type Knowledge,
  knowledgeAfter,
  MAX_ROUNDS,
  needsAnotherClaim,
  type OverShare,
  type PriceChanged,
  recordGuest,
  type Step,
  type StepResult,
} from './workflow-step.ts';

/** Everything that a run of the workflow needs, known before its first step. */
export type BookingWorkflowInput = Knowledge & {
  readonly bookingId: BookingId;
  readonly allotmentId: AllotmentId;
  readonly schedule: DateSchedule;
  /** Hotel discount on the current price, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
  /** The hold to use: its slots and its price. */
  readonly holdId: HoldId | null;
  /** Time (ms since the epoch) for the price and for the expiry of the hold. */
  readonly nowMs: number;
  readonly guests: number;
  /** The total that the caller agreed to, in minor units; null: any. */
  readonly expectedTotalMinor: number | null;
  readonly guestDetails: GuestDetails;
  readonly guestFingerprint: Fingerprint;
  /** Fingerprint of the caller's reference; null: none. */
  readonly reference: Fingerprint | null;
  readonly facts: Omit<BookingFacts, 'claims' | 'pricing' | 'guest' | 'cancellation'>;
  /** Confirms with this voucher, or asks the venue, which must answer by `answerByMs` (ms since the epoch). */
  readonly finalStep:
    | { readonly kind: 'confirm'; readonly voucher: Voucher; readonly activityRevision: number }
    | { readonly kind: 'place-on-request'; readonly answerByMs: number };
  readonly claimDeadlineMs: number;
  /** Set for a booking on request, which is not paid before the venue confirms it. */
  readonly unpaid: UnpaidTaker | null;
  /** The limits on the key's spending, and the present price; null without limits. */
  readonly spending: { readonly guard: SpendingGuard; readonly quote: Expense } | null;
};

export type BookingWorkflowOutcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | PriceChanged
  | { readonly kind: 'hold-rejected'; readonly code: 'HOLD_UNKNOWN' | 'HOLD_USED' | 'HOLD_EXPIRED' }
  | OverLimit
  | OverShare
  | { readonly kind: 'key-reused' }
  | typeof CONTENDED;

/**
 * The booking workflow: reserve the amount if the key's spending is limited, claim the slots, record the guest, append the
 * booking event that names the claim. Only the last step books; a crash before it leaves a claim that the reaper finds. A
 * generator without effects: its driver executes the steps, in production through actors, in the exhaustive search in
 * every interleaving (docs/decisions/0002).
 */
export function* bookingWorkflow(
  input: BookingWorkflowInput,
  claimIdOf: ClaimIdOf,
): Generator<Step, BookingWorkflowOutcome, StepResult> {
  let known: Knowledge = input;
  const { bookingId, allotmentId, guests: size } = input;
  const { command: commandId } = input.facts;
  const fingerprint = claimFingerprint(input.facts.fingerprint, input.spending);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { abandonments } = known;
    const id = claimIdOf({ bookingId, commandId, fingerprint, allotmentId, size, abandonments });
    const claim: ClaimRef = { allotment: allotmentId, size, id };
    const unreserved = yield* reserveQuote(claim, input);
    const result = unreserved ?? (yield* claimSlots(claim, known, input));
    if (!needsAnotherClaim(result) && !REFUSALS.has(result.kind)) return result;
    // A refusal is final only if no other run has made the booking meanwhile, so read it.
    const reading: StepResult = yield { to: 'read', id: bookingId };
    if (reading.kind !== 'read') return CONTENDED;
    if (reading.booking.status !== 'none') {
      const joined = yield* joinExisting(reading.booking, input);
      return joined === 'claim-lost' ? CONTENDED : joined;
    }
    if (!needsAnotherClaim(result)) {
      if (unreserved === null && input.spending !== null)
        yield* returnReservation(input.spending.guard, bookingId, claim);
      return result;
    }
    const next = knowledgeAfter(result, reading.booking, known);
    if (next === null) return CONTENDED;
    known = next;
  }
  return CONTENDED;
}

/** A claim may exist, but no booking names it. */
const REFUSALS: ReadonlySet<BookingWorkflowOutcome['kind']> = new Set([
  'exhausted',
  'price-changed',
  'hold-rejected',
  'over-limit',
  'over-share',
]);

/** The booking's facts, given its claim. */
export function factsOf(
  input: BookingWorkflowInput,
  claim: ClaimRef,
  { pricing, cancellation }: Claimed,
): BookingFacts {
  return { ...input.facts, claims: [claim], guest: input.guestFingerprint, pricing, cancellation };
}

/** Reserves the quoted amount. Null on success, and without limits. */
function* reserveQuote(claim: ClaimRef, { spending, bookingId }: BookingWorkflowInput) {
  if (spending === null) return null;
  return yield* reserveSpending(spending.guard, spending.quote, { bookingId, claim, exact: false });
}

function* claimSlots(
  claim: ClaimRef,
  known: Knowledge,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | ClaimForgotten | ClaimLost, StepResult> {
  const claimed: StepResult = yield {
    to: 'allotment',
    id: claim.allotment,
    command: claimCommandOf(claim, known, input),
  };
  if (claimed.kind === 'rejected') {
    const { rejection } = claimed;
    switch (rejection.code) {
      case 'INVENTORY_EXHAUSTED':
        return { kind: 'exhausted', free: rejection.free };
      case 'UNPAID_SHARE':
        return { kind: 'over-share', refusal: rejection };
      case 'PRICE_CHANGED':
        return { kind: 'price-changed', totalMinor: rejection.totalMinor };
      case 'HOLD_UNKNOWN':
      case 'HOLD_USED':
      case 'HOLD_EXPIRED':
        return { kind: 'hold-rejected', code: rejection.code };
      case 'ID_FORGOTTEN':
        return { kind: 'claim-forgotten', releases: rejection.releases };
      default:
        return 'claim-lost';
    }
  }
  if (claimed.kind !== 'claimed') return CONTENDED;
  const overLimit = yield* reserveClaimed(claim, claimed.pricing, input);
  return overLimit ?? (yield* completeBooking(claim.id, factsOf(input, claim, claimed), input));
}

/**
 * Corrects the reservation if the claim's price differs from the quote. If a limit refuses that, the reaper releases the
 * claim. Null on success, and without limits.
 */
function* reserveClaimed(claim: ClaimRef, pricing: Pricing, { spending, bookingId, guests }: BookingWorkflowInput) {
  if (spending === null) return null;
  const { totalMinor } = amounts(pricing, guests);
  const expense = { totalMinor, addedMinor: totalMinor, currency: pricing.currency };
  return yield* reserveSpending(spending.guard, expense, { bookingId, claim, exact: true });
}

/**
 * Joins a booking that another run of the same command made or started. If only started, the guest may not be recorded
 * yet.
 */
function* joinExisting(
  booking: ExistingBooking,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | ClaimLost, StepResult> {
  const { facts, guestRecord } = booking;
  const started = booking.status === 'processing' && facts.fingerprint === input.facts.fingerprint;
  if (started) return yield* completeBooking(guestRecord, facts, input);
  // The decider compares command and fingerprint: it accepts a repetition and rejects another body.
  return yield* appendBooking({ ...facts, ...input.facts }, input);
}

function* completeBooking(
  record: ClaimId,
  facts: BookingFacts,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | ClaimLost, StepResult> {
  const { bookingId, guestDetails: guest, guestFingerprint: fingerprint } = input;
  return (yield* recordGuest(record, { bookingId, fingerprint, guest })) ?? (yield* appendBooking(facts, input));
}

function claimCommandOf(
  { id: claimId, size }: ClaimRef,
  { releasesSeen }: Knowledge,
  input: BookingWorkflowInput,
): AllotmentCommand {
  const { bookingId, schedule, holdId, hotelPercentOff, claimDeadlineMs: deadlineMs } = input;
  const { expectedTotalMinor, nowMs, unpaid } = input;
  const claim = { claimId, bookingId, size, deadlineMs, expectedTotalMinor, nowMs, releasesSeen, unpaid };
  return holdId === null
    ? { type: 'ClaimSlots', ...claim, hotelPercentOff, schedule }
    : { type: 'TakeHold', ...claim, holdId };
}

function* appendBooking(
  facts: BookingFacts,
  { bookingId, finalStep, reference }: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | ClaimLost, StepResult> {
  const command: BookingCommand =
    finalStep.kind === 'confirm'
      ? {
          type: 'ConfirmWithoutVenue',
          facts,
          voucher: finalStep.voucher,
          activityRevision: finalStep.activityRevision,
          reference,
        }
      : { type: 'PlaceOnRequest', facts, answerByMs: finalStep.answerByMs, reference };
  const booked: StepResult = yield { to: 'booking', id: bookingId, command };
  if (booked.kind === 'done') return { kind: 'booked' };
  if (booked.kind !== 'rejected') return CONTENDED;
  switch (booked.rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'IDEMPOTENCY_KEY_REUSED':
      return { kind: 'key-reused' };
    default:
      return CONTENDED;
  }
}
