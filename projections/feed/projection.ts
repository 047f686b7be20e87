import { createHash } from 'node:crypto';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { DeliveryEvent } from '../../src/domain/delivery/delivery.ts';
import { announcedBy, publicEventIdFrom } from '../../src/domain/delivery/public-events.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { FeedDocument } from './read-model.ts';

type FeedEvent = BookingEvent | DeliveryEvent;

/**
 * One document per public event, keyed by its id. A booking's event that says what it refers to is an entry itself. An
 * event of an earlier version is entered by the first record of its delivery, as before. The first entry of an event
 * stays, so its place never changes (docs/decisions/0056).
 */
export const feedProjection: Projection<FeedDocument, FeedEvent> = {
  name: 'feed',
  version: 2,
  categories: [...inBothModes('booking'), 'delivery'],
  indexes: [
    ['keyId', 'position'],
    ['keyId', 'at'],
  ],
  idsOf(event) {
    const entry = entryOf(event);
    return entry === null ? [] : [entry.eventId];
  },
  evolve: (doc, event) => doc ?? entryOf(event),
};

/** Null if the event makes no entry. `ReplayScheduled` makes none: its event is in the feed already. */
function entryOf(event: Recorded<FeedEvent>): FeedDocument | null {
  if (event.type === 'DeliveryScheduled' || event.type === 'DeliveryOmitted')
    return { ...event.data, position: event.position };
  if (!isOfBooking(event)) return null;
  const announced = announcedBy(event);
  if (!announced?.facts) return null;
  const { facts, ...named } = announced;
  const eventId = publicEventIdFrom(createHash('sha256').update(event.id).digest());
  return { eventId, ...named, ...facts, at: event.cause.at, position: event.position };
}

function isOfBooking(event: Recorded<FeedEvent>): event is Recorded<BookingEvent> {
  return !event.stream.startsWith('delivery-');
}
