import { type BookingView, viewOf } from '../../application/booking/read-booking.ts';
import { fingerprintOfAddress } from '../../application/identifiers.ts';
import type { Streams } from '../../application/streams.ts';
import { mailAllowance } from '../../domain/booking/mail-bounds.ts';
import { type BookingId, modeOf } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import type { MailAddress } from '../../ports/mailer.ts';
import type { MailSender, OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { nameInMail } from '../../vouchers/plain-text.ts';
import { type AttemptOutcome, NOT_SENT, sendCounted } from '../counted-mail.ts';

/** Deadline of reading a booking and its guest. */
export const READ_MS = 10_000;

export type GuestMailContext = {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly sender: MailSender;
  readonly mailLimiter: MailLimiter;
  readonly digest: Digest;
};

/** Null if the booking cannot be read now. */
export async function readView(
  id: BookingId,
  context: Pick<GuestMailContext, 'streams' | 'clock'>,
): Promise<BookingView | null> {
  const view = await viewOf(id, { ...context, limits: { responseMs: READ_MS } });
  return view === null || view.kind === 'refused' ? null : view;
}

/**
 * Sends a mail within the bounds of its booking and address. The first voucher of a booking waits for its turn, another mail
 * beyond the bounds is not sent.
 */
export async function sendWithinBounds(
  of: 'voucher' | 'notice',
  mail: OutgoingMail,
  { id, booking }: BookingView,
  context: GuestMailContext,
): Promise<AttemptOutcome> {
  const recipient = fingerprintOfAddress(context.digest, mail.to.address);
  const allowance = mailAllowance(of, booking.sentMails, recipient, context.clock.nowMs());
  if (allowance === 'beyond') return NOT_SENT;
  return sendCounted(mail, { about: id, whenFull: allowance === 'first' ? 'wait' : 'refuse' }, context);
}

/**
 * The guest; of a test booking the key's own contact, since a mail to `user_email` could reach a stranger. Null: nobody.
 */
export async function recipientOf(
  { id, booking, guest }: BookingView,
  { streams, clock }: Pick<GuestMailContext, 'streams' | 'clock'>,
): Promise<MailAddress | null | 'unavailable'> {
  if (modeOf(id) === 'live') return { name: nameInMail(guest.name), address: guest.email };
  const key = await streams.apiKeys.read(booking.facts.keyId, clock.nowMs() + READ_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return 'unavailable';
  const { name, contactEmail } = key.state.facts;
  return contactEmail === null ? null : { name: nameInMail(name), address: contactEmail };
}
