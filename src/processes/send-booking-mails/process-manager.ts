import type { KnownState } from '../../actors/stream-handler.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingEvent, NoticeAudience } from '../../domain/booking/events.ts';
import { audienceOf } from '../../domain/booking/notices.ts';
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

type NoticeId = `${BookingId}/${NoticeAudience}`;
/** `causedMs`: when its cause was recorded, ms since the epoch; null after an attempt. */
type PendingNotice = PendingMail<NoticeId> & {
  readonly booking: BookingId;
  readonly to: NoticeAudience;
  readonly causedMs: number | null;
};

/** Mail the booking's present voucher to the guest. `known` is the booking of a moment ago; null if it must be read. */
export type MailVoucherCommand = {
  readonly type: 'MailVoucher';
  readonly booking: BookingId;
  readonly known: KnownBooking | null;
};
/** Mail the booking's present notice to the guest or to the venue. */
export type MailNoticeCommand = { readonly type: 'MailNotice' } & Pick<
  PendingNotice,
  'booking' | 'to' | 'causedMs' | 'position'
>;
export type SendBookingMailsCommand = MailVoucherCommand | MailNoticeCommand;

export type SendBookingMailsState = {
  readonly mails: PendingMails<PendingVoucherMail>;
  readonly notices: PendingMails<PendingNotice>;
  /** The booking of the last event. The log has the events of one append in a row. */
  readonly last: KnownBooking | null;
};

/**
 * Mails every voucher that is issued or requested again, until the mail server accepts it, the attempts are used up, the
 * booking is cancelled or the guest is erased. Mails the other news of a booking to its guest, and its request to the venue:
 * of each only the latest, and after all vouchers that are due.
 */
export const sendBookingMails: ProcessManager<SendBookingMailsState, BookingEvent, SendBookingMailsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'voucher-mailer',
  categories: inBothModes('booking'),
  initial: { mails: new PriorityQueue(), notices: new PriorityQueue(), last: null },
  react(state, event) {
    const last = folded(state, event);
    return { mails: pendingAfter(state.mails, last, event), notices: noticesAfter(state.notices, event), last };
  },
  due({ mails, notices }, nowMs, room) {
    const vouchers = dueMails(mails, nowMs, room).map(({ id: booking, known, issuedMs }) => {
      return { type: 'MailVoucher', booking, known: nowMs - issuedMs < KNOWN_FOR_MS ? known : null } as const;
    });
    const rest = { ...room, limit: room.limit - vouchers.length };
    return [...vouchers, ...dueMails(notices, nowMs, rest).map(noticeCommand)];
  },
  /** A notice that is not sent any more, unless a newer one took its place. */
  done(state, command) {
    if (command.type === 'MailVoucher') return state;
    const key = sendBookingMailsKey(command);
    const present = state.notices.get(key);
    return present?.position === command.position ? { ...state, notices: state.notices.without(key) } : state;
  },
  drop: ({ mails, notices, last }, key) => ({ mails: mails.without(key), notices: notices.without(key), last }),
  oldestOpen: ({ mails, notices }) => oldestPosition([...mails.values(), ...notices.values()]),
};

function noticeCommand({ booking, to, causedMs, position }: PendingNotice): MailNoticeCommand {
  return { type: 'MailNotice', booking, to, causedMs, position };
}

/** Commands with the same key do not run at the same time. */
export function sendBookingMailsKey(command: SendBookingMailsCommand): string {
  return command.type === 'MailVoucher' ? command.booking : noticeId(command.booking, command.to);
}

function noticeId(booking: BookingId, to: NoticeAudience): NoticeId {
  return `${booking}/${to}`;
}

type Notices = SendBookingMailsState['notices'];

/** The booking's state decides later which notice an event calls for, and whether it calls for one. */
function noticesAfter(notices: Notices, event: Recorded<BookingEvent>): Notices {
  const { position, cause, type, data } = event;
  const booking = streamId(event.stream) as BookingId;
  const without = (to: NoticeAudience, from = notices): Notices => from.without(noticeId(booking, to));
  const calledFor = (to: NoticeAudience, among = notices): Notices => {
    const pending = { id: noticeId(booking, to), booking, to, position, causedMs: Date.parse(cause.at), dueMs: 0 };
    return enqueue(among, pending);
  };
  switch (type) {
    case 'BookingPlacedOnRequest':
      return calledFor('venue', calledFor('guest'));
    case 'BookingModified':
      // A confirmed booking's change issues a voucher.
      return data.answerByMs === null ? notices : calledFor('venue', calledFor('guest'));
    case 'BookingRejected':
    case 'BookingCancelled':
      return calledFor('guest', without('venue'));
    case 'BookingConfirmed':
      return without('guest', without('venue'));
    case 'GuestErased':
      return without('guest');
    case 'NoticeMailed':
      return data.replaced ? notices : without(audienceOf(data.kind));
    case 'NoticeMailFailed': {
      const { kind, retryAtMs } = data;
      const to = audienceOf(kind);
      if (retryAtMs === null) return without(to);
      return enqueue(notices, { id: noticeId(booking, to), booking, to, position, causedMs: null, dueMs: retryAtMs });
    }
    default:
      return notices;
  }
}

function pendingAfter(
  mails: SendBookingMailsState['mails'],
  booking: KnownBooking | null,
  event: Recorded<BookingEvent>,
): SendBookingMailsState['mails'] {
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
function folded({ mails, last }: SendBookingMailsState, event: Recorded<BookingEvent>): KnownBooking | null {
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
