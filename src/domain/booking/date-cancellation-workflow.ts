import type { DateCancellationReason, DateOutcome } from '../allotment/cancellation.ts';
import type { AllotmentId, BookingId, ClaimId, CommandId, Fingerprint } from '../ids.ts';
import type { Booking, Cancellation } from './state.ts';
import { CONTENDED, MAX_ROUNDS, type Step, type StepResult } from './workflow-step.ts';

/** A booking of a date that is cancelled. */
export type DateCancellationInput = {
  readonly bookingId: BookingId;
  readonly allotmentId: AllotmentId;
  /** The claims of the booking in the allotment that are not released. */
  readonly claims: readonly ClaimId[];
  /** The cancellation of the date. */
  readonly dateCommand: CommandId;
  readonly reason: DateCancellationReason;
  /** When the date was closed, ms since the epoch: a date that ends meanwhile is cancelled nevertheless. */
  readonly closedAtMs: number;
  /** Of the cancellation of this booking: the same at each repetition. */
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  /** ISO 8601 UTC. */
  readonly at: string;
};

export type DateCancellationOutcome = { readonly kind: 'settled'; readonly outcome: DateOutcome } | typeof CONTENDED;

/**
 * Settles one booking of a date that was closed: cancel it if it has places there, release the claims that it no longer
 * names, record the outcome. A claim that no event names yet is abandoned first, as the reaper does it, so that a
 * request that is under way cannot book with it. Each step can be repeated; the allotment counts the booking once.
 */
export function* dateCancellationWorkflow(
  input: DateCancellationInput,
): Generator<Step, DateCancellationOutcome, StepResult> {
  const { bookingId, allotmentId } = input;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reading: StepResult = yield { to: 'read', id: bookingId };
    if (reading.kind !== 'read') return CONTENDED;
    const { booking } = reading;
    if (endsWithDate(booking, input)) {
      const ended: StepResult = yield { to: 'booking', id: bookingId, command: endOf(booking, input) };
      if (isOver(ended)) return yield* settle('gone', 0, input);
      // Otherwise the next round reads the outcome.
      continue;
    }
    const unnamed = input.claims.filter((id) => canBeNamed(id, booking));
    for (const claimId of unnamed)
      yield { to: 'booking', id: bookingId, command: { type: 'AbandonClaim', claimId, allotmentId } };
    // Meanwhile an event may have named one, and another node may have cancelled the booking.
    if (unnamed.length > 0) continue;
    for (const claimId of input.claims)
      if (!isNamed(claimId, booking))
        yield { to: 'allotment', id: allotmentId, command: { type: 'ReleaseSlots', claimId } };
    const cancellation = cancellationBy(booking, input);
    const visited = cancellation === null && booking.status === 'completed' && hasPlaces(booking, input);
    const outcome = cancellation !== null ? 'cancelled' : visited ? 'visited' : 'gone';
    return yield* settle(outcome, cancellation?.refundMinor ?? 0, input);
  }
  return CONTENDED;
}

function* settle(
  outcome: DateOutcome,
  refundMinor: number,
  { bookingId, allotmentId, dateCommand: commandId }: DateCancellationInput,
): Generator<Step, DateCancellationOutcome, StepResult> {
  const command = { type: 'SettleBooking', commandId, bookingId, outcome, refundMinor } as const;
  const result: StepResult = yield { to: 'allotment', id: allotmentId, command };
  return result.kind === 'done' ? { kind: 'settled', outcome } : CONTENDED;
}

/** The booking's hours were over when the date was closed: they can end before those of the date's present schedule. */
function isOver(result: StepResult): boolean {
  if (result.kind !== 'rejected') return false;
  const { rejection } = result;
  return rejection.code === 'BOOKING_NOT_CANCELLABLE' && rejection.why === 'past';
}

type Ending = Extract<Booking, { status: 'processing' | 'pending' | 'confirmed' }>;

/** Whether the booking has places on the date and has not ended. */
function endsWithDate(booking: Booking, input: DateCancellationInput): booking is Ending {
  const { status } = booking;
  return (status === 'processing' || status === 'pending' || status === 'confirmed') && hasPlaces(booking, input);
}

function hasPlaces(booking: Booking, { allotmentId }: DateCancellationInput): boolean {
  return booking.status !== 'none' && booking.facts.claims.some(({ allotment }) => allotment === allotmentId);
}

/** Only the version that was read: a booking that has moved to another date meanwhile stays. */
function endOf({ status, version }: Ending, input: DateCancellationInput) {
  const { command: commandId, fingerprint, reason, closedAtMs: nowMs, at } = input;
  if (status === 'processing')
    return { type: 'Reject', reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'operator', at } as const;
  const ifVersions = [version];
  return { type: 'Cancel', commandId, fingerprint, reason, by: 'operator', ifVersions, nowMs, at } as const;
}

function isNamed(claim: ClaimId, booking: Booking): boolean {
  return booking.status !== 'none' && booking.facts.claims.some(({ id }) => id === claim);
}

/**
 * Whether a later event can name the claim. Not if it was abandoned, if the booking has ended, or if the booking has dropped
 * it: the claims of guests' records were named once.
 */
function canBeNamed(claim: ClaimId, booking: Booking): boolean {
  if (booking.abandoned.includes(claim) || isNamed(claim, booking)) return false;
  if (booking.status === 'none') return true;
  return booking.status !== 'cancelled' && booking.status !== 'rejected' && !booking.guestRecords.includes(claim);
}

function cancellationBy(booking: Booking, { command }: DateCancellationInput): Cancellation | null {
  const found = booking.status === 'cancelled' || booking.status === 'completed' ? booking.cancellation : null;
  return found?.command === command ? found : null;
}
