import { amounts } from '../../src/domain/activity/pricing.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import { guestsOf } from '../../src/domain/booking/facts.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { StatementDocument, StatementItem, StatementTotal } from './read-model.ts';

const ITEM = 'item/';

/**
 * One document for each charge and refund, and one with the totals of each key, month and currency.
 */
export const statementsProjection: Projection<StatementDocument, BookingEvent> = {
  name: 'statements',
  version: 1,
  categories: ['booking'],
  indexes: [['keyId', 'month', 'kind', 'place']],
  idsOf(event) {
    const item = itemOf(event);
    return item === null ? [] : [itemId(event), totalId(item)];
  },
  evolve(doc, event, id) {
    const item = itemOf(event);
    if (item === null) throw new Error(`${event.type} of ${event.stream} belongs to no statement`);
    return id.startsWith(ITEM) ? item : addTo(doc?.kind === 'total' ? doc : null, item);
  },
};

/** The charge or refund that an event adds to a key's statement; null without one. */
function itemOf(event: Recorded<BookingEvent>): StatementItem | null {
  switch (event.type) {
    case 'ChargeRecorded':
    case 'RefundRecorded': {
      const { keyId, amountMinor, currency } = event.data;
      const type = event.type === 'ChargeRecorded' ? 'charge' : 'refund';
      // Stored by a version that did not record the key: `BookingConfirmed` adds the item (below).
      return keyId === null ? null : itemWith({ keyId, type, amountMinor, currency }, event);
    }
    case 'BookingConfirmed': {
      // The version whose charges lack the key also stored confirmations without hours, and charged each one in full in
      // the next event. So a confirmation without hours adds the charge.
      const { keyId, hours, pricing } = event.data;
      if (hours !== null) return null;
      const { totalMinor: amountMinor } = amounts(pricing, guestsOf(event.data));
      return itemWith({ keyId, type: 'charge', amountMinor, currency: pricing.currency }, event);
    }
    default:
      return null;
  }
}

function itemWith(
  amount: Pick<StatementItem, 'keyId' | 'type' | 'amountMinor' | 'currency'>,
  { stream, position: place, cause: { at } }: Recorded<BookingEvent>,
): StatementItem {
  const bookingId = streamId(stream) as BookingId;
  return { kind: 'item', ...amount, month: at.slice(0, 'YYYY-MM'.length), at, place, bookingId };
}

function addTo(total: StatementTotal | null, item: StatementItem): StatementTotal {
  const { keyId, month, currency, amountMinor, type } = item;
  const { chargedMinor, refundedMinor } = total ?? { chargedMinor: 0, refundedMinor: 0 };
  return {
    kind: 'total',
    keyId,
    month,
    currency,
    chargedMinor: chargedMinor + (type === 'charge' ? amountMinor : 0),
    refundedMinor: refundedMinor + (type === 'refund' ? amountMinor : 0),
  };
}

function itemId({ stream, revision }: Recorded<BookingEvent>): string {
  return `${ITEM}${streamId(stream)}/${revision}`;
}

function totalId({ keyId, month, currency }: StatementItem): string {
  return `total/${keyId}/${month}/${currency}`;
}
