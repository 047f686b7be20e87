import type { MailNotifier } from '../../application/booking/mail-notifier.ts';
import { type BookingView, viewAt } from '../../application/booking/read-booking.ts';
import type { BookingCommand } from '../../domain/booking/commands.ts';
import type { NoticeRef } from '../../domain/booking/events.ts';
import { NO_TEST_CONTACT } from '../../domain/booking/mail.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { ERASED, type GuestDetails } from '../../domain/guest/guest.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { MailAddress, MailOutcome } from '../../ports/mailer.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import type { Running } from '../../runtime/running.ts';
import { bookedPrice, voucherDetails, voucherQrText, voucherUrl } from '../../vouchers/details.ts';
import { voucherMail } from '../../vouchers/mail.ts';
import type { OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { picturePath } from '../../vouchers/picture-path.ts';
import {
  type EndedAttempt,
  identifyAttempt,
  type MailAttempt,
  OBSOLETE,
  runPendingMails,
} from '../run-pending-mails.ts';
import { READ_MS, readView, recipientOf, sendWithinBounds } from './guest-mail.ts';
import { type NoticeContext, nextNotice } from './notice.ts';
import { type MailVoucherCommand, sendBookingMails, sendBookingMailsKey } from './process-manager.ts';

const NO_RECIPIENT = { kind: 'failed', reason: NO_TEST_CONTACT, permanent: true } as const;
const QR_FILE_NAME = 'voucher-qr.png';

type WithVoucher = ExistingBooking & { readonly voucher: NonNullable<ExistingBooking['voucher']> };

export type SendBookingMailsContext = WithParking &
  NoticeContext & {
    readonly store: DecodedEventStore;
    readonly ids: Ids;
    readonly log: Log;
    /** Notified when an attempt has ended. */
    readonly notifier: Pick<MailNotifier, 'ended'>;
    readonly onFatal: OnFatal;
  };

/** `notice`: null for a voucher. */
type BookingMailAttempt = MailAttempt & { readonly notice: NoticeRef | null };

/** Mails every voucher (docs/decisions/0018) and every notice (docs/decisions/0103). For `stop` see runPendingMails. */
export function runSendBookingMails(context: SendBookingMailsContext): Promise<Running> {
  const { streams, notifier, log } = context;
  return runPendingMails({
    ...context,
    manager: sendBookingMails,
    keyOf: sendBookingMailsKey,
    nextAttempt: (command): Promise<BookingMailAttempt | typeof OBSOLETE | null> =>
      command.type === 'MailVoucher' ? nextVoucher(command, context) : nextNotice(command, context),
    logFailure(command, failure) {
      const { booking } = command;
      if (command.type === 'MailVoucher') log.warn('voucher mail failed', { booking, ...failure });
      else log.warn('notice mail failed', { booking, to: command.to, ...failure });
    },
    async record(command, ended, cause, deadlineMs, { notice }) {
      const { booking } = command;
      if (command.type === 'MailNotice') {
        const reply = await streams.bookings.handle(booking, noticeRecordOf(notice, ended), cause, deadlineMs);
        // A newer notice may wait for the end of this attempt.
        return reply.kind === 'accepted' && reply.position === null ? { kind: OBSOLETE } : reply;
      }
      const { known } = command;
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

function noticeRecordOf(notice: NoticeRef | null, ended: EndedAttempt): BookingCommand {
  if (notice === null) throw new Error('an attempt to mail a notice names none');
  const { kind, version } = notice;
  const { issue: _, ...data } = ended.data;
  if (ended.kind === 'accepted') {
    const { providerId } = ended.data;
    return { type: 'RecordNoticeMailed', kind, version, ...data, providerId, recipient: ended.recipient };
  }
  const { attempt, reason, retryAtMs } = ended.data;
  return { type: 'RecordNoticeMailFailed', kind, version, ...data, attempt, reason, retryAtMs };
}

async function nextVoucher({ booking: id, known }: MailVoucherCommand, context: SendBookingMailsContext) {
  const { clock, config } = context;
  const reading = { ...context, limits: { responseMs: READ_MS } };
  const view = known === null ? await readView(id, context) : await viewAt({ ...known, id }, reading);
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
    return sendWithinBounds('voucher', compose(view, booking, to, attempt.messageId, context), view, context);
  };
  return { ...attempt, notice: null, send };
}

function compose(
  { id, guest }: BookingView,
  booking: WithVoucher,
  to: MailAddress,
  messageId: string,
  { catalogue, clock, signingKey, config, support, publicUrl }: SendBookingMailsContext,
): OutgoingMail {
  const { facts, voucher } = booking;
  const contentId = `qr.${messageId.slice(1, -1)}`;
  const texts = voucherMail({
    ...voucherDetails(booking, guest, catalogue.get(facts.activityId)?.activity),
    ...bookedPrice(facts),
    bookingId: id,
    support,
    pictureUrl: `${publicUrl()}${picturePath(facts.activityId, 'png')}`,
    pageUrl: voucherUrl(voucher.code, publicUrl()),
    contentId,
    // A change of a booking on request before its confirmation replaced no voucher.
    changed: [...booking.modifications.values()].some(({ answerByMs }) => answerByMs === null),
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
