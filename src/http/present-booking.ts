import type { BookingView } from '../application/read-booking.ts';
import { type Currency, toDecimal } from '../domain/activity/money.ts';
import { amounts, type Pricing } from '../domain/activity/pricing.ts';
import { type ExistingBooking, guestsOf } from '../domain/booking/booking.ts';
import type { HttpContext } from './context.ts';

/** The pricing object of the public contract, for so many guests. */
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
    status: booking.status,
    voucher: voucher === null ? null : presentVoucher(voucher, publicUrl()),
    activity: {
      id: facts.activityId,
      title: text?.title ?? facts.activityId,
      location: activity?.venue.address ?? '',
      check_in_instructions: text?.checkIn ?? '',
      venue_id: facts.venueId,
    },
    pricing: presentPricing(facts.pricing, guestsOf(facts)),
    email_sent: booking.mail.status === 'sent',
    email_sent_at: booking.mail.status === 'sent' ? booking.mail.at : null,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    user_name: guest.name,
    user_email: guest.email,
    special_requests: guest.specialRequests,
    webhook_url: facts.webhookUrl,
    context_log_id: facts.attribution?.logId ?? null,
    created_at: facts.at,
    code: booking.status === 'rejected' ? booking.rejection.code : null,
    cancellation: presentCancellation(booking),
  };
}

/** What became of the money when a booking was cancelled or rejected, null where it was neither. */
export function presentCancellation(booking: ExistingBooking) {
  if (booking.status === 'rejected') {
    const { at, reason } = booking.rejection;
    return { cancelled_at: at, reason, ...presentRefund(0, booking.facts.pricing.currency) };
  }
  const cancellation = 'cancellation' in booking ? booking.cancellation : null;
  if (cancellation === null) return null;
  const { at, reason, refundMinor, currency } = cancellation;
  return { cancelled_at: at, reason, ...presentRefund(refundMinor, currency) };
}

/** No supplier settles refunds yet: what is owed stands on the account at once. */
export function presentRefund(refundMinor: number, currency: Currency) {
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
