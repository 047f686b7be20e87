import { amounts } from '../../src/domain/activity/pricing.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import { guestsOf } from '../../src/domain/booking/facts.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { type PositionForm, type Recorded, streamId } from '../../src/eventsourcing/message.ts';
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
    const amount = amountOf(event);
    return amount === null ? [] : [itemId(event), totalId(amount, event)];
  },
  evolve(doc, event, id, format) {
    const amount = amountOf(event);
    if (amount === null) throw new Error(`${event.type} of ${event.stream} belongs to no statement`);
    if (id.startsWith(ITEM)) return itemOf(amount, event, format);
    return addTo(doc?.kind === 'total' ? doc : null, amount, event);
  },
};

type Amount = Pick<StatementItem, 'keyId' | 'type' | 'amountMinor' | 'currency'>;

/** The charge or refund that an event adds to a key's statement; null without one. */
function amountOf(event: Recorded<BookingEvent>): Amount | null {
  switch (event.type) {
    case 'ChargeRecorded':
    case 'RefundRecorded': {
      const { keyId, amountMinor, currency } = event.data;
      const type = event.type === 'ChargeRecorded' ? 'charge' : 'refund';
      // Stored by a version that did not record the key: `BookingConfirmed` adds the item (below).
      return keyId === null ? null : { keyId, type, amountMinor, currency };
    }
    case 'BookingConfirmed': {
      // The version whose charges lack the key also stored confirmations without hours, and charged each one in full in
      // the next event. So a confirmation without hours adds the charge.
      const { keyId, hours, pricing } = event.data;
      if (hours !== null) return null;
      const { totalMinor: amountMinor } = amounts(pricing, guestsOf(event.data));
      return { keyId, type: 'charge', amountMinor, currency: pricing.currency };
    }
    default:
      return null;
  }
}

function itemOf(amount: Amount, event: Recorded<BookingEvent>, format: PositionForm['format']): StatementItem {
  const { stream, position, cause } = event;
  const bookingId = streamId(stream) as BookingId;
  return { kind: 'item', ...amount, month: monthOf(event), at: cause.at, place: format(position), bookingId };
}

function addTo(total: StatementTotal | null, amount: Amount, event: Recorded<BookingEvent>): StatementTotal {
  const { keyId, currency, amountMinor, type } = amount;
  const { chargedMinor, refundedMinor } = total ?? { chargedMinor: 0, refundedMinor: 0 };
  return {
    kind: 'total',
    keyId,
    month: monthOf(event),
    currency,
    chargedMinor: chargedMinor + (type === 'charge' ? amountMinor : 0),
    refundedMinor: refundedMinor + (type === 'refund' ? amountMinor : 0),
  };
}

function itemId({ stream, revision }: Recorded<BookingEvent>): string {
  return `${ITEM}${streamId(stream)}/${revision}`;
}

function totalId({ keyId, currency }: Amount, event: Recorded<BookingEvent>): string {
  return `total/${keyId}/${monthOf(event)}/${currency}`;
}

/** `YYYY-MM` in UTC. */
function monthOf({ cause }: Recorded<BookingEvent>): string {
  return cause.at.slice(0, 'YYYY-MM'.length);
}
