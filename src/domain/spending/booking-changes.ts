import type { Recorded } from '../../eventsourcing/message.ts';
import type { Currency } from '../activity/money.ts';
import { amounts } from '../activity/pricing.ts';
import { bookingDecider } from '../booking/decider.ts';
import type { BookingEvent } from '../booking/events.ts';
import { guestsOf } from '../booking/facts.ts';
import type { Booking, ExistingBooking } from '../booking/state.ts';
import type { ClaimId } from '../ids.ts';

/** A change of what a booking costs its key. Above zero: a booking, or more of it. Below: refunded, or never charged. */
export type SpendingChange = {
  readonly revision: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly amountMinor: number;
  readonly currency: Currency;
  /** The claims that the booking had named before this event. */
  readonly claims: readonly ClaimId[];
};

/**
 * The changes in a booking's stream, oldest first. An unconfirmed booking costs its total, although nothing is charged yet;
 * afterwards charges and refunds count, so what a cancellation keeps stays spent.
 */
export function spendingChanges(events: readonly Recorded<BookingEvent>[]): readonly SpendingChange[] {
  const changes: SpendingChange[] = [];
  let booking: Booking = bookingDecider.initial;
  let named: readonly ClaimId[] = [];
  let at = '';
  let modified = false;
  for (const event of events) {
    const before = booking;
    booking = bookingDecider.evolve(before, event);
    if ('at' in event.data && !isMail(event)) ({ at } = event.data);
    if (booking.status !== 'none') {
      const amountMinor = amountOf(event, before, booking, modified);
      const { currency } = booking.facts.pricing;
      if (amountMinor !== 0) changes.push({ revision: event.revision, at, amountMinor, currency, claims: named });
      named = [...new Set([...named, ...booking.facts.claims.map(({ id }) => id)])];
    }
    modified = event.type === 'BookingModified';
  }
  return changes;
}

function amountOf(event: BookingEvent, before: Booking, after: ExistingBooking, followsModification: boolean): number {
  switch (event.type) {
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'BookingConfirmed':
      return before.status === 'none' ? totalOf(after) : 0;
    case 'BookingModified':
      return isCharged(before) ? 0 : totalOf(after) - totalOf(before);
    case 'BookingCancelled':
    case 'BookingRejected':
      return isCharged(before) ? 0 : -totalOf(before);
    // The charge of a confirmation was counted with the booking.
    case 'ChargeRecorded':
      return followsModification ? event.data.amountMinor : 0;
    case 'RefundRecorded':
      return -event.data.amountMinor;
    default:
      return 0;
  }
}

/** Whether the event records a mail, which no change of the cost precedes in its append. */
function isMail({ type }: BookingEvent): boolean {
  return (
    type === 'VoucherMailed' ||
    type === 'VoucherMailFailed' ||
    type === 'ReplacedVoucherMailed' ||
    type === 'NoticeMailed' ||
    type === 'NoticeMailFailed'
  );
}

/** Whether charges and refunds follow each change of the booking. */
function isCharged(booking: Booking): boolean {
  return booking.status === 'confirmed' || booking.status === 'completed';
}

function totalOf(booking: Booking): number {
  return booking.status === 'none' ? 0 : amounts(booking.facts.pricing, guestsOf(booking.facts)).totalMinor;
}
