import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { BookingFacts } from '../../src/domain/booking/facts.ts';
import type { BookingStatus } from '../../src/domain/booking/state.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { BookingDocument } from './read-model.ts';

/** Events that change nothing in the list of bookings. */
const IGNORED: ReadonlySet<BookingEvent['type']> = new Set(['ClaimAbandoned', 'VoucherMailed', 'VoucherMailFailed']);

/** One document per booking, keyed by its id. A stream without a booking has no document. */
export const bookingsProjection: Projection<BookingDocument, BookingEvent> = {
  name: 'bookings',
  version: 4,
  categories: inBothModes('booking'),
  indexes: [
    ['keyId', 'createdAt'],
    ['keyId', 'status', 'createdAt'],
    ['activityId', 'createdAt'],
    ['status', 'createdAt'],
    ['reference', 'createdAt'],
    ['createdAt'],
  ],
  idsOf: (event) => (IGNORED.has(event.type) ? [] : [streamId(event.stream)]),
  evolve(doc, event, id) {
    switch (event.type) {
      case 'BookingStarted':
        return started(doc, id, event.data, 'processing');
      case 'BookingPlacedOnRequest':
        return started(doc, id, event.data, 'pending');
      case 'BookingConfirmed':
        return started(doc, id, event.data, 'confirmed');
      case 'BookingRejected':
        return { ...existing(doc, event), status: 'rejected' };
      case 'BookingCancelled':
        return { ...existing(doc, event), status: 'cancelled' };
      case 'BookingModified': {
        const { date, numAdults, numChildren } = event.data;
        return { ...existing(doc, event), date, numAdults, numChildren };
      }
      case 'ChargeRecorded':
        return { ...existing(doc, event), chargedMinor: existing(doc, event).chargedMinor + event.data.amountMinor };
      case 'RefundRecorded':
        return { ...existing(doc, event), refundedMinor: existing(doc, event).refundedMinor + event.data.amountMinor };
      case 'VoucherIssued':
        return { ...existing(doc, event), voucherCode: event.data.code };
      case 'VisitVerified':
        return {
          ...existing(doc, event),
          status: 'completed',
          verifiedAt: new Date(event.data.verifiedAtMs).toISOString(),
        };
      case 'ReferenceRecorded':
        return { ...existing(doc, event), reference: event.data.reference };
      case 'GuestErased':
        return { ...existing(doc, event), reference: null };
      case 'ClaimAbandoned':
      case 'VoucherMailed':
      case 'VoucherMailFailed':
        return doc;
      default:
        return unreachable(event);
    }
  },
};

function started(doc: BookingDocument | null, id: string, facts: BookingFacts, status: BookingStatus): BookingDocument {
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
    reference: null,
    createdAt: at,
    verifiedAt: null,
  };
}

function existing(doc: BookingDocument | null, event: Recorded): BookingDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before the booking was started`);
  return doc;
}
