import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { BookingCommand, BookingRejection } from './commands.ts';
import type { BookingEvent } from './events.ts';
import { evolve } from './evolve.ts';
import {
  abandonClaim,
  cancel,
  confirmByVenue,
  confirmWithoutVenue,
  eraseGuest,
  placeOnRequest,
  rejectBooking,
  start,
} from './lifecycle.ts';
import { modify } from './modify.ts';
import type { Booking, ExistingBooking } from './state.ts';
import { verifyVisit } from './verify.ts';

type Decided = Decision<BookingEvent, BookingRejection>;
type Command<Type extends BookingCommand['type']> = Extract<BookingCommand, { type: Type }>;

export const bookingDecider: Decider<BookingCommand, Booking, BookingEvent, BookingRejection> = {
  initial: { status: 'none', abandoned: [] },
  decide(command, booking) {
    switch (command.type) {
      case 'Start':
        return start(command, booking);
      case 'PlaceOnRequest':
        return placeOnRequest(command, booking);
      case 'ConfirmWithoutVenue':
        return confirmWithoutVenue(command, booking);
      case 'ConfirmByVenue':
        return confirmByVenue(command, booking);
      case 'Reject':
        return rejectBooking(command, booking);
      case 'Modify':
        return modify(command, booking);
      case 'Cancel':
        return cancel(command, booking);
      case 'EraseGuest':
        return eraseGuest(command, booking);
      case 'AbandonClaim':
        return abandonClaim(command, booking);
      case 'VerifyVisit':
        return booking.status === 'none' ? reject({ code: 'VOUCHER_NOT_FOUND' }) : verifyVisit(command, booking);
      case 'RecordVoucherMailed':
      case 'RecordVoucherMailFailed':
        return booking.status === 'none' ? reject({ code: 'BOOKING_NOT_FOUND' }) : recordMail(command, booking);
      default:
        return unreachable(command);
    }
  },
  evolve,
};

/**
 * A sent mail stays sent, and each attempt is recorded once, however late or often it is reported. Reports about a
 * replaced voucher are ignored: the events describe the current voucher.
 */
function recordMail(
  command: Command<'RecordVoucherMailed' | 'RecordVoucherMailFailed'>,
  { mail }: ExistingBooking,
): Decided {
  if (mail.status === 'sent' || command.issue !== mail.issue) return accept();
  if (command.type === 'RecordVoucherMailed') {
    const { messageId, providerId, at } = command;
    return accept<BookingEvent>({ type: 'VoucherMailed', data: { messageId, providerId, at } });
  }
  const { messageId, attempt, reason, retryAtMs, at } = command;
  if (mail.status === 'failing' && attempt <= mail.attempts) return accept();
  return accept<BookingEvent>({ type: 'VoucherMailFailed', data: { messageId, attempt, reason, retryAtMs, at } });
}
