import { amounts, type BookingPricing, type Pricing, refundableMinor } from '../activity/pricing.ts';
import type { Modification } from './commands.ts';
import type { CancellationReason } from './events.ts';
import { guestsOf } from './facts.ts';
import { pricingAfter } from './price-lines.ts';
import type { ExistingBooking } from './state.ts';

/** Charge or refund of a change, in minor units of the booking's currency; at most one of the two is above zero. */
type Settlement = {
  /** Price after the change. */
  readonly pricing: BookingPricing;
  readonly chargeMinor: number;
  readonly refundMinor: number;
};

/**
 * Charge or refund of a modification at `nowMs` (ms since the epoch). A price reduction is refunded by the cancellation
 * policy of the old date. What a cancellation would not refund at that moment is retained from then on, so no later
 * change or cancellation refunds it (docs/decisions/0070). An unconfirmed booking has no charge and no refund.
 *
 * @param price per person of the slots that the modification claims; null if it claims none
 */
export function modificationSettlement(
  booking: ExistingBooking,
  modification: Pick<Modification, 'move' | 'numAdults' | 'numChildren'>,
  price: Pricing | null,
  nowMs: number,
): Settlement {
  const { facts } = booking;
  const [before, guests] = [guestsOf(facts), guestsOf(modification)];
  const moves = modification.move !== null;
  if (!moves && guests === before) return { pricing: facts.pricing, chargeMinor: 0, refundMinor: 0 };
  const pricing = pricingAfter(facts.pricing, before, { guests, moves, price });
  if (booking.status !== 'confirmed') return { pricing, chargeMinor: 0, refundMinor: 0 };
  const refundableNow = guestRefundMinor(booking, nowMs);
  const retainedMinor = paidMinor(booking) - refundableNow;
  const retaining = retainedMinor === 0 ? pricing : { ...pricing, retainedMinor };
  const more = amounts(pricing, guests).totalMinor - amounts(facts.pricing, before).totalMinor;
  if (more >= 0) return { pricing: retaining, chargeMinor: more, refundMinor: 0 };
  const refundMinor = Math.min(byPolicy(booking, -more, nowMs), refundableNow);
  return { pricing: retaining, chargeMinor: 0, refundMinor };
}

/**
 * Refund of a cancellation at `nowMs` (ms since the epoch), in minor units. A guest's cancellation is refunded by the
 * policy, from the current total, and never what is retained; any other reason refunds everything still charged.
 */
export function cancellationRefundMinor(booking: ExistingBooking, reason: CancellationReason, nowMs: number): number {
  return reason === 'user_requested' ? guestRefundMinor(booking, nowMs) : paidMinor(booking);
}

function guestRefundMinor(booking: ExistingBooking, nowMs: number): number {
  const { pricing } = booking.facts;
  const { totalMinor } = amounts(pricing, guestsOf(booking.facts));
  return Math.min(byPolicy(booking, totalMinor, nowMs), paidMinor(booking) - (pricing.retainedMinor ?? 0));
}

/** What is still charged. */
function paidMinor({ chargedMinor, refundedMinor }: ExistingBooking): number {
  return chargedMinor - refundedMinor;
}

function byPolicy({ facts, hours }: ExistingBooking, amountMinor: number, nowMs: number): number {
  // A booking without hours was never confirmed, so nothing was charged.
  return hours === null ? amountMinor : refundableMinor(amountMinor, facts.cancellation, hours.opensAtMs, nowMs);
}
