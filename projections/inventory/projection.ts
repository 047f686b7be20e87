import type { AllotmentEvent } from '../../src/domain/allotment/events.ts';
import { evolveTerms, initialTerms } from '../../src/domain/allotment/terms.ts';
import { parseHoldId } from '../../src/domain/ids.ts';
import { type Recorded, streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { InventoryDocument } from './read-model.ts';

/** One document per allotment, keyed by its id. */
export const inventoryProjection: Projection<InventoryDocument, AllotmentEvent> = {
  name: 'inventory',
  version: 3,
  categories: ['allotment'],
  indexes: [['city', 'date']],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event) {
    const updatedAt = event.cause.at;
    switch (event.type) {
      case 'AllotmentOpened': {
        const { activityId, city, date, currency, ...schedule } = event.data;
        return { ...initialTerms(schedule), ...EMPTY, activityId, city, date, currency, updatedAt };
      }
      case 'SlotsClaimed':
        return moved(existing(doc, event), event.data.size, 0, updatedAt);
      case 'SlotsHeld':
        return moved(existing(doc, event), event.data.size, event.data.size, updatedAt);
      case 'HoldTaken':
        return moved(existing(doc, event), 0, -event.data.size, updatedAt);
      case 'DateCancelled':
        return { ...existing(doc, event), cancelledBecause: event.data.reason, cancellationRuns: true, updatedAt };
      case 'DateCancellationFinished':
        return { ...existing(doc, event), cancellationRuns: false, updatedAt };
      case 'CapacitySet': {
        const before = existing(doc, event);
        const cancelledBecause = event.data.capacity === 0 ? before.cancelledBecause : null;
        return { ...evolveTerms(before, event), cancelledBecause, updatedAt };
      }
      case 'ClaimPaid':
      case 'DateBookingSettled':
        return moved(existing(doc, event), 0, 0, updatedAt);
      case 'ClaimShrunk':
        return moved(existing(doc, event), -event.data.size, 0, updatedAt);
      case 'SlotsReleased': {
        const { claim, size } = event.data;
        // The id of a hold is released only if the hold is unused.
        return moved(existing(doc, event), -size, parseHoldId(claim) === null ? 0 : -size, updatedAt);
      }
      case 'ScheduleFollowed':
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
  version: 2,
  categories: ['allotmenttest'],
  indexes: [],
};

const EMPTY = { taken: 0, held: 0, cancelledBecause: null, cancellationRuns: false } as const;

function moved(doc: InventoryDocument, taken: number, held: number, updatedAt: string): InventoryDocument {
  return { ...doc, taken: doc.taken + taken, held: doc.held + held, updatedAt };
}

function existing(doc: InventoryDocument | null, event: Recorded): InventoryDocument {
  if (doc === null) throw new Error(`${event.type} of ${event.stream} before AllotmentOpened`);
  return doc;
}
