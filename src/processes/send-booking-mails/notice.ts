import type { Catalogue } from '../../application/booking/booking-context.ts';
import type { BookingView } from '../../application/booking/read-booking.ts';
import type { Activity, VenueContact } from '../../domain/activity/activity.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { NO_TEST_CONTACT } from '../../domain/booking/mail.ts';
import type { ExistingBooking, Notice } from '../../domain/booking/state.ts';
import { ERASED } from '../../domain/guest/guest.ts';
import { modeOf } from '../../domain/ids.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { MailAddress } from '../../ports/mailer.ts';
import { bookedPrice, voucherDetails } from '../../vouchers/details.ts';
import type { ComposedMail } from '../../vouchers/mail-layout.ts';
import { type News, noticeMail } from '../../vouchers/notice-mail.ts';
import type { OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { picturePath } from '../../vouchers/picture-path.ts';
import { nameInMail } from '../../vouchers/plain-text.ts';
import type { SigningKey } from '../../vouchers/signing-key.ts';
import { signVenueRequest } from '../../vouchers/venue-request.ts';
import { venueRequestMail } from '../../vouchers/venue-request-mail.ts';
import { type AttemptOutcome, sendCounted } from '../counted-mail.ts';
import { identifyAttempt, type MailSettings, OBSOLETE } from '../run-pending-mails.ts';
import { type GuestMailContext, readView, recipientOf, sendWithinBounds } from './guest-mail.ts';
import type { MailNoticeCommand } from './process-manager.ts';

/**
 * A notice is news to a guest. One that was not tried so long after its cause is not sent: a log that is read again must not mail the
 * past. A request to a venue has its deadline.
 */
export const NEWS_MS = DAY_MS;

export type NoticeContext = GuestMailContext & {
  readonly catalogue: Catalogue;
  readonly signingKey: SigningKey;
  readonly config: MailSettings;
  /** A mail address or URL where guests ask for help; null: none. */
  readonly support: string | null;
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
};

type UnsentNotice = Exclude<Notice, { status: 'sent' }>;

/** The next attempt to send the booking's present notice, with the notice. */
export async function nextNotice(command: MailNoticeCommand, context: NoticeContext) {
  const { booking: id, to, causedMs } = command;
  if (to === 'guest' && causedMs !== null && context.clock.nowMs() - causedMs > NEWS_MS) return OBSOLETE;
  const view = await readView(id, context);
  if (view === null) return null;
  const notice = view.booking.notices[to];
  // The event that causes the notice calls for none in this booking, or the event that records its end is not folded yet.
  if (notice === null || notice.status === 'sent') return OBSOLETE;
  if (notice.status === 'failing' && notice.retryAtMs === null) return OBSOLETE;
  if (to === 'venue') return nextVenueRequest(view, notice, context);
  if (view.guest.email === ERASED.email) return OBSOLETE;
  const recipient = await recipientOf(view, context);
  if (recipient === 'unavailable') return null;
  const attempt = identify(view, notice, context);
  const send = async (): Promise<AttemptOutcome> => {
    if (recipient === null) return { kind: 'failed', reason: NO_TEST_CONTACT, permanent: true };
    const texts = composeForGuest(view, newsOf(view.booking), context);
    const { language } = view.booking.facts;
    const mail = outgoing(texts, { to: recipient, language, messageId: attempt.messageId }, context);
    return sendWithinBounds('notice', mail, view, context);
  };
  return { ...attempt, notice, send };
}

/** Live bookings only, and venues with a contact. Without one the operator answers; the booking then says so. */
function nextVenueRequest(view: BookingView, notice: UnsentNotice, context: NoticeContext) {
  const { id, booking } = view;
  const activity = context.catalogue.get(booking.facts.activityId)?.activity;
  const contact = activity?.venue.contact;
  if (activity === undefined || contact === undefined || modeOf(id) !== 'live' || booking.status !== 'pending')
    return OBSOLETE;
  const attempt = identify(view, notice, context);
  const { answerByMs } = booking;
  const send = async (): Promise<AttemptOutcome> => {
    if (context.clock.nowMs() >= answerByMs) return { kind: 'failed', reason: 'request expired', permanent: true };
    const texts = composeForVenue(view, { activity, contact, version: notice.version, answerByMs }, context);
    const to = { name: nameInMail(activity.venue.name), address: contact.email };
    const mail = outgoing(texts, { to, language: contact.language, messageId: attempt.messageId }, context);
    // Per key: no key uses up what the venue can get from the others.
    return sendCounted(mail, { about: id, apart: `venue ${booking.facts.keyId}`, whenFull: 'refuse' }, context);
  };
  return { ...attempt, notice, send };
}

function identify({ id }: BookingView, notice: UnsentNotice, { config }: NoticeContext) {
  return identifyAttempt(notice, `${id}.${notice.kind}`, notice.version, config);
}

/** @throws Error if the booking has no news */
function newsOf(booking: ExistingBooking): News {
  switch (booking.status) {
    case 'pending':
      return { kind: 'pending', changed: booking.modifications.size > 0, answerByMs: booking.answerByMs };
    case 'rejected':
      return { kind: 'rejected' };
    case 'cancelled':
    case 'completed':
      if (booking.cancellation !== null)
        return { kind: 'cancelled', charged: booking.chargedMinor > 0, refundMinor: booking.cancellation.refundMinor };
      break;
    default:
  }
  throw new Error(`a ${booking.status} booking has a notice`);
}

function detailsOf({ id, booking, guest }: BookingView, activity: Activity | undefined) {
  const test = modeOf(id) === 'test';
  return { ...voucherDetails(booking, guest, activity), ...bookedPrice(booking.facts), test, bookingId: id };
}

function composeForGuest(
  view: BookingView,
  news: News,
  { catalogue, support, publicUrl }: NoticeContext,
): ComposedMail {
  const { activityId } = view.booking.facts;
  const details = detailsOf(view, catalogue.get(activityId)?.activity);
  const pictureUrl = `${publicUrl()}${picturePath(activityId, 'png')}`;
  return noticeMail({ ...details, support, pictureUrl, news });
}

function composeForVenue(
  view: BookingView,
  {
    activity,
    contact: { language },
    version,
    answerByMs,
  }: {
    readonly activity: Activity;
    readonly contact: VenueContact;
    readonly version: number;
    readonly answerByMs: number;
  },
  { signingKey, publicUrl }: NoticeContext,
): ComposedMail {
  const { id: bookingId } = view;
  const token = signVenueRequest({ bookingId, version, answerByMs }, signingKey);
  const activityTitle = activity.texts[language].title;
  const pageUrl = `${publicUrl()}/venue-requests/${token}`;
  return venueRequestMail({ ...detailsOf(view, activity), language, activityTitle, answerByMs, pageUrl });
}

function outgoing(
  texts: ComposedMail,
  envelope: { readonly to: MailAddress; readonly language: Language; readonly messageId: string },
  { config, clock }: NoticeContext,
): OutgoingMail {
  return { ...texts, ...envelope, from: config.from, dateMs: clock.nowMs(), qr: null };
}
