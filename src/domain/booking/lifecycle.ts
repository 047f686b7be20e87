import { accept, type Decision, reject } from '../../eventsourcing/decider.ts';
import { amounts } from '../activity/pricing.ts';
import {
  type Booking,
  type BookingCommand,
  type BookingEvent,
  type BookingFacts,
  type BookingRejection,
  type BookingStatus,
  type EventData,
  type ExistingBooking,
  guestsOf,
  type Hours,
  type Voucher,
} from './booking.ts';
import { holdsClaim } from './claims.ts';
import { cancellationRefundMinor } from './settlement.ts';
import { subjectOf } from './subject.ts';

type Answer = Decision<BookingEvent, BookingRejection>;
type Command<Type extends BookingCommand['type']> = Extract<BookingCommand, { type: Type }>;

/** Makes the booking known although it cannot be confirmed yet. From here on it holds its claim. */
export function start({ facts, finishByMs, answerByMs }: Command<'Start'>, booking: Booking): Answer {
  if (booking.status !== 'none') return known(booking, facts);
  const started: BookingEvent = { type: 'BookingStarted', data: { ...facts, finishByMs, answerByMs } };
  return abandoned(booking, facts) ?? accept(started);
}

/** Asks the venue. Nothing is charged, and there is no voucher, before it agrees. */
export function placeOnRequest({ facts, answerByMs }: Command<'PlaceOnRequest'>, booking: Booking): Answer {
  const placed = (data: BookingFacts, follows: 'BookingStarted' | null): Answer =>
    accept<BookingEvent>({ type: 'BookingPlacedOnRequest', data: { ...data, answerByMs, follows } });
  if (booking.status === 'none') return abandoned(booking, facts) ?? placed(facts, null);
  if (booking.status === 'processing' && isOf(booking, facts))
    return abandoned(booking, facts) ?? placed(booking.facts, 'BookingStarted');
  return known(booking, facts);
}

/**
 * What was started is confirmed as it was started: the claim that it holds is the one that counts. An attempt whose own
 * claim was abandoned before has put the guest on record in another place than the one that the booking names.
 */
export function book({ facts, voucher }: Command<'Book'>, booking: Booking): Answer {
  if (booking.status === 'none') return abandoned(booking, facts) ?? confirmed(facts, voucher, null);
  if (booking.status === 'processing' && isOf(booking, facts))
    return abandoned(booking, facts) ?? confirmed(booking.facts, voucher, 'BookingStarted');
  return known(booking, facts);
}

/** The venue agrees, to what it was asked and to nothing that its guests changed since. It may until their date is over. */
export function confirm({ voucher, ifVersion, nowMs }: Command<'Confirm'>, booking: Booking): Answer {
  if (booking.status === 'pending' && !isPast(booking, nowMs) && ifVersion?.includes(booking.version) === false)
    return reject({ code: 'REVISION_CONFLICT', version: booking.version });
  switch (booking.status) {
    case 'none':
      return reject({ code: 'BOOKING_NOT_FOUND' });
    case 'pending':
      return isPast(booking, nowMs)
        ? reject({ code: 'BOOKING_NOT_MODIFIABLE', why: 'past' })
        : confirmed(booking.facts, validOn(booking.hours, voucher), 'BookingPlacedOnRequest');
    case 'confirmed':
    case 'completed':
      return accept();
    default:
      return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: booking.status });
  }
}

/** The venue declines, or nobody has answered, or the work on the booking came to nothing. */
export function rejectBooking({ reason, code, by, at }: Command<'Reject'>, booking: Booking): Answer {
  switch (booking.status) {
    case 'none':
      return reject({ code: 'BOOKING_NOT_FOUND' });
    case 'rejected':
      return accept();
    case 'processing':
    case 'pending': {
      const { facts } = booking;
      const { currency } = facts.pricing;
      return accept<BookingEvent>({
        type: 'BookingRejected',
        data: { ...subjectOf(facts), reason, code, by, currency, dropped: facts.claims, at },
      });
    }
    default:
      return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: booking.status });
  }
}

/** Ends a booking. One that is cancelled already stays as it was cancelled first, whoever asks again. */
export function cancel(command: Command<'Cancel'>, booking: Booking): Answer {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  const before = booking.status === 'cancelled' || booking.status === 'completed' ? booking.cancellation : null;
  if (before !== null && before.command === command.command && before.fingerprint !== command.fingerprint)
    return reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  if (booking.status === 'cancelled' || before?.command === command.command) return accept();
  const { reason, by, ifVersion, nowMs, at, fingerprint } = command;
  const why = uncancellable(booking, nowMs);
  if (why !== null) return reject({ code: 'BOOKING_NOT_CANCELLABLE', why });
  const { facts, version } = booking;
  if (ifVersion !== null && !ifVersion.includes(version)) return reject({ code: 'REVISION_CONFLICT', version });
  const refundMinor = cancellationRefundMinor(booking, reason, nowMs);
  const { currency } = facts.pricing;
  const cancelled: BookingEvent = {
    type: 'BookingCancelled',
    data: {
      ...subjectOf(facts),
      command: command.command,
      fingerprint,
      reason,
      by,
      refundMinor,
      currency,
      dropped: facts.claims,
      at,
    },
  };
  if (refundMinor === 0) return accept(cancelled);
  const refund = { keyId: facts.keyId, amountMinor: refundMinor, currency };
  return accept<BookingEvent>(cancelled, { type: 'RefundRecorded', data: refund });
}

/** Why a booking cannot be cancelled at a moment (ms since the epoch), null where it can. */
export function uncancellable(booking: ExistingBooking, nowMs: number): BookingStatus | 'past' | null {
  if (booking.status !== 'pending' && booking.status !== 'confirmed') return booking.status;
  return isPast(booking, nowMs) ? 'past' : null;
}

/** Says which records are to be forgotten; that is done afterwards. While a booking is worked on, one may still come. */
export function eraseGuest({ by, at }: Command<'EraseGuest'>, booking: Booking): Answer {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  if (booking.status === 'processing') return reject({ code: 'BOOKING_NOT_MODIFIABLE', why: 'processing' });
  return booking.guestErased
    ? accept()
    : accept<BookingEvent>({ type: 'GuestErased', data: { records: booking.guestRecords, by, at } });
}

/** The fence. What the booking relies on is not given up. */
export function abandonClaim({ claim, allotment }: Command<'AbandonClaim'>, booking: Booking): Answer {
  if (holdsClaim(booking, claim)) return reject({ code: 'CLAIM_HELD' });
  if (booking.abandoned.includes(claim)) return accept();
  return accept<BookingEvent>({ type: 'ClaimAbandoned', data: { claim, allotment } });
}

function confirmed(facts: BookingFacts, voucher: Voucher, follows: EventData<'BookingConfirmed'>['follows']): Answer {
  const { keyId, pricing } = facts;
  const { totalMinor: amountMinor } = amounts(pricing, guestsOf(facts));
  return accept<BookingEvent>(
    { type: 'BookingConfirmed', data: { ...facts, follows } },
    { type: 'ChargeRecorded', data: { keyId, amountMinor, currency: pricing.currency } },
    { type: 'VoucherIssued', data: voucher },
  );
}

/** The booking may have moved to another date after the voucher was made out: its own date is the one that counts. */
function validOn(hours: Hours | null, voucher: Voucher): Voucher {
  if (hours === null) return voucher;
  return { code: voucher.code, validFromMs: hours.beginsAtMs, validUntilMs: hours.closesAtMs };
}

function abandoned(booking: Booking, facts: BookingFacts): Answer | null {
  const given = facts.claims.some((claim) => booking.abandoned.includes(claim.id));
  return given ? reject({ code: 'CLAIM_ABANDONED' }) : null;
}

/** Whatever has become of it: the same wish was obeyed before. */
function known(booking: ExistingBooking, facts: BookingFacts): Answer {
  return isOf(booking, facts) ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
}

function isOf(booking: ExistingBooking, { command, fingerprint }: BookingFacts): boolean {
  return booking.facts.command === command && booking.facts.fingerprint === fingerprint;
}

function isPast({ hours }: ExistingBooking, nowMs: number): boolean {
  return hours !== null && nowMs >= hours.closesAtMs;
}
