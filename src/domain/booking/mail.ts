import { accept, reject } from '../../eventsourcing/decider.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent } from './events.ts';
import { MAIL_LIMIT } from './mail-bounds.ts';
import { type Booking, type ExistingBooking, nextPublic, unchangeable } from './state.ts';

/** Recorded as the reason of a failed mail: a mail to `user_email` could reach a stranger. */
export const NO_TEST_CONTACT = 'the test key has no contact_email';

/** Why the voucher is not mailed, or not yet, as the public contract names it. */
export type MailReason = 'TEST_MODE' | 'MAIL_LIMIT';

/** Null for a reason that answers do not name. */
export function mailReasonOf(reason: string): MailReason | null {
  if (reason === NO_TEST_CONTACT) return 'TEST_MODE';
  return reason === MAIL_LIMIT ? 'MAIL_LIMIT' : null;
}

/**
 * A sent mail stays sent, and each attempt is recorded once, however late or often it is reported. A failed mail of a
 * replaced voucher is ignored; an accepted one counts for the bounds of mails.
 */
export function recordMail(
  command: BookingCommandOf<'RecordVoucherMailed' | 'RecordVoucherMailFailed'>,
  booking: ExistingBooking,
): BookingDecision {
  const { mail, sentMails } = booking;
  const present = command.issue === mail.issue;
  if (command.issue > mail.issue || (present && mail.status === 'sent')) return accept();
  if (command.type === 'RecordVoucherMailed') {
    const { issue, messageId, providerId, recipient, at } = command;
    if (!present) {
      const recorded = sentMails.last.some((sent) => sent.of === 'voucher' && sent.issue === issue);
      const data = { issue, messageId, recipient, at };
      return recorded ? accept() : accept<BookingEvent>({ type: 'ReplacedVoucherMailed', data });
    }
    const data = { messageId, providerId, recipient, at, ...nextPublic(booking) };
    return accept<BookingEvent>({ type: 'VoucherMailed', data });
  }
  if (!present) return accept();
  const { messageId, attempt, reason, retryAtMs, at } = command;
  if (mail.status === 'failing' && attempt <= mail.attempts) return accept();
  return accept<BookingEvent>({ type: 'VoucherMailFailed', data: { messageId, attempt, reason, retryAtMs, at } });
}

/** Asks for another mail with the present voucher, also while an earlier one is still pending: only the last one is sent. */
export function requestMail(
  { commandId, by, nowMs, at }: BookingCommandOf<'RequestVoucherMail'>,
  booking: Booking,
): BookingDecision {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  if (booking.mailRequests.includes(commandId)) return accept();
  const withoutVoucher = booking.voucher === null ? booking.status : null;
  const why = unchangeable(booking, nowMs) ?? withoutVoucher ?? (booking.guestErased ? 'erased' : null);
  if (why !== null) return reject({ code: 'BOOKING_NOT_MODIFIABLE', why });
  return accept<BookingEvent>({ type: 'VoucherMailRequested', data: { command: commandId, by, at } });
}
