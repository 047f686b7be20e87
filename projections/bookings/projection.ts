import { CHANGED_BY_NOBODY, evolveChangedBy } from '../../src/domain/booking/changed-by.ts';
import type { BookingEvent, EventData } from '../../src/domain/booking/events.ts';
import { hoursOf } from '../../src/domain/booking/evolve.ts';
import type { BookingFacts } from '../../src/domain/booking/facts.ts';
import { mailReasonOf } from '../../src/domain/booking/mail.ts';
import type { BookingStatus } from '../../src/domain/booking/state.ts';
import {
  cancellationOf,
  rejectionOf,
  summaryOfFacts,
  visitOf,
  voidedVisitOf,
} from '../../src/domain/booking/summary.ts';
import { shortCodeOf } from '../../src/domain/booking/voucher-code.ts';
import type { BookingId, ClaimId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { BookingDocument } from './read-model.ts';

/**
 * One document per booking, keyed by its id, with what `summaryOf` makes of the booking's stream. A stream without a booking
 * has no document.
 */
export const bookingsProjection: Projection<BookingDocument, BookingEvent> = {
  name: 'bookings',
  version: 10,
  categories: inBothModes('booking'),
  indexes: [
    ['keyId', 'createdAt'],
    ['keyId', 'status', 'createdAt'],
    ['keyId', 'date', 'createdAt'],
    ['activityId', 'createdAt'],
    ['city', 'createdAt'],
    ['venueId', 'date', 'createdAt'],
    ['venueId', 'createdAt'],
    ['venueId', 'shortCode'],
    ['bookingId'],
    ['date', 'createdAt'],
    ['status', 'createdAt'],
    ['reference', 'createdAt'],
    ['createdAt'],
  ],
  idsOf: (event) => (isInternal(event) ? [] : [streamId(event.stream)]),
  evolve(doc, event, id) {
    if (isInternal(event)) return doc;
    switch (event.type) {
      case 'BookingStarted':
        return started(doc, id, event.data, 'processing');
      case 'BookingPlacedOnRequest':
        return started(doc, id, event.data, 'pending');
      case 'BookingConfirmed':
        return started(doc, id, event.data, 'confirmed');
      case 'BookingRejected':
        return { ...changed(doc, event), status: 'rejected', rejection: rejectionOf(event.data) };
      case 'BookingCancelled':
        return { ...changed(doc, event), status: 'cancelled', cancellation: cancellationOf(event.data) };
      case 'BookingModified':
        return modified(changed(doc, event), event.data);
      case 'ChargeRecorded':
      case 'RefundRecorded':
        return withAmount(existing(doc, event), event);
      case 'VoucherIssued':
        return withVoucher(existing(doc, event), event.data);
      case 'VoucherMailRequested':
      case 'VoucherMailed':
      case 'VoucherMailFailed':
        return { ...existing(doc, event), ...mailAfter(event) };
      case 'VisitVerified':
        return { ...changed(doc, event), status: 'completed', visit: visitOf(event.data) };
      case 'GuestsArrived':
        return withArrivals(existing(doc, event), event.data);
      case 'VisitVoided':
        return withoutVisit(changed(doc, event), event.data);
      case 'ReferenceRecorded':
        return { ...existing(doc, event), reference: event.data.reference };
      case 'GuestErased':
        return { ...changed(doc, event), reference: null, guestErased: true };
      default:
        return unreachable(event);
    }
  },
};

function withVoucher(doc: BookingDocument, issued: EventData<'VoucherIssued'>): BookingDocument {
  const { code, validUntilMs } = issued;
  const hours = doc.hours ?? hoursOf(issued);
  const voucher = { code, validUntilMs };
  return { ...doc, hours, voucher, shortCode: shortCodeOf(code), mailedAt: null, mailReason: null };
}

function withoutVisit(doc: BookingDocument, voided: EventData<'VisitVoided'>): BookingDocument {
  const status = doc.cancellation === null ? 'confirmed' : 'cancelled';
  return { ...doc, status, visit: null, voidedVisit: voidedVisitOf(voided) };
}

function withAmount(
  doc: BookingDocument,
  { type, data }: Extract<BookingEvent, { type: 'ChargeRecorded' | 'RefundRecorded' }>,
): BookingDocument {
  return type === 'ChargeRecorded'
    ? { ...doc, chargedMinor: doc.chargedMinor + data.amountMinor }
    : { ...doc, refundedMinor: doc.refundedMinor + data.amountMinor };
}

type OfMail = Extract<BookingEvent, { type: 'VoucherMailRequested' | 'VoucherMailed' | 'VoucherMailFailed' }>;

function mailAfter({ type, data }: OfMail): Pick<BookingDocument, 'mailedAt' | 'mailReason'> {
  return {
    mailedAt: type === 'VoucherMailed' ? data.at : null,
    mailReason: type === 'VoucherMailFailed' ? mailReasonOf(data.reason) : null,
  };
}

/** Whether answers show nothing of the event. */
function isInternal<E extends BookingEvent>(event: E): event is Extract<E, { type: Internal }> {
  return (
    event.type === 'ClaimAbandoned' ||
    event.type === 'ReplacedVoucherMailed' ||
    event.type === 'NoticeMailed' ||
    event.type === 'NoticeMailFailed'
  );
}

type Internal = 'ClaimAbandoned' | 'ReplacedVoucherMailed' | 'NoticeMailed' | 'NoticeMailFailed';

function started(doc: BookingDocument | null, id: string, facts: BookingFacts, status: BookingStatus): BookingDocument {
  if (doc !== null) return { ...doc, status, version: doc.version + 1 };
  return {
    ...summaryOfFacts(id as BookingId, facts),
    status,
    voucher: null,
    shortCode: null,
    mailedAt: null,
    mailReason: null,
    rejection: null,
    cancellation: null,
    visit: null,
    voidedVisit: null,
    // As in the fold of the stream: the guest's first record is named after the booking's first claim.
    guest: { record: facts.claims[0]?.id ?? ('' as ClaimId), fingerprint: facts.guest },
    guestErased: false,
    hours: facts.hours,
    version: 1,
    chargedMinor: 0,
    refundedMinor: 0,
    currency: facts.pricing.currency,
    reference: null,
    ...CHANGED_BY_NOBODY,
  };
}

function withArrivals(doc: BookingDocument, { guestsPresent }: EventData<'GuestsArrived'>): BookingDocument {
  return doc.visit === null ? doc : { ...doc, visit: { ...doc.visit, guestsPresent } };
}

function modified(doc: BookingDocument, data: EventData<'BookingModified'>): BookingDocument {
  const { date, numAdults, numChildren, pricing, cancellation: policy, guest, version } = data;
  // The event's record may hold further fields.
  const named = guest === null ? doc.guest : { record: guest.record, fingerprint: guest.fingerprint };
  const hours = data.hours ?? doc.hours;
  return { ...doc, date, hours, numAdults, numChildren, pricing, policy, guest: named, version };
}

/** The document before a change that the customer can see, with its next version. */
function changed(doc: BookingDocument | null, event: Recorded<BookingEvent>): BookingDocument {
  const before = existing(doc, event);
  const { cancelledBy, modifiedBy } = evolveChangedBy(before, event);
  return { ...before, cancelledBy, modifiedBy, version: before.version + 1 };
}

function existing(doc: BookingDocument | null, event: Recorded): BookingDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before the booking was started`);
  return doc;
}
