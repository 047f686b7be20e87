import type { KnownState } from '../../actors/stream-handler.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { Booking } from '../../domain/booking/state.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { SECOND_MS } from '../../eventsourcing/durations.ts';
import { type Recorded, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, enqueue, type PendingMail, type PendingMails } from '../pending-mails.ts';

/** With more pending mails than this, the bookings of the further ones are read: a state takes about 1 KB. */
const MAX_KNOWN = 1_000;
/** So long after the voucher was issued, the booking is read: another node may have changed it. */
export const KNOWN_FOR_MS = 10 * SECOND_MS;

/** A booking folded from all its events up to a revision. */
type KnownBooking = Exclude<KnownState<Booking>, 'no-stream'> & { readonly id: BookingId };

/** `known`: the booking when its voucher was issued; null if it must be read. `issuedMs`: when it was issued or requested again, ms since the epoch. */
type PendingVoucherMail = PendingMail<BookingId> & { readonly known: KnownBooking | null; readonly issuedMs: number };

/** Mail the booking's present voucher to the guest. `known` is the booking of a moment ago; null if it must be read. */
export type SendVoucherMailsCommand = {
  readonly type: 'MailVoucher';
  readonly booking: BookingId;
  readonly known: KnownBooking | null;
};

export type SendVoucherMailsState = {
  readonly mails: PendingMails<PendingVoucherMail>;
  /** The booking of the last event. The log has the events of one append in a row. */
  readonly last: KnownBooking | null;
};

/**
 * Mails every voucher that is issued or requested again, until the mail server accepts it, the attempts are used up, the
 * booking is cancelled or the guest is erased.
 */
export const sendVoucherMails: ProcessManager<SendVoucherMailsState, BookingEvent, SendVoucherMailsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'voucher-mailer',
  categories: inBothModes('booking'),
  initial: { mails: new PriorityQueue(), last: null },
  react(state, event) {
    const last = folded(state, event);
    return { mails: pendingAfter(state.mails, last, event), last };
  },
  due({ mails }, nowMs, room) {
    return dueMails(mails, nowMs, room).map(({ id: booking, known, issuedMs }) => {
      return { type: 'MailVoucher', booking, known: nowMs - issuedMs < KNOWN_FOR_MS ? known : null };
    });
  },
  done: (state) => state,
  drop: ({ mails, last }, key) => ({ mails: mails.without(key), last }),
  oldestOpen: ({ mails }) => oldestPosition(mails.values()),
};

/** Commands with the same key do not run at the same time. */
export function sendVoucherMailsKey({ booking }: SendVoucherMailsCommand): string {
  return booking;
}

function pendingAfter(
  mails: SendVoucherMailsState['mails'],
  booking: KnownBooking | null,
  event: Recorded<BookingEvent>,
): SendVoucherMailsState['mails'] {
  const { position, cause } = event;
  const id = streamId(event.stream) as BookingId;
  switch (event.type) {
    case 'VoucherIssued':
    case 'VoucherMailRequested': {
      const known = mails.size < MAX_KNOWN ? booking : null;
      return enqueue(mails, { id, position, dueMs: 0, known, issuedMs: Date.parse(cause.at) });
    }
    case 'VoucherMailed':
    case 'BookingCancelled':
    case 'GuestErased':
      return mails.without(id);
    case 'VoucherMailFailed': {
      const { retryAtMs } = event.data;
      if (retryAtMs === null) return mails.without(id);
      return enqueue(mails, { id, position, dueMs: retryAtMs, known: null, issuedMs: 0 });
    }
    default:
      return mails;
  }
}

/** The booking after an event; null unless all its events are known, from the first one on. */
function folded({ mails, last }: SendVoucherMailsState, event: Recorded<BookingEvent>): KnownBooking | null {
  const { revision } = event;
  const id = streamId(event.stream) as BookingId;
  if (revision === 0) {
    return begins(event) ? { id, state: bookingDecider.evolve(bookingDecider.initial, event), revision } : null;
  }
  const before = last?.id === id ? last : mails.get(id)?.known;
  if (before?.revision !== revision - 1) return null;
  return { id, state: bookingDecider.evolve(before.state, event), revision };
}

function begins({ type }: Recorded<BookingEvent>): boolean {
  return type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed';
}
