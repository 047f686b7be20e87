import { accept } from '../../eventsourcing/decider.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent } from './events.ts';
import { type ExistingBooking, nextPublic } from './state.ts';

/** Recorded as the reason of a failed mail: a mail to `user_email` could reach a stranger. */
export const NO_TEST_CONTACT = 'the test key has no contact_email';

/**
 * A sent mail stays sent, and each attempt is recorded once, however late or often it is reported. Reports about a
 * replaced voucher are ignored: the events describe the current voucher.
 */
export function recordMail(
  command: BookingCommandOf<'RecordVoucherMailed' | 'RecordVoucherMailFailed'>,
  booking: ExistingBooking,
): BookingDecision {
  const { mail } = booking;
  if (mail.status === 'sent' || command.issue !== mail.issue) return accept();
  if (command.type === 'RecordVoucherMailed') {
    const { messageId, providerId, at } = command;
    const data = { messageId, providerId, at, ...nextPublic(booking) };
    return accept<BookingEvent>({ type: 'VoucherMailed', data });
  }
  const { messageId, attempt, reason, retryAtMs, at } = command;
  if (mail.status === 'failing' && attempt <= mail.attempts) return accept();
  return accept<BookingEvent>({ type: 'VoucherMailFailed', data: { messageId, attempt, reason, retryAtMs, at } });
}
