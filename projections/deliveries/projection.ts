import type { DeliveryEvent, DeliveryId } from '../../src/domain/delivery/delivery.ts';
import { type Recorded, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeliveryDocument } from './read-model.ts';

/** One document per delivery, under its id. */
export const deliveriesProjection: Projection<DeliveryDocument, DeliveryEvent> = {
  name: 'deliveries',
  version: 1,
  categories: ['delivery'],
  indexes: [
    ['keyId', 'scheduledAt'],
    ['keyId', 'status', 'scheduledAt'],
    ['keyId', 'bookingId', 'scheduledAt'],
  ],
  keysOf: (event) => [event.stream.slice('delivery-'.length)],
  evolve(doc, event, id) {
    switch (event.type) {
      case 'DeliveryScheduled': {
        const { at, ...facts } = event.data;
        return {
          ...facts,
          deliveryId: id as DeliveryId,
          status: 'scheduled',
          attempts: [],
          keyRevision: null,
          nextAttemptAtMs: null,
          scheduledAt: at,
        };
      }
      case 'AttemptFailed': {
        const { at, responseCode, responseTimeMs, error, keyRevision, nextAttemptAtMs } = event.data;
        const { attempts, ...rest } = scheduled(doc, event);
        const attempt = { at, responseCode, responseTimeMs, error };
        return { ...rest, status: 'retrying', attempts: [...attempts, attempt], keyRevision, nextAttemptAtMs };
      }
      case 'DeliverySucceeded': {
        const { at, responseCode, responseTimeMs, keyRevision } = event.data;
        const { attempts, ...rest } = scheduled(doc, event);
        const attempt = { at, responseCode, responseTimeMs, error: null };
        return { ...rest, status: 'success', attempts: [...attempts, attempt], keyRevision, nextAttemptAtMs: null };
      }
      case 'DeliveryExhausted':
        return { ...scheduled(doc, event), status: 'failed', nextAttemptAtMs: null };
      default:
        return unreachable(event);
    }
  },
};

function scheduled(doc: DeliveryDocument | null, event: Recorded): DeliveryDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before DeliveryScheduled`);
  return doc;
}
