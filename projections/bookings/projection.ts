import type { BookingEvent, BookingFacts, BookingId, BookingStatus } from '../../src/domain/booking/booking.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { BookingDocument } from './read-model.ts';

/** What a list of bookings does not show. */
const PASSED_OVER: ReadonlySet<BookingEvent['type']> = new Set([
  'ClaimAbandoned',
  'VoucherMailed',
  'VoucherMailFailed',
  'GuestErased',
]);

/** One document per booking, under its id. A stream in which nothing was booked has none. */
export const bookingsProjection: Projection<BookingDocument, BookingEvent> = {
  name: 'bookings',
  version: 2,
  categories: ['booking'],
  indexes: [
    ['keyId', 'createdAt'],
    ['keyId', 'status', 'createdAt'],
    ['activityId', 'createdAt'],
    ['status', 'createdAt'],
    ['createdAt'],
  ],
  keysOf: (event) => (PASSED_OVER.has(event.type) ? [] : [event.stream.slice('booking-'.length)]),
  evolve(doc, event, id) {
    switch (event.type) {
      case 'BookingStarted':
        return begun(doc, id, event.data, 'processing');
      case 'BookingPlacedOnRequest':
        return begun(doc, id, event.data, 'pending');
      case 'BookingConfirmed':
        return begun(doc, id, event.data, 'confirmed');
      case 'BookingRejected':
        return { ...booked(doc, event), status: 'rejected' };
      case 'BookingCancelled':
        return { ...booked(doc, event), status: 'cancelled' };
      case 'BookingModified': {
        const { date, numAdults, numChildren } = event.data;
        return { ...booked(doc, event), date, numAdults, numChildren };
      }
      case 'ChargeRecorded':
        return { ...booked(doc, event), chargedMinor: booked(doc, event).chargedMinor + event.data.amountMinor };
      case 'RefundRecorded':
        return { ...booked(doc, event), refundedMinor: booked(doc, event).refundedMinor + event.data.amountMinor };
      case 'VoucherIssued':
        return { ...booked(doc, event), voucherCode: event.data.code };
      case 'VisitVerified':
        return {
          ...booked(doc, event),
          status: 'completed',
          verifiedAt: new Date(event.data.verifiedAtMs).toISOString(),
        };
      case 'ClaimAbandoned':
      case 'GuestErased':
      case 'VoucherMailed':
      case 'VoucherMailFailed':
        return doc;
      default:
        return unreachable(event);
    }
  },
};

function begun(doc: BookingDocument | null, id: string, facts: BookingFacts, status: BookingStatus): BookingDocument {
  if (doc !== null) return { ...doc, status };
  const { keyId, activityId, venueId, city, date, numAdults, numChildren, pricing, at } = facts;
  return {
    bookingId: id as BookingId,
    keyId,
    status,
    activityId,
    venueId,
    city,
    date,
    numAdults,
    numChildren,
    chargedMinor: 0,
    refundedMinor: 0,
    currency: pricing.currency,
    voucherCode: null,
    createdAt: at,
    verifiedAt: null,
  };
}

function booked(doc: BookingDocument | null, event: Recorded): BookingDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before the booking began`);
  return doc;
}
