import { type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { BookingCommand, BookingCommandOf, BookingDecision, BookingRejection } from './commands.ts';
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
import { recordMail, requestMail } from './mail.ts';
import { modify } from './modify.ts';
import { recordNotice } from './notices.ts';
import type { Booking, ExistingBooking } from './state.ts';
import { recordArrivals, verifyVisit, voidVisit } from './verify.ts';

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
      case 'RecordArrivals':
        return booking.status === 'none' ? reject({ code: 'BOOKING_NOT_FOUND' }) : recordArrivals(command, booking);
      case 'VoidVisit':
        return voidVisit(command, booking);
      case 'RequestVoucherMail':
        return requestMail(command, booking);
      default:
        return booking.status === 'none' ? reject({ code: 'BOOKING_NOT_FOUND' }) : record(command, booking);
    }
  },
  evolve,
};

type Recording = 'RecordVoucherMailed' | 'RecordVoucherMailFailed' | 'RecordNoticeMailed' | 'RecordNoticeMailFailed';

function record(command: BookingCommandOf<Recording>, booking: ExistingBooking): BookingDecision {
  switch (command.type) {
    case 'RecordVoucherMailed':
    case 'RecordVoucherMailFailed':
      return recordMail(command, booking);
    case 'RecordNoticeMailed':
    case 'RecordNoticeMailFailed':
      return recordNotice(command, booking);
    default:
      return unreachable(command);
  }
}
