import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, enqueue, type PendingMails } from '../pending-mails.ts';

/** Mail the booking's present voucher to the guest. */
export type SendVoucherMailsCommand = { readonly type: 'MailVoucher'; readonly booking: BookingId };

export type SendVoucherMailsState = PendingMails<BookingId>;

/**
 * Mails every issued voucher until the mail server accepts it, the attempts are used up, the booking is cancelled or
 * the guest is erased.
 */
export const sendVoucherMails: ProcessManager<SendVoucherMailsState, BookingEvent, SendVoucherMailsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'voucher-mailer',
  categories: inBothModes('booking'),
  initial: new PriorityQueue(),
  react(state, event) {
    const id = streamId(event.stream) as BookingId;
    const { position } = event;
    switch (event.type) {
      case 'VoucherIssued':
        return enqueue(state, { id, position, dueMs: 0 });
      case 'VoucherMailed':
      case 'BookingCancelled':
      case 'GuestErased':
        return state.without(id);
      case 'VoucherMailFailed': {
        const { retryAtMs } = event.data;
        return retryAtMs === null ? state.without(id) : enqueue(state, { id, position, dueMs: retryAtMs });
      }
      default:
        return state;
    }
  },
  due: (state, nowMs, room) => dueMails(state, nowMs, room).map((booking) => ({ type: 'MailVoucher', booking })),
  done: (state) => state,
  oldestOpen: (state) => oldestPosition(state.values()),
};

/** Commands with the same key do not run at the same time. */
export function sendVoucherMailsKey({ booking }: SendVoucherMailsCommand): string {
  return booking;
}
