import { amounts, type Pricing, refundableMinor } from '../activity/pricing.ts';
import { type CancellationReason, type ExistingBooking, guestsOf, type Modification } from './booking.ts';

/** What a change costs or gives back, in minor units of the booking's currency; at most one of the two is above zero. */
export type Settlement = {
  /** Per person, from then on. */
  readonly pricing: Pricing;
  readonly chargeMinor: number;
  readonly refundMinor: number;
};

/**
 * What a modification at a moment (ms since the epoch) comes to. The price per person stays while the date does; another
 * date has its own. What becomes cheaper is given back by the policy of the date that is left; before a booking is
 * confirmed nothing was charged, so nothing is.
 */
export function modificationSettlement(
  booking: ExistingBooking,
  modification: Pick<Modification, 'move' | 'numAdults' | 'numChildren'>,
  nowMs: number,
): Settlement {
  const { facts } = booking;
  const pricing = modification.move?.pricing ?? facts.pricing;
  if (booking.status !== 'confirmed') return { pricing, chargeMinor: 0, refundMinor: 0 };
  const before = amounts(facts.pricing, guestsOf(facts)).totalMinor;
  const more = amounts(pricing, guestsOf(modification)).totalMinor - before;
  if (more >= 0) return { pricing, chargeMinor: more, refundMinor: 0 };
  return { pricing, chargeMinor: 0, refundMinor: refundableOf(booking, -more, nowMs) };
}

/**
 * What a cancellation at a moment (ms since the epoch) gives back, in minor units. Guests who no longer want to come are
 * refunded by the policy, for what is booked now; everybody else gets back all that is still charged.
 */
export function cancellationRefundMinor(booking: ExistingBooking, reason: CancellationReason, nowMs: number): number {
  const stillCharged = booking.chargedMinor - booking.refundedMinor;
  if (reason !== 'user_requested') return stillCharged;
  const { totalMinor } = amounts(booking.facts.pricing, guestsOf(booking.facts));
  return Math.min(refundableOf(booking, totalMinor, nowMs), stillCharged);
}

function refundableOf({ facts, hours }: ExistingBooking, amountMinor: number, nowMs: number): number {
  // A booking whose hours nobody noted was never confirmed, and nothing of it was charged.
  return hours === null ? amountMinor : refundableMinor(amountMinor, facts.cancellation, hours.opensAtMs, nowMs);
}
