import type { CancellationQuote, Cancelled } from '../../application/booking/cancel-booking.ts';
import type { ModificationSummary, Modified } from '../../application/booking/modify-booking.ts';
import type { Quote } from '../../application/booking/quote-booking.ts';
import type { ModificationQuote } from '../../application/booking/quote-modification.ts';
import type { BookingView } from '../../application/booking/read-booking.ts';
import { type Currency, toDecimal } from '../../domain/activity/money.ts';
import { amounts, type Pricing } from '../../domain/activity/pricing.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { NO_TEST_CONTACT } from '../../domain/booking/mail.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { modeOf } from '../../domain/ids.ts';
import type { PositionForm } from '../../eventsourcing/message.ts';
import { publicChanges } from '../../webhooks/public-event.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import type { Headers } from '../envelope.ts';
import { etagOf } from '../etag.ts';

/** The headers of an answer with a booking: its version and, after a command, those of the command. */
export function bookingHeaders(
  { booking, ...outcome }: { readonly booking: ExistingBooking } & Parameters<typeof commandHeaders>[0],
  positions: PositionForm,
): Headers {
  return { etag: etagOf(booking), ...commandHeaders(outcome, positions) };
}

/** The pricing object of the public contract, for a number of guests. */
export function presentPricing(pricing: Pricing, guests: number) {
  const { subtotalMinor, discountMinor, totalMinor } = amounts(pricing, guests);
  const decimal = (amountMinor: number): number => toDecimal(amountMinor, pricing.currency);
  return {
    unit_price: decimal(pricing.unitPriceMinor),
    total_guests: guests,
    subtotal: decimal(subtotalMinor),
    discount: decimal(discountMinor),
    total: decimal(totalMinor),
    currency: pricing.currency,
  };
}

/** The booking object of the public contract, in the booking's language. */
export function presentBooking(
  { id, booking, guest }: Pick<BookingView, 'id' | 'booking' | 'guest'>,
  { catalogue, publicUrl }: Pick<HttpContext, 'catalogue' | 'publicUrl'>,
) {
  const { facts, voucher } = booking;
  const activity = catalogue.get(facts.activityId)?.activity;
  const text = activity?.texts[facts.language];
  return {
    booking_id: id,
    mode: modeOf(id),
    status: booking.status,
    voucher: voucher === null ? null : { ...presentVoucher(voucher, publicUrl()), mode: modeOf(id) },
    activity: {
      id: facts.activityId,
      title: text?.title ?? facts.activityId,
      location: activity?.venue.address ?? '',
      check_in_instructions: text?.checkIn ?? '',
      venue_id: facts.venueId,
    },
    pricing: presentPricing(facts.pricing, guestsOf(facts)),
    email_sent: booking.mail.status === 'sent',
    ...emailReason(booking),
    email_sent_at: booking.mail.status === 'sent' ? booking.mail.at : null,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    user_name: guest.name,
    user_email: guest.email,
    special_requests: guest.specialRequests,
    webhook_url: facts.webhookUrl,
    context_log_id: facts.attribution?.logId ?? null,
    reference: guest.reference,
    metadata: guest.metadata,
    created_at: facts.at,
    code: booking.status === 'rejected' ? booking.rejection.code : null,
    cancellation: presentCancellation(booking),
    cancellation_policy: presentPolicy(facts.cancellation, facts.language),
  };
}

/** Why the voucher was not mailed, and will not be. */
function emailReason({ mail }: ExistingBooking) {
  return mail.status === 'failing' && mail.reason === NO_TEST_CONTACT ? { email_reason: 'TEST_MODE' as const } : {};
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

export function presentOperated(view: BookingView, context: HttpContext) {
  const { facts, guestErased } = view.booking;
  return { ...presentBooking(view, context), city: facts.city, key_id: facts.keyId, guest_erased: guestErased };
}

export function presentModified(modified: Modified, context: HttpContext) {
  return { ...presentBooking(modified, context), ...presentSummary(modified) };
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

export function presentCancelled({ id, booking }: Pick<Cancelled, 'id' | 'booking'>) {
  const cancellation = presentCancellation(booking);
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
function presentCancellation(booking: ExistingBooking) {
  if (booking.status === 'rejected') {
    const { at, reason } = booking.rejection;
    return { cancelled_at: at, reason, ...presentRefund(0, booking.facts.pricing.currency) };
  }
  const cancellation = 'cancellation' in booking ? booking.cancellation : null;
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
  return {
    code,
    qr_url: `${publicUrl}/api/vouchers/${code}/qr.png`,
    valid_until: new Date(validUntilMs).toISOString(),
  };
}

function presentSummary({ changes, guestBefore, guestAfter, pricing, guests }: ModificationSummary) {
  return { changes: publicChanges(changes, guestBefore, guestAfter), new_pricing: presentPricing(pricing, guests) };
}
