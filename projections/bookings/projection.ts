import type { BookingEvent, BookingId } from '../../src/domain/booking/booking.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { BookingDocument } from './read-model.ts';

/** What a list of bookings does not show. */
const PASSED_OVER: ReadonlySet<BookingEvent['type']> = new Set([
  'ClaimAbandoned',
  'VoucherMailed',
  'VoucherMailFailed',
]);

/** One document per booking, under its id. A stream in which nothing was booked has none. */
export const bookingsProjection: Projection<BookingDocument, BookingEvent> = {
  name: 'bookings',
  version: 1,
  categories: ['booking'],
  indexes: [['keyId', 'createdAt']],
  keysOf: (event) => (PASSED_OVER.has(event.type) ? [] : [event.stream.slice('booking-'.length)]),
  evolve(doc, event, id) {
    switch (event.type) {
      case 'BookingConfirmed': {
        const { keyId, activityId, venueId, city, date, numAdults, numChildren, pricing, at } = event.data;
        return {
          bookingId: id as BookingId,
          keyId,
          status: 'confirmed',
          activityId,
          venueId,
          city,
          date,
          numAdults,
          numChildren,
          chargedMinor: 0,
          currency: pricing.currency,
          voucherCode: null,
          createdAt: at,
          verifiedAt: null,
        };
      }
      case 'ChargeRecorded':
        return { ...booked(doc, event), chargedMinor: booked(doc, event).chargedMinor + event.data.amountMinor };
      case 'VoucherIssued':
        return { ...booked(doc, event), voucherCode: event.data.code };
      case 'VisitVerified':
        return {
          ...booked(doc, event),
          status: 'completed',
          verifiedAt: new Date(event.data.verifiedAtMs).toISOString(),
        };
      case 'ClaimAbandoned':
      case 'VoucherMailed':
      case 'VoucherMailFailed':
        return doc;
      default:
        return unreachable(event);
    }
  },
};

function booked(doc: BookingDocument | null, event: Recorded): BookingDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before BookingConfirmed`);
  return doc;
}
