import type { DeliveryEvent } from '../../src/domain/delivery/delivery.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { FeedDocument } from './read-model.ts';

/** One document per public event, keyed by its id. Each event is either scheduled once for a receiver or omitted. */
export const feedProjection: Projection<FeedDocument, DeliveryEvent> = {
  name: 'feed',
  version: 1,
  categories: ['delivery'],
  indexes: [
    ['keyId', 'position'],
    ['keyId', 'at'],
  ],
  idsOf: (event) => (isFirst(event) ? [event.data.eventId] : []),
  evolve: (doc, event, _id, format) => (isFirst(event) ? { ...event.data, position: format(event.position) } : doc),
};

/** `ReplayScheduled` is excluded: its event is in the feed already. */
function isFirst(
  event: DeliveryEvent,
): event is Extract<DeliveryEvent, { type: 'DeliveryScheduled' | 'DeliveryOmitted' }> {
  return event.type === 'DeliveryScheduled' || event.type === 'DeliveryOmitted';
}
