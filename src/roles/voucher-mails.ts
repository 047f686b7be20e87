import type { Catalogue } from '../application/booking-context.ts';
import type { MailWatch } from '../application/mail-watch.ts';
import { type BookingView, viewOf } from '../application/read-booking.ts';
import type { Streams } from '../application/streams.ts';
import type { Begun, GiveUp } from '../application/under-lease.ts';
import type { MailConfig } from '../config.ts';
import { amounts } from '../domain/activity/pricing.ts';
import type { BookingCommand, BookingId, ExistingBooking } from '../domain/booking/booking.ts';
import { guestsOf } from '../domain/booking/booking.ts';
import { voucherMailer, voucherMailerKey } from '../domain/booking/voucher-mailer.ts';
import { ERASED, type GuestDetails } from '../domain/guest/guest.ts';
import { mailRetryDelayMs } from '../domain/owed-mails.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { MailOutcome } from '../ports/mailer.ts';
import { detailsOf, tokenOf } from '../vouchers/details.ts';
import { voucherMail } from '../vouchers/mail.ts';
import { oneLine } from '../vouchers/plain-text.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { Letter } from './letters.ts';
import type { MailSender } from './mail-sender.ts';
import { runOwedMails } from './owed-mails.ts';

const DECISION_MS = 10_000;
const QR_FILE_NAME = 'voucher-qr.png';

type RecordCommand = Extract<BookingCommand, { type: 'RecordVoucherMailed' | 'RecordVoucherMailFailed' }>;
type WithVoucher = ExistingBooking & { readonly voucher: NonNullable<ExistingBooking['voucher']> };

export type VoucherMailsContext = {
  readonly store: EventStore;
  readonly streams: Streams;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly signingKey: SigningKey;
  readonly sender: MailSender;
  /** Told of every attempt that has ended. */
  readonly watch: Pick<MailWatch, 'ended'>;
  readonly config: Pick<MailConfig, 'from' | 'connections'>;
  /** Without a slash at the end; '' while the service does not know yet where it listens. */
  readonly publicUrl: () => string;
  readonly giveUp: GiveUp;
};

/**
 * Mails every voucher to its guest (docs/decisions/0018). A stop begins nothing more, gives what is under way a moment, and
 * closes the sender.
 */
export async function runVoucherMails(context: VoucherMailsContext): Promise<Begun> {
  const mails = new VoucherMails(context);
  return runOwedMails({
    ...context,
    manager: voucherMailer,
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
    const { streams, clock, ids, watch } = this.#context;
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: voucherMailer.name, at };
    const reply = await streams.bookings.handle(id, command, cause, nowMs + DECISION_MS);
    if (reply.kind !== 'unavailable') watch.ended(id);
    return reply;
  }

  /** One attempt at the mail, and what is to be recorded of it; null where there is nothing to send now. */
  async attempt(id: BookingId, stopping: AbortSignal): Promise<RecordCommand | null> {
    const { clock, sender, log } = this.#context;
    const view = await viewOf(id, { ...this.#context, limits: { responseMs: DECISION_MS } });
    if (view === null || view.kind === 'refused') return null;
    const { booking, guest } = view;
    if (!hasVoucher(booking) || booking.mail.status === 'sent') return null;
    const { issue } = booking.mail;
    const attempt = booking.mail.status === 'failing' ? booking.mail.attempts + 1 : 1;
    const messageId = this.#messageIdOf(id, booking);
    const pointless = pointlessBecause(booking, guest, clock.nowMs());
    const outcome: MailOutcome = pointless ?? (await sender.send(this.#letter(view, booking, messageId)));
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    if (outcome.kind === 'accepted') {
      const { providerId } = outcome;
      return { type: 'RecordVoucherMailed', issue, messageId, providerId, at };
    }
    // Given up by us and not refused: it is repeated after the start.
    if (stopping.aborted) return null;
    const { reason, permanent } = outcome;
    const delayMs = permanent ? null : mailRetryDelayMs(attempt);
    const retryAtMs = delayMs === null ? null : nowMs + delayMs;
    log.warn('voucher mail failed', { booking: id, messageId, attempt, reason, retryAtMs });
    return { type: 'RecordVoucherMailFailed', issue, messageId, attempt, reason, retryAtMs, at };
  }

  #letter({ id, guest }: BookingView, booking: WithVoucher, messageId: string): Letter {
    const { catalogue, clock, signingKey, config, publicUrl } = this.#context;
    const { facts, voucher } = booking;
    const { totalMinor, discountMinor } = amounts(facts.pricing, guestsOf(facts));
    const contentId = `qr.${messageId.slice(1, -1)}`;
    const texts = voucherMail({
      ...detailsOf(booking, guest, catalogue.get(facts.activityId)?.activity),
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
      to: { name: oneLine(guest.name), address: guest.email },
      language: facts.language,
      dateMs: clock.nowMs(),
      qr: { contentId, fileName: QR_FILE_NAME, token: tokenOf(booking, signingKey) },
    };
  }

  /** The same at every attempt, also where the sender's domain was changed in between. */
  #messageIdOf(id: BookingId, { mail }: WithVoucher): string {
    if (mail.status !== 'unsent') return mail.messageId;
    const domain = this.#context.config.from.address.replace(/^.*@/, '');
    return `<${id}.${mail.issue}@${domain}>`;
  }
}

/** Why the mail would be of no use to anybody any more; null where it is of use. */
function pointlessBecause(booking: WithVoucher, guest: GuestDetails, nowMs: number): MailOutcome | null {
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
