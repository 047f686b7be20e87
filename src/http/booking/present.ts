import type { CancellationQuote, Cancelled } from '../../application/booking/cancel-booking.ts';
import type { ListedBooking } from '../../application/booking/list-guests.ts';
import type { ModificationSummary, Modified } from '../../application/booking/modify-booking.ts';
import type { Quote } from '../../application/booking/quote-booking.ts';
import type { ModificationQuote } from '../../application/booking/quote-modification.ts';
import type { BookingView } from '../../application/booking/read-booking.ts';
import { type Currency, toDecimal } from '../../domain/activity/money.ts';
import type { BookingPricing } from '../../domain/activity/pricing.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { requestedAtMs } from '../../domain/booking/notices.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { type BookingSummary, summaryOf } from '../../domain/booking/summary.ts';
import { shortCodeOf } from '../../domain/booking/voucher-code.ts';
import { HIDDEN_GUEST } from '../../domain/guest/hidden-guest.ts';
import { type BookingId, modeOf } from '../../domain/ids.ts';
import { MASK, type Role, sees } from '../../domain/operator/roles.ts';
import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { PositionForm } from '../../eventsourcing/message.ts';
import { voucherUrl } from '../../vouchers/details.ts';
import { publicChanges, publicPricing } from '../../webhooks/public-event.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import type { Headers } from '../envelope.ts';
import { etagOf } from '../etag.ts';
import { originOf } from '../origin.ts';
import type { VENUE_REQUESTS } from './operator-schema.ts';

type Context = Pick<HttpContext, 'catalogue' | 'publicUrl'>;
type OperatorContext = Context & Pick<HttpContext, 'clock'>;

/** A request is mailed at once. One that was not even tried after this time is not on its way, such as one without a contact then. */
const TRIED_WITHIN_MS = HOUR_MS;

/** The headers of an answer with a booking: its version and, after a command, those of the command. */
export function bookingHeaders(
  { booking, ...outcome }: { readonly booking: ExistingBooking } & Parameters<typeof commandHeaders>[0],
  positions: PositionForm,
): Headers {
  return { etag: etagOf(booking), ...commandHeaders(outcome, positions) };
}

/** The pricing object of the public contract, for a number of guests. */
export function presentPricing(pricing: BookingPricing, guests: number) {
  const { unit_price, ...amounts } = publicPricing(pricing, guests);
  return { unit_price, total_guests: guests, ...amounts };
}

/** The booking object of the public contract, in the booking's language. */
export function presentBooking(
  { id, booking, guest }: Pick<BookingView, 'id' | 'booking' | 'guest'>,
  context: Context,
) {
  return presentListed({ booking: summaryOf(id, booking), guest }, context);
}

/** The same for an item of a list. */
export function presentListed({ booking, guest }: ListedBooking, { catalogue, publicUrl }: Context) {
  const { bookingId: id, voucher, language } = booking;
  const activity = catalogue.get(booking.activityId)?.activity;
  const text = activity?.texts[language];
  return {
    booking_id: id,
    mode: modeOf(id),
    status: booking.status,
    voucher: voucher === null ? null : { ...presentVoucher(voucher, publicUrl()), mode: modeOf(id) },
    activity: {
      id: booking.activityId,
      title: text?.title ?? booking.activityId,
      location: activity?.venue.address ?? '',
      check_in_instructions: text?.checkIn ?? '',
      venue_id: booking.venueId,
    },
    pricing: presentPricing(booking.pricing, guestsOf(booking)),
    email_sent: booking.mailedAt !== null,
    ...(booking.mailReason === null ? {} : { email_reason: booking.mailReason }),
    email_sent_at: booking.mailedAt,
    booking_date: booking.date,
    num_adults: booking.numAdults,
    num_children: booking.numChildren,
    user_name: guest.name,
    user_email: guest.email,
    special_requests: guest.specialRequests,
    webhook_url: booking.webhookUrl,
    context_log_id: booking.logId,
    reference: guest.reference,
    metadata: guest.metadata,
    created_at: booking.createdAt,
    code: booking.rejection?.code ?? null,
    cancellation: presentCancellation(booking),
    visit: booking.visit === null ? null : { verified_at: booking.visit.at, disputed: booking.visit.disputed },
    voided_visit:
      booking.voidedVisit === null
        ? null
        : { verified_at: booking.voidedVisit.at, voided_at: booking.voidedVisit.voidedAt },
    cancellation_policy: presentPolicy(booking.policy, language),
  };
}

/** The answer to `dry_run: true` of a booking request. */
export function presentQuote({ availableSlots, guests, pricing, confirmation, cancellation, ...quote }: Quote) {
  return {
    dry_run: true as const,
    available: availableSlots >= guests,
    available_slots: availableSlots,
    pricing: presentPricing(pricing, guests),
    confirmation,
    cancellation_policy: {
      free_until: new Date(quote.freeUntilMs).toISOString(),
      ...presentPolicy(cancellation, quote.language),
    },
  };
}

/** A booking for an operator: what the role does not see of the guest is masked. */
export function presentOperated(
  { id, booking, guest, cancelledBy, modifiedBy }: Pick<BookingView, 'id' | 'booking' | 'guest'> & ChangedBy,
  role: Role,
  context: OperatorContext,
) {
  const summary = { ...summaryOf(id, booking), cancelledBy, modifiedBy };
  return {
    ...presentListedForOperator({ booking: summary, guest }, role, context),
    ...venueRequestOf(id, booking, context),
  };
}

/** Whether the venue of a pending booking was asked by mail; nothing for another booking. */
function venueRequestOf(id: BookingId, booking: ExistingBooking, context: OperatorContext) {
  if (booking.status !== 'pending') return {};
  return { venue_request: venueRequestStatus(id, booking, context) };
}

function venueRequestStatus(
  id: BookingId,
  booking: ExistingBooking,
  { catalogue, clock }: OperatorContext,
): (typeof VENUE_REQUESTS)[number] {
  const { facts, notices } = booking;
  const { venue } = notices;
  if (modeOf(id) === 'test') return 'test';
  if (venue?.status === 'sent') return 'mailed';
  if (catalogue.get(facts.activityId)?.activity.venue.contact === undefined) return 'no_contact';
  const isGivenUp =
    venue?.status === 'failing' ? venue.retryAtMs === null : clock.nowMs() - requestedAtMs(booking) > TRIED_WITHIN_MS;
  return isGivenUp ? 'not_mailed' : 'waiting';
}

/** Texts are in English, which operators read, whatever the language of the booking is. */
export function presentListedForOperator(
  listed: ListedBooking<BookingSummary & ChangedBy>,
  role: Role,
  context: Context,
) {
  const { guest } = listed;
  const booking = { ...listed.booking, language: 'en' as const };
  const { city, keyId, guestErased, cancelledBy, modifiedBy } = booking;
  const shown = sees(role, 'guest')
    ? presentListed({ booking, guest }, context)
    : presentListed({ booking: withoutSecrets(booking), guest: HIDDEN_GUEST }, context);
  return {
    ...shown,
    city,
    key_id: keyId,
    guest_erased: guestErased,
    cancelled_by: cancelledBy,
    modified_by: modifiedBy,
  };
}

/** Whoever has the code can open the voucher, which names the guest. */
function withoutSecrets(booking: BookingSummary): BookingSummary {
  const { voucher, webhookUrl } = booking;
  return { ...booking, voucher: voucher && { ...voucher, code: MASK }, webhookUrl: originOf(webhookUrl) };
}

export function presentModified(modified: Modified, context: HttpContext) {
  return { ...presentBooking(modified, context), ...presentSummary(modified) };
}

export function presentModifiedForOperator(modified: Modified & ChangedBy, role: Role, context: OperatorContext) {
  return { ...presentOperated(modified, role, context), ...presentSummary(modified) };
}

export function presentModificationQuote(quote: ModificationQuote) {
  const { id, pricing, chargeMinor, refundMinor, available } = quote;
  const { currency } = pricing;
  return {
    dry_run: true as const,
    booking_id: id,
    ...presentSummary(quote),
    charge: toDecimal(chargeMinor, currency),
    refund: toDecimal(refundMinor, currency),
    available,
  };
}

export function presentCancelledForOperator({ cancelledBy, ...cancelled }: Cancelled & ChangedBy) {
  return { ...presentCancelled(cancelled), cancelled_by: cancelledBy };
}

export function presentCancelled({ id, booking }: Pick<Cancelled, 'id' | 'booking'>) {
  const cancellation = presentCancellation(summaryOf(id, booking));
  if (cancellation === null) throw new Error(`a ${booking.status} booking was answered as cancelled`);
  return { booking_id: id, status: booking.status, ...cancellation };
}

export function presentCancellationQuote({ id, booking, refund }: CancellationQuote) {
  const freeUntilMs = refund?.freeUntilMs ?? null;
  return {
    dry_run: true as const,
    ...(refund === null
      ? presentCancelled({ id, booking })
      : {
          booking_id: id,
          status: booking.status,
          cancelled_at: null,
          reason: refund.reason,
          ...presentRefund(refund.refundMinor, refund.currency),
        }),
    free_until: freeUntilMs === null ? null : new Date(freeUntilMs).toISOString(),
  };
}

/** Null if the booking is neither cancelled nor rejected. */
function presentCancellation({ rejection, cancellation, pricing }: BookingSummary) {
  if (rejection !== null)
    return { cancelled_at: rejection.at, reason: rejection.reason, ...presentRefund(0, pricing.currency) };
  if (cancellation === null) return null;
  const { at, reason, refundMinor, currency } = cancellation;
  return { cancelled_at: at, reason, ...presentRefund(refundMinor, currency) };
}

/** No supplier settles refunds yet: a refund is on the account at once. */
function presentRefund(refundMinor: number, currency: Currency) {
  const refund_status: 'processed' | 'none' = refundMinor === 0 ? 'none' : 'processed';
  return { refund_status, refund_amount: toDecimal(refundMinor, currency), currency };
}

function presentVoucher({ code, validUntilMs }: { code: string; validUntilMs: number }, publicUrl: string) {
  const url = voucherUrl(code, publicUrl);
  return {
    code,
    // A masked code has none.
    short_code: shortCodeOf(code) ?? code,
    url,
    qr_url: `${url}/qr.png`,
    valid_until: new Date(validUntilMs).toISOString(),
  };
}

function presentSummary({ changes, guestBefore, guestAfter, pricing, guests }: ModificationSummary) {
  return { changes: publicChanges(changes, guestBefore, guestAfter), new_pricing: presentPricing(pricing, guests) };
}
