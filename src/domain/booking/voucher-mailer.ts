import type { Recorded } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import type { BookingId } from '../allotment/allotment.ts';
import { dueMails, noMails, type OwedMails, oldestOwed, owing, settled } from '../owed-mails.ts';
import type { BookingEvent } from './booking.ts';

/** Hand the booking's present voucher to the guest's mail server. */
export type VoucherMailerCommand = { readonly type: 'MailVoucher'; readonly booking: BookingId };

export type VoucherMailerState = OwedMails<BookingId>;

/**
 * Owes a mail for every voucher issued, until it was accepted or given up, or is of no use any more: after a cancellation,
 * and where the guest is to be forgotten.
 */
export const voucherMailer: ProcessManager<VoucherMailerState, BookingEvent, VoucherMailerCommand> = {
  name: 'voucher-mailer',
  categories: ['booking'],
  initial: noMails(),
  react(state, event) {
    const id = bookingOf(event);
    const { position } = event;
    switch (event.type) {
      case 'VoucherIssued':
        return owing(state, { id, position, dueMs: 0 });
      case 'VoucherMailed':
      case 'BookingCancelled':
      case 'GuestErased':
        return settled(state, id);
      case 'VoucherMailFailed': {
        const { retryAtMs } = event.data;
        return retryAtMs === null ? settled(state, id) : owing(state, { id, position, dueMs: retryAtMs });
      }
      default:
        return state;
    }
  },
  due: (state, nowMs, room) => dueMails(state, nowMs, room).map((booking) => ({ type: 'MailVoucher', booking })),
  done: (state) => state,
  oldestOpen: oldestOwed,
};

/** Of the same booking only one is under way. */
export function voucherMailerKey({ booking }: VoucherMailerCommand): string {
  return booking;
}

function bookingOf({ stream }: Recorded<BookingEvent>): BookingId {
  return stream.slice('booking-'.length) as BookingId;
}
