import type { BookingEvent } from '../../src/domain/booking/events.ts';
import { type GuestEvent, guestId, NO_CALLER_DATA } from '../../src/domain/guest/guest.ts';
import { termsOf } from '../../src/domain/guest/search.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { GuestDocument } from './read-model.ts';

/**
 * The guests' data for lists and searches, one document per record. The booking's event that leads to the erasure of a record deletes its
 * document for ever: a paused request may still append the record between that event and the erasure of its stream.
 */
export const guestsProjection: Projection<GuestDocument, GuestEvent | BookingEvent> = {
  name: 'guests',
  version: 2,
  categories: ['guest', ...inBothModes('booking')],
  indexes: [['terms[]', 'recordedAt']],
  deletesForEver: true,
  idsOf(event) {
    switch (event.type) {
      case 'GuestRecorded':
      case 'CallerDataRecorded':
        return [streamId(event.stream)];
      case 'GuestErased':
        return event.data.records.map(guestId);
      case 'ClaimAbandoned':
        return [guestId(event.data.claim)];
      default:
        return [];
    }
  },
  evolve(doc, event) {
    switch (event.type) {
      case 'GuestRecorded': {
        const { name, email, specialRequests, fingerprint, booking: bookingId } = event.data;
        const found = { bookingId, recordedAt: event.cause.at, terms: termsOf({ name, email }) };
        return { name, email, specialRequests, fingerprint, ...NO_CALLER_DATA, ...found };
      }
      case 'CallerDataRecorded': {
        const { reference, metadata } = event.data;
        return doc === null ? null : { ...doc, reference, metadata };
      }
      case 'GuestErased':
      case 'ClaimAbandoned':
        return null;
      default:
        return doc;
    }
  },
};
