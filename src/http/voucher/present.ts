import type { BookingView } from '../../application/booking/read-booking.ts';
import type { Verified } from '../../application/voucher/verify-voucher.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { voucherDetails, voucherToken } from '../../vouchers/details.ts';
import { type VoucherState, voucherPage } from '../../vouchers/page.ts';
import type { HttpContext } from '../context.ts';

/** The voucher as an HTML page. */
export function presentPage(view: BookingView, context: HttpContext): string {
  const { booking, guest } = view;
  const activity = context.catalogue.get(booking.facts.activityId)?.activity;
  return voucherPage({ ...voucherDetails(booking, guest, activity), state: stateOf(view, context) });
}

/** A verified voucher as the gate's device shows it. */
export function presentVisit({ id, booking, guest, visit }: Verified, { catalogue }: HttpContext) {
  const { facts } = booking;
  const activity = catalogue.get(facts.activityId)?.activity;
  return {
    booking_id: id,
    activity_id: facts.activityId,
    activity_title: activity?.texts[facts.language].title ?? facts.activityId,
    venue_id: facts.venueId,
    venue_name: activity?.venue.name ?? facts.venueId,
    verified_at: new Date(visit.verifiedAtMs).toISOString(),
    verification_method: visit.method,
    check_in_data: { gate: visit.gate, device_id: visit.deviceId },
    user_name: guest.name,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    num_guests: guestsOf(facts),
  };
}

function stateOf({ booking }: BookingView, { clock, signingKeys }: HttpContext): VoucherState {
  if (booking.status === 'cancelled') return { kind: 'cancelled', atMs: Date.parse(booking.cancellation.at) };
  if (booking.status === 'completed') return { kind: 'used', atMs: booking.visit.verifiedAtMs };
  if (clock.nowMs() >= (booking.voucher?.validUntilMs ?? 0)) return { kind: 'expired' };
  return { kind: 'valid', token: voucherToken(booking, signingKeys.current) };
}
