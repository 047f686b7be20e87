import type { KnownState } from '../../actors/entity.ts';
import { OrderedMap } from '../../collections/ordered-map.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { Booking } from '../../domain/booking/state.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { SECOND_MS } from '../../eventsourcing/durations.ts';
import { type Recorded, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, enqueue, type PendingMails } from '../pending-mails.ts';

/** Maximum number of bookings whose state is kept: about 1 KB each. */
const MAX_KNOWN = 1_000;
/** After this time the booking is read, since another node may have changed it. */
export const KNOWN_FOR_MS = 10 * SECOND_MS;

/** A booking folded from all its events. `atMs`: time of the last one, ms since the epoch. */
type KnownBooking = Exclude<KnownState<Booking>, 'no-stream'> & { readonly id: BookingId; readonly atMs: number };

/**
 * Mail the booking's present voucher to the guest. `known` is the booking's state in its events until a moment ago; null if it
 * must be read.
 */
export type SendVoucherMailsCommand = {
  readonly type: 'MailVoucher';
  readonly booking: BookingId;
  readonly known: KnownBooking | null;
};

export type SendVoucherMailsState = {
  readonly mails: PendingMails<BookingId>;
  /** Bookings whose mail was not attempted yet, some of them. */
  readonly known: OrderedMap<BookingId, KnownBooking>;
  /** The booking of the last event. The log has the events of one append in a row. */
  readonly last: KnownBooking | null;
};

/**
 * Mails every issued voucher until the mail server accepts it, the attempts are used up, the booking is cancelled or
 * the guest is erased.
 */
export const sendVoucherMails: ProcessManager<SendVoucherMailsState, BookingEvent, SendVoucherMailsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'voucher-mailer',
  categories: inBothModes('booking'),
  initial: { mails: new PriorityQueue(), known: new OrderedMap(), last: null },
  react({ mails, known, last }, event) {
    const id = streamId(event.stream) as BookingId;
    const booking = folded(known.get(id) ?? last, id, event);
    const pending = pendingAfter(mails, id, event);
    const keep = booking !== null && pending.get(id) !== undefined && event.type !== 'VoucherMailFailed';
    const room = known.size < MAX_KNOWN || known.get(id) !== undefined;
    return { mails: pending, known: keep && room ? known.with(id, booking) : known.without(id), last: booking };
  },
  due({ mails, known }, nowMs, room) {
    return dueMails(mails, nowMs, room).map((id) => {
      const booking = known.get(id);
      const recent = booking !== undefined && nowMs - booking.atMs < KNOWN_FOR_MS;
      return { type: 'MailVoucher', booking: id, known: recent ? booking : null };
    });
  },
  done: (state) => state,
  oldestOpen: ({ mails }) => oldestPosition(mails.values()),
};

/** Commands with the same key do not run at the same time. */
export function sendVoucherMailsKey({ booking }: SendVoucherMailsCommand): string {
  return booking;
}

function pendingAfter(
  mails: PendingMails<BookingId>,
  id: BookingId,
  { type, data, position }: Recorded<BookingEvent>,
): PendingMails<BookingId> {
  switch (type) {
    case 'VoucherIssued':
      return enqueue(mails, { id, position, dueMs: 0 });
    case 'VoucherMailed':
    case 'BookingCancelled':
    case 'GuestErased':
      return mails.without(id);
    case 'VoucherMailFailed': {
      const { retryAtMs } = data;
      return retryAtMs === null ? mails.without(id) : enqueue(mails, { id, position, dueMs: retryAtMs });
    }
    default:
      return mails;
  }
}

/** The booking after an event; null unless all its events are known, from the first one on. */
function folded(before: KnownBooking | null, id: BookingId, event: Recorded<BookingEvent>): KnownBooking | null {
  const { revision } = event;
  const atMs = Date.parse(event.cause.at);
  if (revision === 0) {
    return begins(event) ? { id, state: bookingDecider.evolve(bookingDecider.initial, event), revision, atMs } : null;
  }
  if (before?.id !== id || revision !== before.revision + 1) return null;
  return { id, state: bookingDecider.evolve(before.state, event), revision, atMs };
}

function begins({ type }: Recorded<BookingEvent>): boolean {
  return type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed';
}
