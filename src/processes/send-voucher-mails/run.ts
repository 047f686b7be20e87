import type { Catalogue } from '../../application/booking/booking-context.ts';
import type { MailNotifier } from '../../application/booking/mail-notifier.ts';
import { type BookingView, viewAt, viewOf } from '../../application/booking/read-booking.ts';
import { fingerprintOfAddress } from '../../application/identifiers.ts';
import type { Streams } from '../../application/streams.ts';
import { amounts } from '../../domain/activity/pricing.ts';
import type { BookingCommand } from '../../domain/booking/commands.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { NO_TEST_CONTACT } from '../../domain/booking/mail.ts';
import { mailAllowance } from '../../domain/booking/mail-bounds.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { ERASED, type GuestDetails } from '../../domain/guest/guest.ts';
import { modeOf } from '../../domain/ids.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import type { MailAddress, MailOutcome } from '../../ports/mailer.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import type { Running } from '../../runtime/running.ts';
import { voucherDetails, voucherQrText, voucherUrl } from '../../vouchers/details.ts';
import { voucherMail } from '../../vouchers/mail.ts';
import type { MailSender, OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { nameInMail } from '../../vouchers/plain-text.ts';
import type { SigningKey } from '../../vouchers/signing-key.ts';
import { type AttemptOutcome, NOT_SENT, sendCounted } from '../counted-mail.ts';
import { type EndedAttempt, identifyAttempt, type MailSettings, runPendingMails } from '../run-pending-mails.ts';
import { type SendVoucherMailsCommand, sendVoucherMails, sendVoucherMailsKey } from './process-manager.ts';

const NO_RECIPIENT = { kind: 'failed', reason: NO_TEST_CONTACT, permanent: true } as const;
const QR_FILE_NAME = 'voucher-qr.png';
/** Deadline of reading a booking and its guest. */
const READ_MS = 10_000;

type WithVoucher = ExistingBooking & { readonly voucher: NonNullable<ExistingBooking['voucher']> };

export type SendVoucherMailsContext = WithParking & {
  readonly store: DecodedEventStore;
  readonly streams: Streams;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly signingKey: SigningKey;
  readonly sender: MailSender;
  readonly mailLimiter: MailLimiter;
  readonly digest: Digest;
  /** Notified when an attempt has ended. */
  readonly notifier: Pick<MailNotifier, 'ended'>;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly onFatal: OnFatal;
};

/** Mails every voucher to its guest (docs/decisions/0018). For `stop` see runPendingMails. */
export function runSendVoucherMails(context: SendVoucherMailsContext): Promise<Running> {
  const { streams, notifier, log } = context;
  return runPendingMails({
    ...context,
    manager: sendVoucherMails,
    keyOf: sendVoucherMailsKey,
    nextAttempt: (command) => nextAttempt(command, context),
    logFailure: ({ booking }, failure) => log.warn('voucher mail failed', { booking, ...failure }),
    async record({ booking, known }, ended, cause, deadlineMs) {
      const reply = await streams.bookings.handle(booking, recordOf(ended), cause, deadlineMs, { known });
      if (reply.kind === 'accepted' || reply.kind === 'rejected') {
        const [event = null] = reply.kind === 'accepted' ? reply.events : [];
        // The mail of a replaced voucher is not the one that a request waits for.
        const awaited = event?.type === 'ReplacedVoucherMailed' ? null : event;
        notifier.ended(booking, { revision: reply.revision, event: awaited });
      }
      return reply;
    },
  });
}

function recordOf(ended: EndedAttempt): BookingCommand {
  return ended.kind === 'accepted'
    ? { type: 'RecordVoucherMailed', recipient: ended.recipient, ...ended.data }
    : { type: 'RecordVoucherMailFailed', ...ended.data };
}

async function nextAttempt({ booking: id, known }: SendVoucherMailsCommand, context: SendVoucherMailsContext) {
  const { clock, config } = context;
  const reading = { ...context, limits: { responseMs: READ_MS } };
  const view = known === null ? await viewOf(id, reading) : await viewAt({ ...known, id }, reading);
  if (view === null || view.kind === 'refused') return null;
  const { booking, guest } = view;
  const { mail } = booking;
  if (!hasVoucher(booking) || mail.status === 'sent') return null;
  const attempt = identifyAttempt(mail, id, mail.issue, config);
  const to = await recipientOf(view, context);
  if (to === 'unavailable') return null;
  const failure = reasonNotToSend(booking, guest, clock.nowMs());
  const send = async () => {
    if (failure !== null) return failure;
    if (to === null) return NO_RECIPIENT;
    return sendWithinBounds(compose(view, booking, to, attempt.messageId, context), view, context);
  };
  return { ...attempt, send };
}

/** Sends a mail within the bounds of its booking and address. The first mail of a booking waits, a later one is not sent. */
async function sendWithinBounds(
  mail: OutgoingMail,
  { id, booking }: BookingView,
  context: SendVoucherMailsContext,
): Promise<AttemptOutcome> {
  const recipient = fingerprintOfAddress(context.digest, mail.to.address);
  const allowance = mailAllowance(booking.sentMails, recipient, context.clock.nowMs());
  if (allowance === 'beyond') return NOT_SENT;
  return sendCounted(mail, { about: id, whenFull: allowance === 'first' ? 'wait' : 'refuse' }, context);
}

/**
 * The guest; of a test booking the key's own contact, since a mail to `user_email` could reach a stranger. Null: nobody.
 */
async function recipientOf(
  { id, booking, guest }: BookingView,
  { streams, clock }: SendVoucherMailsContext,
): Promise<MailAddress | null | 'unavailable'> {
  if (modeOf(id) === 'live') return { name: nameInMail(guest.name), address: guest.email };
  const key = await streams.apiKeys.read(booking.facts.keyId, clock.nowMs() + READ_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return 'unavailable';
  const { name, contactEmail } = key.state.facts;
  return contactEmail === null ? null : { name: nameInMail(name), address: contactEmail };
}

function compose(
  { id, guest }: BookingView,
  booking: WithVoucher,
  to: MailAddress,
  messageId: string,
  { catalogue, clock, signingKey, config, publicUrl }: SendVoucherMailsContext,
): OutgoingMail {
  const { facts, voucher } = booking;
  const { totalMinor, discountMinor } = amounts(facts.pricing, guestsOf(facts));
  const contentId = `qr.${messageId.slice(1, -1)}`;
  const texts = voucherMail({
    ...voucherDetails(booking, guest, catalogue.get(facts.activityId)?.activity),
    bookingId: id,
    totalMinor,
    discountMinor,
    retainedMinor: facts.pricing.retainedMinor ?? 0,
    currency: facts.pricing.currency,
    cancellation: facts.cancellation,
    pageUrl: voucherUrl(voucher.code, publicUrl()),
    contentId,
  });
  return {
    ...texts,
    messageId,
    from: config.from,
    to,
    language: facts.language,
    dateMs: clock.nowMs(),
    qr: { contentId, fileName: QR_FILE_NAME, text: voucherQrText(booking, signingKey, publicUrl()) },
  };
}

type Failure = Extract<MailOutcome, { kind: 'failed' }>;

/** Why the mail must not be sent any more, as a permanent failure; null if it may be sent. */
function reasonNotToSend(booking: WithVoucher, guest: GuestDetails, nowMs: number): Failure | null {
  switch (booking.status) {
    case 'confirmed':
    case 'completed':
      if (guest.email === ERASED.email) return { kind: 'failed', reason: 'guest erased', permanent: true };
      if (nowMs >= booking.voucher.validUntilMs) return { kind: 'failed', reason: 'voucher expired', permanent: true };
      return null;
    case 'cancelled':
      return { kind: 'failed', reason: 'booking cancelled', permanent: true };
    case 'processing':
    case 'pending':
    case 'rejected':
      throw new Error(`a ${booking.status} booking has no voucher`);
    default:
      return unreachable(booking);
  }
}

function hasVoucher(booking: ExistingBooking): booking is WithVoucher {
  return booking.voucher !== null;
}
