import type { AllotmentCommand } from '../allotment/commands.ts';
import type { DateSchedule } from '../allotment/events.ts';
import { claimPricing, type OpenAllotment } from '../allotment/state.ts';
import { type GuestDetails, guestId } from '../guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId, Fingerprint, HoldId } from '../ids.ts';
import type { BookingCommand } from './commands.ts';
import type { BookingFacts, ClaimRef } from './facts.ts';
import type { ExistingBooking, Voucher } from './state.ts';
import type { NameClaim, Step, StepResult } from './workflow-step.ts';

/** Rounds, after abandonments and races, until the workflow ends as `contended`. */
const ROUNDS = 5;

/** Everything that a run of the workflow needs, known before its first step. */
export type BookingWorkflowInput = {
  readonly booking: BookingId;
  readonly allotment: AllotmentId;
  readonly schedule: DateSchedule;
  /** Hotel discount on the present price, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
  /** The hold to use: its slots and its price. */
  readonly hold: HoldId | null;
  /** Time (ms since the epoch) for the price and for the expiry of the hold. */
  readonly nowMs: number;
  readonly guests: number;
  readonly guest: GuestDetails;
  readonly guestFingerprint: Fingerprint;
  readonly facts: Omit<BookingFacts, 'claims' | 'pricing' | 'guest' | 'cancellation'>;
  /** Confirmed at once with this voucher, or pending until the venue answers (deadline in ms since the epoch). */
  readonly ends:
    | { readonly as: 'confirmed'; readonly voucher: Voucher }
    | { readonly as: 'pending'; readonly answerByMs: number };
  readonly claimDeadlineMs: number;
  /** Number of abandoned claims in the booking's stream when it was read. */
  readonly abandonments: number;
};

export type BookingWorkflowOutcome =
  | { readonly kind: 'booked' }
  | { readonly kind: 'exhausted'; readonly free: number }
  | { readonly kind: 'hold-rejected'; readonly code: 'HOLD_UNKNOWN' | 'HOLD_USED' | 'HOLD_EXPIRED' }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'contended' };

/**
 * The booking workflow: claim the slots, record the guest, append the booking event that names the claim. Only the last
 * step books; a crash before it leaves a claim that the reaper finds. A generator without effects: its driver executes
 * the steps, in production through actors, in the exhaustive search in every interleaving (docs/decisions/0002).
 */
export function* bookingWorkflow(
  input: BookingWorkflowInput,
  nameClaim: NameClaim,
): Generator<Step, BookingWorkflowOutcome, StepResult> {
  let { abandonments } = input;
  const { booking, allotment, guests: size } = input;
  const { command, fingerprint } = input.facts;
  for (let round = 0; round < ROUNDS; round++) {
    const id = nameClaim({ booking, command, fingerprint, allotment, size, abandonments });
    const claim: ClaimRef = { allotment, size, id };
    const result = yield* claimAndRecord(claim, input);
    if (result !== 'claim-lost' && result.kind !== 'exhausted' && result.kind !== 'hold-rejected') return result;
    // Read the booking before these are returned: another run with the same key may have made it meanwhile.
    const reading: StepResult = yield { to: 'read', id: booking };
    if (reading.kind !== 'read') return { kind: 'contended' };
    if (reading.booking.status !== 'none') {
      const known = yield* joinExisting(reading.booking, input);
      return known === 'claim-lost' ? { kind: 'contended' } : known;
    }
    if (result !== 'claim-lost') return result;
    // ClaimAbandoned is stored before a claim is lost, so the next claim gets another id.
    const { length } = reading.booking.abandoned;
    if (length === abandonments) return { kind: 'contended' };
    abandonments = length;
  }
  return { kind: 'contended' };
}

/** The booking's facts, given its claim. */
export function factsOf(
  input: BookingWorkflowInput,
  claim: ClaimRef,
  { pricing, cancellation }: Claimed,
): BookingFacts {
  return {
    ...input.facts,
    claims: [claim],
    guest: input.guestFingerprint,
    pricing,
    cancellation,
  };
}

export type Claimed = Extract<StepResult, { kind: 'claimed' }>;

/** The step result of a command that the allotment accepted. */
export function claimedBy(allotment: OpenAllotment, command: AllotmentCommand): StepResult {
  if (command.type !== 'ClaimSlots' && command.type !== 'TakeHold') return { kind: 'done' };
  const { cancellation } = allotment.schedule;
  return { kind: 'claimed', pricing: claimPricing(allotment, command), cancellation };
}

function* claimAndRecord(
  claim: ClaimRef,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | 'claim-lost', StepResult> {
  const claimed: StepResult = yield { to: 'allotment', id: claim.allotment, command: claimCommandOf(claim, input) };
  if (claimed.kind === 'rejected') {
    const { rejection } = claimed;
    switch (rejection.code) {
      case 'INVENTORY_EXHAUSTED':
        return { kind: 'exhausted', free: rejection.free };
      case 'HOLD_UNKNOWN':
      case 'HOLD_USED':
      case 'HOLD_EXPIRED':
        return { kind: 'hold-rejected', code: rejection.code };
      default:
        return 'claim-lost';
    }
  }
  if (claimed.kind !== 'claimed') return { kind: 'contended' };
  return yield* recordAndBook(claim.id, factsOf(input, claim, claimed), input);
}

/**
 * Joins a booking that another run of the same command made or started. If only started, the guest may not be recorded
 * yet.
 */
function* joinExisting(
  booking: ExistingBooking,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | 'claim-lost', StepResult> {
  const { facts, guestRecord } = booking;
  const started = booking.status === 'processing' && facts.fingerprint === input.facts.fingerprint;
  if (started) return yield* recordAndBook(guestRecord, facts, input);
  return yield* bookWith({ ...facts, ...input.facts }, input);
}

function* recordAndBook(
  record: ClaimId,
  facts: BookingFacts,
  input: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | 'claim-lost', StepResult> {
  const { booking, guest, guestFingerprint: fingerprint } = input;
  const recorded: StepResult = yield {
    to: 'guest',
    id: guestId(record),
    command: { type: 'RecordGuest', booking, fingerprint, guest },
  };
  if (recorded.kind === 'erased') return 'claim-lost';
  if (recorded.kind !== 'done') return { kind: 'contended' };
  return yield* bookWith(facts, input);
}

function claimCommandOf({ id: claim, size }: ClaimRef, input: BookingWorkflowInput): AllotmentCommand {
  const { booking, schedule, hold, hotelPercentOff, nowMs, claimDeadlineMs: deadlineMs } = input;
  if (hold === null) return { type: 'ClaimSlots', claim, booking, size, deadlineMs, hotelPercentOff, nowMs, schedule };
  return { type: 'TakeHold', hold, claim, booking, size, deadlineMs, nowMs };
}

function* bookWith(
  facts: BookingFacts,
  { booking, ends }: BookingWorkflowInput,
): Generator<Step, BookingWorkflowOutcome | 'claim-lost', StepResult> {
  const command: BookingCommand =
    ends.as === 'confirmed'
      ? { type: 'ConfirmInstantly', facts, voucher: ends.voucher }
      : { type: 'PlaceOnRequest', facts, answerByMs: ends.answerByMs };
  const booked: StepResult = yield { to: 'booking', id: booking, command };
  if (booked.kind === 'done') return { kind: 'booked' };
  if (booked.kind !== 'rejected') return { kind: 'contended' };
  switch (booked.rejection.code) {
    case 'CLAIM_ABANDONED':
      return 'claim-lost';
    case 'IDEMPOTENCY_KEY_REUSED':
      return { kind: 'key-reused' };
    default:
      return { kind: 'contended' };
  }
}
