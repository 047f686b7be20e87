import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { BookingFacts } from '../../src/domain/booking/facts.ts';
import { endOfDateMs } from '../../src/domain/booking/retention.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { RetentionDocument } from './read-model.ts';

/** One document per booking, by its id, until its guest is erased: what the retention of guests' data works on. */
export const retentionProjection: Projection<RetentionDocument, BookingEvent> = {
  name: 'retention',
  version: 1,
  categories: inBothModes('booking'),
  indexes: [['endedAtMs']],
  deletesForEver: true,
  idsOf: (event) => (CHANGING.has(event.type) ? [streamId(event.stream)] : []),
  evolve(doc, event, id) {
    switch (event.type) {
      case 'BookingStarted':
      case 'BookingPlacedOnRequest':
      case 'BookingConfirmed':
        return doc ?? begun(id, event.data);
      case 'BookingModified': {
        const { closesAtMs } = existing(doc, event);
        return ending({ ...existing(doc, event), closesAtMs: event.data.hours?.closesAtMs ?? closesAtMs });
      }
      case 'VoucherIssued':
        return ending({ ...existing(doc, event), closesAtMs: event.data.validUntilMs });
      case 'BookingRejected':
      case 'BookingCancelled':
        return ending({ ...existing(doc, event), closedAtMs: Date.parse(event.data.at) });
      case 'VisitVerified':
        return ending({ ...existing(doc, event), visitedAtMs: event.data.verifiedAtMs });
      case 'VisitVoided':
        return ending({ ...existing(doc, event), visitedAtMs: null });
      case 'GuestErased':
        return null;
      default:
        return doc;
    }
  },
};

const CHANGING: ReadonlySet<BookingEvent['type']> = new Set<BookingEvent['type']>([
  'BookingStarted',
  'BookingPlacedOnRequest',
  'BookingConfirmed',
  'BookingModified',
  'VoucherIssued',
  'BookingRejected',
  'BookingCancelled',
  'VisitVerified',
  'VisitVoided',
  'GuestErased',
]);

function begun(id: string, { date, hours }: Pick<BookingFacts, 'date' | 'hours'>): RetentionDocument {
  const closesAtMs = hours?.closesAtMs ?? endOfDateMs(date);
  // Such an event is parked; a document with it could not be stored.
  if (!Number.isFinite(closesAtMs)) throw new TypeError(`the booking ${id} has no date`);
  return { bookingId: id as BookingId, closesAtMs, closedAtMs: null, visitedAtMs: null, endedAtMs: closesAtMs };
}

function ending(doc: RetentionDocument): RetentionDocument {
  return { ...doc, endedAtMs: doc.visitedAtMs ?? doc.closedAtMs ?? doc.closesAtMs };
}

function existing(doc: RetentionDocument | null, event: Recorded): RetentionDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before the booking was started`);
  return doc;
}
