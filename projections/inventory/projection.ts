import type { AllotmentEvent } from '../../src/domain/allotment/events.ts';
import { evolveTerms, initialTerms } from '../../src/domain/allotment/terms.ts';
import { type Recorded, streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { InventoryDocument } from './read-model.ts';

/** One document per allotment, keyed by its id. */
export const inventoryProjection: Projection<InventoryDocument, AllotmentEvent> = {
  name: 'inventory',
  version: 2,
  categories: ['allotment'],
  indexes: [['city', 'date']],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event) {
    const updatedAt = event.cause.at;
    switch (event.type) {
      case 'AllotmentOpened': {
        const { activityId, city, date, currency, ...schedule } = event.data;
        return { ...initialTerms(schedule), activityId, city, date, taken: 0, currency, updatedAt };
      }
      case 'SlotsClaimed':
        return { ...existing(doc, event), taken: existing(doc, event).taken + event.data.size, updatedAt };
      case 'SlotsHeld':
        return { ...existing(doc, event), taken: existing(doc, event).taken + event.data.size, updatedAt };
      case 'HoldTaken':
      case 'ClaimPaid':
      case 'DateCancelled':
      case 'DateBookingSettled':
      case 'DateCancellationFinished':
        return { ...existing(doc, event), updatedAt };
      case 'ClaimShrunk':
      case 'SlotsReleased':
        return { ...existing(doc, event), taken: existing(doc, event).taken - event.data.size, updatedAt };
      case 'ScheduleFollowed':
      case 'CapacitySet':
      case 'PriceSet':
      case 'FlashDealStarted':
      case 'FlashDealEnded':
        return { ...evolveTerms(existing(doc, event), event), updatedAt };
      default:
        return unreachable(event);
    }
  },
};

/** One document per test allotment, keyed by its id. Requests of test keys read them in memory. */
export const testInventoryProjection: Projection<InventoryDocument, AllotmentEvent> = {
  ...inventoryProjection,
  name: 'testinventory',
  version: 1,
  categories: ['allotmenttest'],
  indexes: [],
};

function existing(doc: InventoryDocument | null, event: Recorded): InventoryDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before AllotmentOpened`);
  return doc;
}
