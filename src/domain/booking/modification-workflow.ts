import type { LocalDate } from '../activity/activity.ts';
import { amounts } from '../activity/pricing.ts';
import type { AllotmentCommand } from '../allotment/commands.ts';
import type { DateSchedule } from '../allotment/events.ts';
import type { UnpaidTaker } from '../exposure/exposure.ts';
import type { GuestDetails } from '../guest/guest.ts';
import { type AllotmentId, allotmentIdOf, type BookingId, type Fingerprint, testAllotmentOf } from '../ids.ts';
import { planClaims } from './claims.ts';
import type { BookingCommandOf, BookingRejection, Modification } from './commands.ts';
import type { GuestField } from './events.ts';
import { type ClaimRef, guestsOf, type Hours } from './facts.ts';
import {
  claimFingerprint,
  type Expense,
  expenseOf,
  type OverLimit,
  reserveSpending,
  returnReservation,
  type SpendingGuard,
} from './reserve-spending.ts';
import type { ExistingBooking } from './state.ts';
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
export type ModificationWorkflowInput = {
  readonly bookingId: BookingId;
  /** As it was read; the last step is rejected if the version has changed since. */
  readonly booking: ExistingBooking;
  /** Command id, fingerprint, caller, If-Match versions and time. */
  readonly metadata: Omit<BookingCommandOf<'Modify'>, 'type' | 'plannedOn' | 'modification' | 'taken'>;
  /** The new date with its schedule; null: the date stays. */
  readonly move: {
    readonly date: LocalDate;
    readonly hours: Hours;
    readonly lastEntryMs: number;
  } | null;
  readonly numAdults: number;
  readonly numChildren: number;
  /** Hotel discount on the present price of new slots, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
  /**
   * The total that the caller agreed to, in minor units; null: any. Also null without new slots: then the total follows
   * from the booking as it was read.
   */
  readonly expectedTotalMinor: number | null;
  readonly guest: {
    readonly details: GuestDetails;
    /** Of the details and of the command. */
    readonly fingerprint: Fingerprint;
    readonly fields: readonly GuestField[];
  } | null;
  /** Schedule of the date on which slots are claimed, to open its allotment if needed. */
  readonly schedule: DateSchedule;
  /** Selects the test allotment that provides the slots; null for a live booking. */
  readonly testDay: LocalDate | null;
  readonly claimDeadlineMs: number;
  /** Set while the venue has not confirmed the booking: its slots are not paid. */
  readonly unpaid: UnpaidTaker | null;
  /** The limits on the key's spending, and the present price; null without limits. */
  readonly spending: { readonly guard: SpendingGuard; readonly quote: Expense } | null;
};

export type ModificationWorkflowOutcome =
  | { readonly kind: 'modified' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | PriceChanged
  | { readonly kind: 'rejected'; readonly rejection: BookingRejection }
  | OverLimit
  | OverShare
  | typeof CONTENDED;

/**
 * The modification workflow: reserve what it adds to the price if the key's spending is limited, claim additional slots,
 * record the guest if it changes, append the event that names taken and dropped claims. Dropped slots are released after
 * that. Until the last step the booking is unchanged; after a crash the reaper releases the claims.
 */
export function* modificationWorkflow(
  input: ModificationWorkflowInput,
  claimIdOf: ClaimIdOf,
): Generator<Step, ModificationWorkflowOutcome, StepResult> {
  const { bookingId, booking, guest, metadata, spending, testDay } = input;
  const { take } = planClaims(booking, input);
  // A guest record needs a claim; without new slots it is a claim of size 0.
  const wanted = take ?? (guest === null ? null : { allotment: currentAllotment(booking), size: 0 });
  if (wanted === null) return yield* appendLast(input);
  const { allotment, size } = wanted;
  const allotmentId = testDay === null ? allotment : testAllotmentOf(allotment, testDay);
  // The guest stream is named after the claim, so another guest needs another claim.
  const fingerprint = claimFingerprint(guest?.fingerprint ?? metadata.fingerprint, spending);
  // The booking's stream names the allotment, so no number of its releases is known before that stream is read.
  let known: Knowledge = { abandonments: booking.abandoned.length, releasesSeen: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { abandonments } = known;
    const id = claimIdOf({ bookingId, commandId: metadata.commandId, fingerprint, allotmentId, size, abandonments });
    const claim = { allotment: allotmentId, size, id };
    const unreserved = yield* reserveQuote(claim, input);
    const result = unreserved ?? (yield* claimSlots(claim, known, input, take !== null));
    if (!needsAnotherClaim(result) && !WITHOUT_CLAIM.has(result.kind)) {
      if (result.kind === 'rejected') yield* returnQuote(claim, input);
      return result;
    }
    const reading: StepResult = yield { to: 'read', id: bookingId };
    if (reading.kind !== 'read' || reading.booking.status === 'none') return CONTENDED;
    // The same command may have completed on another node; then repeat only the last step.
    if (reading.booking.modifications.get(metadata.commandId) !== undefined) return yield* appendLast(input);
    if (!needsAnotherClaim(result)) {
      if (unreserved === null) yield* returnQuote(claim, input);
      return result;
    }
    const next = knowledgeAfter(result, reading.booking, known);
    if (next === null) return CONTENDED;
    known = next;
  }
  return CONTENDED;
}

/** A modification without a claim consists of the last step only. */
function* appendLast(input: ModificationWorkflowInput): Generator<Step, ModificationWorkflowOutcome, StepResult> {
  const result = yield* appendModification(input, null, null);
  return result === 'claim-lost' ? CONTENDED : result;
}

/** Refusals that come before any read of the booking's stream. */
const WITHOUT_CLAIM: ReadonlySet<ModificationWorkflowOutcome['kind']> = new Set([
  'exhausted',
  'price-changed',
  'over-limit',
  'over-share',
]);

/** Reserves what the quote adds to the price. Null on success, and without limits. */
function* reserveQuote(claim: ClaimRef, { spending, bookingId }: ModificationWorkflowInput) {
  if (spending === null) return null;
  return yield* reserveSpending(spending.guard, spending.quote, { bookingId, claim, exact: false });
}

/** Returns what the quote reserved. */
function* returnQuote(claim: ClaimRef, { spending, bookingId }: ModificationWorkflowInput) {
  if (spending === null || spending.quote.addedMinor <= 0) return;
  yield* returnReservation(spending.guard, bookingId, claim);
}

/**
 * Corrects the reservation if the claim's price differs from the quote. If a limit refuses that, the reaper releases the
 * claim. Null on success, and without limits.
 */
function* reserveClaimed(claim: ClaimRef, { pricing }: Claimed, input: ModificationWorkflowInput) {
  const { spending, bookingId, booking, move, numAdults, numChildren } = input;
  if (spending === null) return null;
  const expense = expenseOf(booking, { moves: move !== null, numAdults, numChildren, price: pricing });
  return yield* reserveSpending(spending.guard, expense, { bookingId, claim, exact: true });
}

/** @param taken whether the booking names the claim's slots; false for a claim that only carries a guest's record */
function* claimSlots(
  ref: ClaimRef,
  known: Knowledge,
  input: ModificationWorkflowInput,
  taken: boolean,
): Generator<Step, ModificationWorkflowOutcome | ClaimForgotten | ClaimLost, StepResult> {
  const { bookingId, guest } = input;
  const command = claimCommandOf(ref, known, input);
  const claimed: StepResult = yield { to: 'allotment', id: ref.allotment, command };
  if (claimed.kind === 'rejected') {
    const { rejection } = claimed;
    if (rejection.code === 'ID_FORGOTTEN') return { kind: 'claim-forgotten', releases: rejection.releases };
    if (rejection.code === 'UNPAID_SHARE') return { kind: 'over-share', refusal: rejection };
    if (rejection.code === 'PRICE_CHANGED')
      return { kind: 'price-changed', totalMinor: pricedBeforeMinor(input) + rejection.totalMinor };
    return rejection.code === 'INVENTORY_EXHAUSTED' ? { kind: 'exhausted', free: rejection.free } : 'claim-lost';
  }
  if (claimed.kind !== 'claimed') return CONTENDED;
  const overLimit = yield* reserveClaimed(ref, claimed, input);
  if (overLimit !== null) return overLimit;
  const slots = taken ? { ref, claimed } : null;
  if (guest === null) return yield* appendModification(input, slots, null);
  const { details, fingerprint, fields } = guest;
  const failure = yield* recordGuest(ref.id, { bookingId, fingerprint, guest: details });
  return failure ?? (yield* appendModification(input, slots, { record: ref.id, fingerprint, fields }));
}

function claimCommandOf(
  { id: claimId, size }: ClaimRef,
  { releasesSeen }: Knowledge,
  input: ModificationWorkflowInput,
): AllotmentCommand {
  const { bookingId, schedule, metadata, hotelPercentOff, claimDeadlineMs: deadlineMs, unpaid } = input;
  const expectedTotalMinor =
    input.expectedTotalMinor === null ? null : input.expectedTotalMinor - pricedBeforeMinor(input);
  const price = { hotelPercentOff, expectedTotalMinor, nowMs: metadata.nowMs };
  return { type: 'ClaimSlots', claimId, bookingId, size, deadlineMs, ...price, schedule, releasesSeen, unpaid };
}

/** Total of the guests that keep their price, in minor units: the claim does not contain them. */
function pricedBeforeMinor({ booking: { facts }, move }: ModificationWorkflowInput): number {
  return move === null ? amounts(facts.pricing, guestsOf(facts)).totalMinor : 0;
}

function currentAllotment({ facts }: ExistingBooking): AllotmentId {
  return allotmentIdOf(facts.activityId, facts.date);
}

function* appendModification(
  input: ModificationWorkflowInput,
  taken: { readonly ref: ClaimRef; readonly claimed: Claimed } | null,
  guest: Modification['guest'],
): Generator<Step, ModificationWorkflowOutcome | ClaimLost, StepResult> {
  const { bookingId, booking, metadata, move, numAdults, numChildren } = input;
  const modification: Modification = {
    move: move === null ? null : moveTo(move, taken?.claimed ?? null, input),
    numAdults,
    numChildren,
    guest,
  };
  const recorded: StepResult = yield {
    to: 'booking',
    id: bookingId,
    command: {
      type: 'Modify',
      ...metadata,
      plannedOn: booking.version,
      modification,
      taken: taken === null ? null : { claim: taken.ref, pricing: taken.claimed.pricing },
    },
  };
  if (recorded.kind === 'done') return { kind: 'modified' };
  if (recorded.kind !== 'rejected') return CONTENDED;
  const { rejection } = recorded;
  switch (rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'REVISION_CONFLICT':
    case 'BOOKING_NOT_MODIFIABLE':
    case 'IDEMPOTENCY_KEY_REUSED':
    case 'BOOKING_NOT_FOUND':
      return { kind: 'rejected', rejection };
    default:
      return CONTENDED;
  }
}

/** The policy of the new date at the time of the claim. Without a claim the change was made before. */
function moveTo(
  { date, hours, lastEntryMs }: NonNullable<ModificationWorkflowInput['move']>,
  claimed: Claimed | null,
  { schedule }: ModificationWorkflowInput,
): Modification['move'] {
  return { date, hours, lastEntryMs, cancellation: claimed?.cancellation ?? schedule.cancellation };
}
