import { amounts } from '../../src/domain/activity/pricing.ts';
import { localDate, utcDate } from '../../src/domain/activity/schedule.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import { guestsOf } from '../../src/domain/booking/facts.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { DEFAULT_MODEL_NAME } from '../../src/domain/recommendation/ranking-model.ts';
import { type PositionForm, type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { StatementDocument, StatementItem, StatementTotal, Subject } from './read-model.ts';

const ITEM = 'item/';

/**
 * One document for each charge and refund, and one with the totals of each key, month and currency. A charge or refund
 * directly follows the event that causes it, in one append, and does not repeat it: the cause prepares the document.
 */
export const statementsProjection: Projection<StatementDocument, BookingEvent> = {
  name: 'statements',
  version: 2,
  categories: ['booking'],
  indexes: [
    ['keyId', 'month', 'kind', 'place'],
    ['kind', 'day'],
    ['kind', 'city', 'day'],
    ['kind', 'activityId', 'day'],
  ],
  idsOf(event) {
    const amount = amountOf(event);
    if (amount !== null) return [itemId(event), totalId(amount, event)];
    return isCause(event) ? [itemId({ ...event, revision: event.revision + 1 })] : [];
  },
  evolve(doc, event, id, format) {
    const amount = amountOf(event);
    if (amount === null) {
      if (isCause(event)) return { kind: 'change', ...subjectOf(event) };
      throw new Error(`${event.type} of ${event.stream} belongs to no statement`);
    }
    if (!id.startsWith(ITEM)) return addTo(doc?.kind === 'total' ? doc : null, amount, event);
    return itemOf(doc?.kind === 'change' ? doc : subjectOf(event), amount, event, format);
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

/** Whether a charge or refund may be the next event. A change of only the guest's data has none. */
function isCause(event: BookingEvent): boolean {
  switch (event.type) {
    case 'BookingConfirmed':
      return true;
    case 'BookingModified':
      return Object.keys(event.data.changes).some((field) => field !== 'guest');
    case 'BookingCancelled':
      return event.data.refundMinor > 0;
    default:
      return false;
  }
}

const NO_SEGMENT = { travelType: null, budget: null, ageGroup: null };

function subjectOf(event: Recorded<BookingEvent>): Subject {
  const atMs = Date.parse(event.cause.at);
  switch (event.type) {
    case 'BookingConfirmed':
    case 'BookingModified':
    case 'BookingCancelled': {
      const { city, activityId, attribution } = event.data;
      const { travelType, budget, ageGroup } = attribution?.segment ?? NO_SEGMENT;
      const model = attribution === null ? null : (attribution.experiment?.arm ?? DEFAULT_MODEL_NAME);
      const day = localDate(city, atMs);
      const confirmed =
        event.type === 'BookingConfirmed'
          ? { bookings: 1 as const, guests: guestsOf(event.data) }
          : { bookings: 0 as const, guests: 0 };
      return { day, city, activityId, travelType, budget, ageGroup, model, ...confirmed };
    }
    default: {
      const day = utcDate(atMs);
      return { day, city: null, activityId: null, ...NO_SEGMENT, model: null, bookings: 0, guests: 0 };
    }
  }
}

function itemOf(
  subject: Subject,
  amount: Amount,
  event: Recorded<BookingEvent>,
  format: PositionForm['format'],
): StatementItem {
  const { stream, position, cause } = event;
  const bookingId = streamId(stream) as BookingId;
  const place = { month: monthOf(event), at: cause.at, place: format(position) };
  return { ...subject, kind: 'item', ...amount, ...place, bookingId };
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

function itemId({ stream, revision }: Pick<Recorded<BookingEvent>, 'stream' | 'revision'>): string {
  return `${ITEM}${streamId(stream)}/${revision}`;
}

function totalId({ keyId, currency }: Amount, event: Recorded<BookingEvent>): string {
  return `total/${keyId}/${monthOf(event)}/${currency}`;
}

/** `YYYY-MM` in UTC. */
function monthOf({ cause }: Recorded<BookingEvent>): string {
  return cause.at.slice(0, 'YYYY-MM'.length);
}
