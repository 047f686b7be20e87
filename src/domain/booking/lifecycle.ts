import { accept, reject } from '../../eventsourcing/decider.ts';
import { amounts } from '../activity/pricing.ts';
import type { Fingerprint } from '../ids.ts';
import { namesClaim } from './claims.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent, EventData } from './events.ts';
import { type BookingFacts, guestsOf, type Hours, subjectOf } from './facts.ts';
import { cancellationRefundMinor } from './settlement.ts';
import { type Booking, type ExistingBooking, isPast, nextPublic, unchangeable, type Voucher } from './state.ts';

/** Records the booking before it can be confirmed. From here on it names its claim. */
export function start(
  { facts, finishByMs, answerByMs, reference }: BookingCommandOf<'Start'>,
  booking: Booking,
): BookingDecision {
  if (booking.status !== 'none') return acceptRepetition(booking, facts);
  const started: BookingEvent = { type: 'BookingStarted', data: { ...facts, finishByMs, answerByMs } };
  return rejectAbandoned(booking, facts) ?? accept(started, ...referenced(reference));
}

/** Asks the venue to confirm. Charge and voucher follow its confirmation. */
export function placeOnRequest(
  { facts, answerByMs, reference }: BookingCommandOf<'PlaceOnRequest'>,
  booking: Booking,
): BookingDecision {
  const placed = (data: BookingFacts, follows: 'BookingStarted' | null): BookingDecision =>
    accept<BookingEvent>(
      { type: 'BookingPlacedOnRequest', data: { ...data, answerByMs, follows } },
      ...(follows === null ? referenced(reference) : []),
    );
  if (booking.status === 'none') return rejectAbandoned(booking, facts) ?? placed(facts, null);
  if (booking.status === 'processing' && madeBy(booking, facts))
    return rejectAbandoned(booking, facts) ?? placed(booking.facts, 'BookingStarted');
  return acceptRepetition(booking, facts);
}

/**
 * Confirms a started booking with the facts it was started with, including its claim. Rejects if the caller's own claim
 * was abandoned: its guest record is in a stream that the booking does not name.
 */
export function confirmWithoutVenue(
  { facts, reference, voucher, activityRevision }: BookingCommandOf<'ConfirmWithoutVenue'>,
  booking: Booking,
): BookingDecision {
  const confirming = { voucher, activityRevision };
  if (booking.status === 'none')
    return (
      rejectAbandoned(booking, facts) ??
      acceptConfirmation({ facts, publicByRecord: false }, confirming, null, reference)
    );
  if (booking.status === 'processing' && madeBy(booking, facts))
    return rejectAbandoned(booking, facts) ?? acceptConfirmation(booking, confirming, 'BookingStarted');
  return acceptRepetition(booking, facts);
}

/** With `ifVersions`, only these versions; until the date is over, and with `answer` until its deadline. */
export function confirmByVenue(
  { voucher, activityRevision, ifVersions, nowMs, answer }: BookingCommandOf<'ConfirmByVenue'>,
  booking: Booking,
): BookingDecision {
  switch (booking.status) {
    case 'none':
      return reject({ code: 'BOOKING_NOT_FOUND' });
    case 'pending':
      if (isPast(booking, nowMs)) return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: 'past' });
      if (ifVersions?.includes(booking.version) === false)
        return reject({ code: 'REVISION_CONFLICT', version: booking.version });
      if (isTooLate(answer, booking)) return reject({ code: 'ANSWER_TOO_LATE' });
      return acceptConfirmation(
        booking,
        { voucher: validOn(booking.hours, voucher), activityRevision, confirmedAtMs: nowMs },
        'BookingPlacedOnRequest',
      );
    case 'confirmed':
    case 'completed':
      return accept();
    default:
      return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: booking.status });
  }
}

/** The venue declined or did not answer in time, or the booking could not be completed. */
export function rejectBooking(
  { reason, code, by, ifVersions, answer, at }: BookingCommandOf<'Reject'>,
  booking: Booking,
): BookingDecision {
  switch (booking.status) {
    case 'none':
      return reject({ code: 'BOOKING_NOT_FOUND' });
    case 'rejected':
      return accept();
    case 'processing':
    case 'pending': {
      const { facts, version } = booking;
      if (ifVersions?.includes(version) === false) return reject({ code: 'REVISION_CONFLICT', version });
      if (isTooLate(answer, booking)) return reject({ code: 'ANSWER_TOO_LATE' });
      const { currency } = facts.pricing;
      return accept<BookingEvent>({
        type: 'BookingRejected',
        data: {
          ...subjectOf(facts),
          reason,
          code,
          by,
          currency,
          dropped: facts.claims,
          at,
          ...nextPublic(booking),
        },
      });
    }
    default:
      return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: booking.status });
  }
}

/** Cancels a booking. A repeated cancellation keeps the first one's facts. */
export function cancel(command: BookingCommandOf<'Cancel'>, booking: Booking): BookingDecision {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  const before = booking.status === 'cancelled' || booking.status === 'completed' ? booking.cancellation : null;
  if (before !== null && before.command === command.commandId && before.fingerprint !== command.fingerprint)
    return reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  if (booking.status === 'cancelled' || before?.command === command.commandId) return accept();
  const { reason, by, ifVersions, nowMs, at, fingerprint } = command;
  const why = unchangeable(booking, nowMs);
  // A visit can be voided only after the fact; its booking is then still the operator's to refund.
  const voided = by === 'operator' && booking.voidedVisits.length > 0;
  if (why !== null && !(why === 'past' && voided)) return reject({ code: 'BOOKING_NOT_CANCELLABLE', why });
  const { facts, version } = booking;
  if (ifVersions !== null && !ifVersions.includes(version)) return reject({ code: 'REVISION_CONFLICT', version });
  const refundMinor = cancellationRefundMinor(booking, reason, nowMs);
  const { currency } = facts.pricing;
  const cancelled: BookingEvent = {
    type: 'BookingCancelled',
    data: {
      ...subjectOf(facts),
      command: command.commandId,
      fingerprint,
      reason,
      by,
      refundMinor,
      currency,
      dropped: facts.claims,
      at,
      ...nextPublic(booking),
    },
  };
  if (refundMinor === 0) return accept(cancelled);
  const refund = { keyId: facts.keyId, amountMinor: refundMinor, currency };
  return accept<BookingEvent>(cancelled, { type: 'RefundRecorded', data: refund });
}

/**
 * Names the guest's records, which are deleted afterwards. Rejected in `processing`, since another record may follow.
 */
export function eraseGuest({ by, at }: BookingCommandOf<'EraseGuest'>, booking: Booking): BookingDecision {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  if (booking.status === 'processing') return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: 'processing' });
  return booking.guestErased
    ? accept()
    : accept<BookingEvent>({ type: 'GuestErased', data: { records: booking.guestRecords, by, at } });
}

/** The fence. Rejects if the booking names the claim; otherwise no later event can name it. */
export function abandonClaim(
  { claimId, allotmentId }: BookingCommandOf<'AbandonClaim'>,
  booking: Booking,
): BookingDecision {
  if (namesClaim(booking, claimId)) return reject({ code: 'CLAIM_NAMED' });
  if (booking.abandoned.includes(claimId)) return accept();
  return accept<BookingEvent>({ type: 'ClaimAbandoned', data: { claim: claimId, allotment: allotmentId } });
}

/** Whether a venue answers at its deadline or after it: that of its link, or an earlier one of the booking. */
function isTooLate(answer: BookingCommandOf<'Reject'>['answer'], booking: ExistingBooking): boolean {
  if (answer === undefined) return false;
  const { nowMs, answerByMs } = answer;
  return nowMs >= answerByMs || (booking.status === 'pending' && nowMs >= booking.answerByMs);
}

type Confirming = Pick<BookingCommandOf<'ConfirmWithoutVenue'>, 'voucher' | 'activityRevision'> &
  Pick<EventData<'BookingConfirmed'>, 'confirmedAtMs'>;

function acceptConfirmation(
  booking: Pick<ExistingBooking, 'facts' | 'publicByRecord'>,
  { voucher, activityRevision, ...venue }: Confirming,
  follows: EventData<'BookingConfirmed'>['follows'],
  reference: Fingerprint | null = null,
): BookingDecision {
  const { facts } = booking;
  const { keyId, pricing } = facts;
  const { totalMinor: amountMinor } = amounts(pricing, guestsOf(facts));
  return accept<BookingEvent>(
    { type: 'BookingConfirmed', data: { ...facts, follows, ...venue, ...nextPublic(booking, activityRevision) } },
    { type: 'ChargeRecorded', data: { keyId, amountMinor, currency: pricing.currency } },
    { type: 'VoucherIssued', data: voucher },
    ...referenced(reference),
  );
}

function referenced(reference: Fingerprint | null = null): readonly BookingEvent[] {
  return reference === null ? [] : [{ type: 'ReferenceRecorded', data: { reference } }];
}

/** The booking may have moved after the voucher was made: the booking's date determines the validity. */
function validOn(hours: Hours | null, voucher: Voucher): Voucher {
  if (hours === null) return voucher;
  return { code: voucher.code, validFromMs: hours.beginsAtMs, validUntilMs: hours.closesAtMs };
}

function rejectAbandoned(booking: Booking, facts: BookingFacts): BookingDecision | null {
  const abandoned = facts.claims.some((claim) => booking.abandoned.includes(claim.id));
  return abandoned ? reject({ code: 'CLAIM_ABANDONED' }) : null;
}

/** A repetition of the command that made the booking is accepted in every status. */
function acceptRepetition(booking: ExistingBooking, facts: BookingFacts): BookingDecision {
  return madeBy(booking, facts) ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
}

/** Whether the booking was made by the command with these facts. */
function madeBy(booking: ExistingBooking, { command, fingerprint }: BookingFacts): boolean {
  return booking.facts.command === command && booking.facts.fingerprint === fingerprint;
}
