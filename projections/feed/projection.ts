import { createHash } from 'node:crypto';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { DeliveryEvent, DeliveryFacts, PublicEventId } from '../../src/domain/delivery/delivery.ts';
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
    const facts = factsOf(event);
    return facts === null ? [] : [facts.eventId];
  },
  evolve(doc, event, id, format) {
    if (doc !== null) return doc;
    const facts = factsOf(event, id as PublicEventId);
    return facts === null ? null : { ...facts, position: format(event.position) };
  },
};

/**
 * Null if the event makes no entry. `ReplayScheduled` makes none: its event is in the feed already.
 *
 * @param known the id of the entry, which costs a hash otherwise
 */
function factsOf(event: Recorded<FeedEvent>, known?: PublicEventId): DeliveryFacts | null {
  if (event.type === 'DeliveryScheduled' || event.type === 'DeliveryOmitted') return event.data;
  if (!isOfBooking(event)) return null;
  const announced = announcedBy(event);
  if (!announced?.facts) return null;
  const { facts, ...named } = announced;
  const eventId = known ?? publicEventIdFrom(createHash('sha256').update(event.id).digest());
  return { eventId, ...named, ...facts, at: event.cause.at };
}

function isOfBooking(event: Recorded<FeedEvent>): event is Recorded<BookingEvent> {
  return !event.stream.startsWith('delivery-');
}
