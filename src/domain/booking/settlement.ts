import { amounts, type Pricing, refundableMinor } from '../activity/pricing.ts';
import type { Modification } from './commands.ts';
import type { CancellationReason } from './events.ts';
import { guestsOf } from './facts.ts';
import type { ExistingBooking } from './state.ts';

/** Charge or refund of a change, in minor units of the booking's currency; at most one of the two is above zero. */
type Settlement = {
  /** Price per person after the change. */
  readonly pricing: Pricing;
  readonly chargeMinor: number;
  readonly refundMinor: number;
};

/**
 * Charge or refund of a modification at `nowMs` (ms since the epoch). The price per person changes only with the date.
 * A price reduction is refunded by the cancellation policy of the old date. An unconfirmed booking has no charge and no
 * refund.
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
 * Refund of a cancellation at `nowMs` (ms since the epoch), in minor units. A guest's cancellation is refunded by the
 * policy, from the current total; any other reason refunds everything still charged.
 */
export function cancellationRefundMinor(booking: ExistingBooking, reason: CancellationReason, nowMs: number): number {
  const stillCharged = booking.chargedMinor - booking.refundedMinor;
  if (reason !== 'user_requested') return stillCharged;
  const { totalMinor } = amounts(booking.facts.pricing, guestsOf(booking.facts));
  return Math.min(refundableOf(booking, totalMinor, nowMs), stillCharged);
}

function refundableOf({ facts, hours }: ExistingBooking, amountMinor: number, nowMs: number): number {
  // A booking without hours was never confirmed, so nothing was charged.
  return hours === null ? amountMinor : refundableMinor(amountMinor, facts.cancellation, hours.opensAtMs, nowMs);
}
