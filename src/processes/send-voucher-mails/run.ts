import type { Catalogue } from '../../application/booking/booking-context.ts';
import type { MailNotifier } from '../../application/booking/mail-notifier.ts';
import { type BookingView, viewOf } from '../../application/booking/read-booking.ts';
import type { Streams } from '../../application/streams.ts';
import { amounts } from '../../domain/activity/pricing.ts';
import type { BookingCommand } from '../../domain/booking/commands.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { ERASED, type GuestDetails } from '../../domain/guest/guest.ts';
import type { BookingId } from '../../domain/ids.ts';
import { mailRetryDelayMs } from '../../domain/pending-mails.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { MailOutcome } from '../../ports/mailer.ts';
import type { Abandon } from '../../runtime/lease.ts';
import type { Running } from '../../runtime/running.ts';
import { voucherDetails, voucherToken } from '../../vouchers/details.ts';
import { voucherMail } from '../../vouchers/mail.ts';
import type { MailSender, OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { singleLine } from '../../vouchers/plain-text.ts';
import type { SigningKey } from '../../vouchers/signing-key.ts';
import { type MailSettings, runPendingMails } from '../pending-mails.ts';
import { sendVoucherMails, voucherMailerKey } from './process-manager.ts';

const DECISION_MS = 10_000;
const QR_FILE_NAME = 'voucher-qr.png';

type RecordCommand = Extract<BookingCommand, { type: 'RecordVoucherMailed' | 'RecordVoucherMailFailed' }>;
type WithVoucher = ExistingBooking & { readonly voucher: NonNullable<ExistingBooking['voucher']> };

export type VoucherMailsContext = {
  readonly store: DecodedEventStore;
  readonly streams: Streams;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly signingKey: SigningKey;
  readonly sender: MailSender;
  /** Notified when an attempt has ended. */
  readonly notifier: Pick<MailNotifier, 'ended'>;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly abandon: Abandon;
};

/** Mails every voucher to its guest (docs/decisions/0018). For `stop` see runPendingMails. */
export async function runSendVoucherMails(context: VoucherMailsContext): Promise<Running> {
  const mails = new VoucherMails(context);
  return runPendingMails({
    ...context,
    manager: sendVoucherMails,
    keyOf: voucherMailerKey,
    connections: context.config.connections,
    attempt: ({ booking }, stopping) => mails.attempt(booking, stopping),
    record: ({ booking }, outcome) => mails.record(booking, outcome),
  });
}

class VoucherMails {
  readonly #context: VoucherMailsContext;

  constructor(context: VoucherMailsContext) {
    this.#context = context;
  }

  async record(id: BookingId, command: RecordCommand) {
    const { streams, clock, ids, notifier } = this.#context;
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: sendVoucherMails.name, at };
    const reply = await streams.bookings.handle(id, command, cause, nowMs + DECISION_MS);
    if (reply.kind !== 'unavailable') notifier.ended(id);
    return reply;
  }

  /** One attempt to send the mail. @returns the outcome to record; null if there is nothing to send now */
  async attempt(id: BookingId, stopping: AbortSignal): Promise<RecordCommand | null> {
    const { clock, sender, log } = this.#context;
    const view = await viewOf(id, { ...this.#context, limits: { responseMs: DECISION_MS } });
    if (view === null || view.kind === 'refused') return null;
    const { booking, guest } = view;
    if (!hasVoucher(booking) || booking.mail.status === 'sent') return null;
    const { issue } = booking.mail;
    const attempt = booking.mail.status === 'failing' ? booking.mail.attempts + 1 : 1;
    const messageId = this.#messageIdOf(id, booking);
    const notToSend = reasonNotToSend(booking, guest, clock.nowMs());
    const outcome: MailOutcome = notToSend ?? (await sender.send(this.#mail(view, booking, messageId)));
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    if (outcome.kind === 'accepted') {
      const { providerId } = outcome;
      return { type: 'RecordVoucherMailed', issue, messageId, providerId, at };
    }
    // Aborted by the stop, not refused by the mail server: repeated after the next start.
    if (stopping.aborted) return null;
    const { reason, permanent } = outcome;
    const delayMs = permanent ? null : mailRetryDelayMs(attempt);
    const retryAtMs = delayMs === null ? null : nowMs + delayMs;
    log.warn('voucher mail failed', { booking: id, messageId, attempt, reason, retryAtMs });
    return { type: 'RecordVoucherMailFailed', issue, messageId, attempt, reason, retryAtMs, at };
  }

  #mail({ id, guest }: BookingView, booking: WithVoucher, messageId: string): OutgoingMail {
    const { catalogue, clock, signingKey, config, publicUrl } = this.#context;
    const { facts, voucher } = booking;
    const { totalMinor, discountMinor } = amounts(facts.pricing, guestsOf(facts));
    const contentId = `qr.${messageId.slice(1, -1)}`;
    const texts = voucherMail({
      ...voucherDetails(booking, guest, catalogue.get(facts.activityId)?.activity),
      bookingId: id,
      totalMinor,
      discountMinor,
      currency: facts.pricing.currency,
      pageUrl: `${publicUrl()}/api/vouchers/${voucher.code}`,
      contentId,
    });
    return {
      ...texts,
      messageId,
      from: config.from,
      to: { name: singleLine(guest.name), address: guest.email },
      language: facts.language,
      dateMs: clock.nowMs(),
      qr: { contentId, fileName: QR_FILE_NAME, token: voucherToken(booking, signingKey) },
    };
  }

  /** The same at every attempt, even if the sender's domain changes. */
  #messageIdOf(id: BookingId, { mail }: WithVoucher): string {
    if (mail.status !== 'unsent') return mail.messageId;
    const domain = this.#context.config.from.address.replace(/^.*@/, '');
    return `<${id}.${mail.issue}@${domain}>`;
  }
}

/** Why the mail must not be sent any more, as a permanent failure; null if it may be sent. */
function reasonNotToSend(booking: WithVoucher, guest: GuestDetails, nowMs: number): MailOutcome | null {
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
