import type { DeliveryEvent, DeliveryId, TestFacts } from '../../src/domain/delivery/delivery.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeliveryDocument, TestDelivery } from './read-model.ts';

/** One document per delivery, keyed by its id. */
export const deliveriesProjection: Projection<DeliveryDocument, DeliveryEvent> = {
  name: 'deliveries',
  version: 3,
  categories: ['delivery'],
  indexes: [
    ['status', 'scheduledAt'],
    ['event', 'status', 'scheduledAt'],
    ['keyId', 'status', 'scheduledAt'],
    ['keyId', 'event', 'status', 'scheduledAt'],
    ['bookingId', 'scheduledAt'],
  ],
  idsOf: (event) => (event.type === 'DeliveryOmitted' ? [] : [streamId(event.stream)]),
  evolve(doc, event, id) {
    if (event.type === 'DeliveryOmitted') return doc;
    if (event.type === 'TestAttempted') return testDelivery(id as DeliveryId, event.data);
    if (event.type === 'DeliveryScheduled' || event.type === 'ReplayScheduled') {
      const { at, eventId, event: name, bookingId, bookingRevision, keyId, endpoint, activityRevision } = event.data;
      return {
        eventId,
        event: name,
        bookingId,
        bookingRevision,
        keyId,
        endpoint,
        activityRevision,
        deliveryId: id as DeliveryId,
        status: 'scheduled',
        attempts: [],
        keyRevision: null,
        nextAttemptAtMs: null,
        exhaustion: null,
        scheduledAt: at,
      };
    }
    // A store that expires delivery events can still have the last event of a delivery without its first
    // (docs/decisions/0025).
    return doc === null ? null : afterOutcome(doc, event);
  },
};

function testDelivery(deliveryId: DeliveryId, facts: TestFacts): TestDelivery {
  const { eventId, event, keyId, keyRevision, origin, responseCode, responseTimeMs, error, sentAt, at } = facts;
  return {
    deliveryId,
    eventId,
    event,
    keyId,
    test: { origin },
    status: error === null ? 'success' : 'failed',
    attempts: [{ at, responseCode, responseTimeMs, error }],
    keyRevision,
    nextAttemptAtMs: null,
    exhaustion: null,
    scheduledAt: sentAt,
  };
}

function afterOutcome(
  doc: DeliveryDocument,
  event: Exclude<
    DeliveryEvent,
    { type: 'DeliveryScheduled' | 'DeliveryOmitted' | 'ReplayScheduled' | 'TestAttempted' }
  >,
): DeliveryDocument {
  switch (event.type) {
    case 'AttemptFailed': {
      const { at, responseCode, responseTimeMs, error, keyRevision, nextAttemptAtMs } = event.data;
      const attempt = { at, responseCode, responseTimeMs, error };
      return { ...doc, status: 'retrying', attempts: [...doc.attempts, attempt], keyRevision, nextAttemptAtMs };
    }
    case 'DeliverySucceeded': {
      const { at, responseCode, responseTimeMs, keyRevision } = event.data;
      const attempt = { at, responseCode, responseTimeMs, error: null };
      return { ...doc, status: 'success', attempts: [...doc.attempts, attempt], keyRevision, nextAttemptAtMs: null };
    }
    case 'ResendRequested':
      return { ...doc, status: 'retrying', nextAttemptAtMs: Date.parse(event.data.at), exhaustion: null };
    case 'DeliveryExhausted':
      return { ...doc, status: 'failed', nextAttemptAtMs: null, exhaustion: event.data.reason };
    default:
      return unreachable(event);
  }
}
