import type { HoldView } from '../../application/hold/read-hold.ts';
import { holdStatus } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { presentPricing } from '../booking/present.ts';

/**
 * The hold object of the public contract.
 *
 * @param nowMs ms since the epoch
 */
export function presentHold({ id, facts, hold }: HoldView, nowMs: number) {
  return {
    hold_id: id,
    activity_id: facts.activityId,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    expires_at: new Date(hold.expiresAtMs).toISOString(),
    pricing: presentPricing(hold.pricing, guestsOf(facts)),
    status: holdStatus(hold, nowMs),
  };
}
