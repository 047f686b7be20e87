import { unreachable } from '../../eventsourcing/message.ts';
import type { ClaimId } from '../allotment/allotment.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { Booking, BookingEvent, BookingFacts, EventData, ExistingBooking, Hours } from './booking.ts';

const NO_MODIFICATIONS = new PersistentMap<EventData<'BookingModified'>>();
const UNSENT = { issue: 0, status: 'unsent' } as const;

/** The booking after an event. Only copies facts; that they fit together was decided before they were stored. */
export function evolve(booking: Booking, event: BookingEvent): Booking {
  switch (event.type) {
    case 'BookingStarted': {
      const { finishByMs, answerByMs, ...facts } = event.data;
      return { ...begun(booking, facts), status: 'processing', finishByMs, answerByMs };
    }
    case 'BookingPlacedOnRequest': {
      const { answerByMs, follows: _, ...facts } = event.data;
      return { ...begun(booking, facts), status: 'pending', answerByMs };
    }
    case 'BookingConfirmed': {
      const { follows: _, ...facts } = event.data;
      return { ...begun(booking, facts), status: 'confirmed' };
    }
    case 'BookingRejected': {
      const { reason, code, by, at } = event.data;
      return { ...without(existing(booking, event)), status: 'rejected', rejection: { reason, code, by, at } };
    }
    case 'BookingModified':
      return modified(existing(booking, event), event.data);
    case 'BookingCancelled': {
      const { command, fingerprint, reason, by, refundMinor, currency, at } = event.data;
      const cancellation = { command, fingerprint, reason, by, refundMinor, currency, at };
      return { ...without(existing(booking, event)), status: 'cancelled', cancellation };
    }
    case 'ClaimAbandoned':
      return { ...booking, abandoned: [...booking.abandoned, event.data.claim] };
    case 'ChargeRecorded': {
      const before = existing(booking, event);
      return { ...before, chargedMinor: before.chargedMinor + event.data.amountMinor };
    }
    case 'RefundRecorded': {
      const before = existing(booking, event);
      return { ...before, refundedMinor: before.refundedMinor + event.data.amountMinor };
    }
    case 'VoucherIssued': {
      const before = existing(booking, event);
      const hours = before.hours ?? hoursOf(event.data);
      return { ...before, hours, voucher: event.data, mail: { issue: before.mail.issue + 1, status: 'unsent' } };
    }
    case 'VisitVerified': {
      const before = seen(existing(booking, event));
      const cancellation = before.status === 'cancelled' ? before.cancellation : null;
      return { ...before, status: 'completed', visit: event.data, cancellation };
    }
    case 'GuestErased':
      return { ...seen(existing(booking, event)), guestErased: true };
    case 'VoucherMailed': {
      const before = existing(booking, event);
      const { messageId, at } = event.data;
      return { ...before, mail: { issue: before.mail.issue, status: 'sent', messageId, at } };
    }
    case 'VoucherMailFailed': {
      const before = existing(booking, event);
      const { messageId, attempt: attempts, retryAtMs } = event.data;
      return { ...before, mail: { issue: before.mail.issue, status: 'failing', messageId, attempts, retryAtMs } };
    }
    default:
      return unreachable(event);
  }
}

/** The first event of a booking makes it; one that follows changes its status, and nothing that was changed since. */
function begun(booking: Booking, facts: BookingFacts) {
  if (booking.status !== 'none') return seen(booking);
  // A booking is never made without a claim, and its guest's record is named after the first one.
  const record = facts.claims[0]?.id ?? ('' as ClaimId);
  return {
    abandoned: booking.abandoned,
    facts,
    hours: facts.hours,
    guestRecord: record,
    guestRecords: [record],
    guestErased: false,
    chargedMinor: 0,
    refundedMinor: 0,
    voucher: null,
    mail: UNSENT,
    version: 1,
    modifications: NO_MODIFICATIONS,
  };
}

function modified(booking: ExistingBooking, data: EventData<'BookingModified'>): ExistingBooking {
  const { command, date, numAdults, numChildren, hours, pricing, cancellation, claims, guest, version, answerByMs } =
    data;
  const fingerprint = guest?.fingerprint ?? booking.facts.guest;
  const asked = booking.status === 'pending' && answerByMs !== null ? { ...booking, answerByMs } : booking;
  return {
    ...asked,
    facts: { ...booking.facts, date, hours, numAdults, numChildren, pricing, cancellation, claims, guest: fingerprint },
    hours: hours ?? booking.hours,
    guestRecord: guest?.record ?? booking.guestRecord,
    guestRecords: guest === null ? booking.guestRecords : [...booking.guestRecords, guest.record],
    version,
    modifications: booking.modifications.with(command, data),
  };
}

/** From here on it relies on no claim. */
function without(booking: ExistingBooking): ExistingBooking {
  return { ...seen(booking), facts: { ...booking.facts, claims: [] } };
}

function seen<B extends ExistingBooking>(booking: B): B {
  return { ...booking, version: booking.version + 1 };
}

/** Where the opening is not known, the closing stands in for it, in the guest's favour. */
function hoursOf({ validFromMs, validUntilMs }: EventData<'VoucherIssued'>): Hours {
  return { beginsAtMs: validFromMs, opensAtMs: validUntilMs, closesAtMs: validUntilMs };
}

function existing(booking: Booking, event: BookingEvent): ExistingBooking {
  if (booking.status === 'none') throw new Error(`${event.type} before the booking began`);
  return booking;
}
