import type { DeliveryEvent } from '../../src/domain/delivery/delivery.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { FeedDocument } from './read-model.ts';

/** One document per public event, under its id: each is either scheduled once for a receiver, or omitted. */
export const feedProjection: Projection<FeedDocument, DeliveryEvent> = {
  name: 'feed',
  version: 1,
  categories: ['delivery'],
  indexes: [
    ['keyId', 'position'],
    ['keyId', 'at'],
  ],
  keysOf: (event) => (isFirst(event) ? [event.data.eventId] : []),
  evolve: (doc, event) => (isFirst(event) ? { ...event.data, position: event.position } : doc),
};

/** A replay tells of an event that is in the feed since it happened. */
function isFirst(
  event: DeliveryEvent,
): event is Extract<DeliveryEvent, { type: 'DeliveryScheduled' | 'DeliveryOmitted' }> {
  return event.type === 'DeliveryScheduled' || event.type === 'DeliveryOmitted';
}
