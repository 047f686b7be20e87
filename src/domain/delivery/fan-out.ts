import { type Position, type Recorded, unreachable } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import { Agenda } from '../agenda.ts';
import type { WebhookEvent } from '../apikey/apikey.ts';
import type { BookingEvent, BookingFacts, BookingId } from '../booking/booking.ts';

/** A booking's event that receivers are to hear of, and where it stands. */
export type FanOutCommand = {
  /** Booking and revision: its place on the agenda. */
  readonly key: string;
  readonly place: Position;
  readonly event: WebhookEvent;
  readonly booking: BookingId;
  readonly revision: number;
  /** Who made the booking and where it reports to, where the event itself says so. */
  readonly facts: Pick<BookingFacts, 'keyId' | 'webhookUrl' | 'activityId'> | null;
  readonly storedEventId: string;
  readonly correlationId: string;
  /** When it was stored, ISO 8601 UTC. */
  readonly at: string;
};

export type FanOutState = Agenda<FanOutCommand>;

/**
 * Turns what happened to bookings into deliveries to be scheduled, one command per public event. Whether anybody
 * listens, and where, is looked up when the command is carried out; of one booking they are carried out in order.
 */
export const webhookFanOut: ProcessManager<FanOutState, BookingEvent, FanOutCommand> = {
  name: 'webhook-fan-out',
  categories: ['booking'],
  initial: new Agenda(),
  react(open, event) {
    const told = publicNameOf(event);
    if (told === null) return open;
    const booking = event.stream.slice('booking-'.length) as BookingId;
    const { revision, position, id, cause } = event;
    return open.with({
      key: `${booking}@${revision}`,
      place: position,
      event: told,
      booking,
      revision,
      facts: event.type === 'BookingConfirmed' ? factsOf(event.data) : null,
      storedEventId: id,
      correlationId: cause.correlationId,
      at: cause.at,
    });
  },
  due(open, _nowMs, { limit, busy }) {
    const due: FanOutCommand[] = [];
    // One of each booking at a time, so that its events stand in the feed in the order in which they happened.
    const met = new Set<BookingId>();
    for (const command of open.inOrder()) {
      if (due.length >= limit) break;
      if (met.has(command.booking)) continue;
      met.add(command.booking);
      if (!busy(command.key)) due.push(command);
    }
    return due;
  },
  done: (open, { key }) => open.without(key),
  oldestOpen(open) {
    for (const { place } of open.inOrder()) return place;
    return null;
  },
};

/** What receivers call an event of a booking, null where they do not hear of it. */
function publicNameOf(event: Recorded<BookingEvent>): WebhookEvent | null {
  switch (event.type) {
    case 'BookingConfirmed':
      return 'booking_confirmed';
    case 'VoucherMailed':
      return 'voucher_delivered';
    case 'VisitVerified':
      return 'qr_verified';
    case 'BookingModified':
      return 'booking_modified';
    case 'BookingCancelled':
    case 'BookingRejected':
      return 'booking_cancelled';
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'ChargeRecorded':
    case 'RefundRecorded':
    case 'VoucherIssued':
    case 'ClaimAbandoned':
    case 'GuestErased':
    case 'VoucherMailFailed':
      return null;
    default:
      return unreachable(event);
  }
}

function factsOf({ keyId, webhookUrl, activityId }: BookingFacts): FanOutCommand['facts'] {
  return { keyId, webhookUrl, activityId };
}
