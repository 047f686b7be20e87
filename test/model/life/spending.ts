import type { LocalDate } from '../../../src/domain/activity/activity.ts';
import type { ExchangeRates } from '../../../src/domain/activity/exchange.ts';
import { amounts, type Pricing } from '../../../src/domain/activity/pricing.ts';
import { findHold, quotePrice } from '../../../src/domain/allotment/state.ts';
import type { Expense } from '../../../src/domain/booking/reserve-spending.ts';
import { useIn } from '../../../src/domain/spending/decider.ts';
import { spendingIdOf } from '../../../src/domain/spending/spending.ts';
import { holdId, keyId } from '../../support/examples.ts';
import { recountOf } from '../../support/spending.ts';
import { CLAIM_MS, type Offer, schedule } from './offer.ts';
import { place, type System } from './system.ts';

/** The rates of the model; all amounts are in baht. */
const RATES: ExchangeRates = {
  asOf: '2026-12-01' as LocalDate,
  microUnitsPerUsd: { THB: 32_400_000, VND: 1, IDR: 1, MYR: 1, SGD: 1_300_000, USD: 1_000_000 },
};

/** Like a node, reads the limit before the workflow begins; null without a limit. */
export function spendingOf(system: System, quote: Expense) {
  if (system.dayTotal === null) return null;
  const isoNow = new Date(system.nowMs).toISOString();
  const id = spendingIdOf(keyId('key_1'), isoNow);
  const guard = { id, bookingTotal: null, dayTotal: system.dayTotal, rates: RATES, at: isoNow };
  return { guard: { ...guard, deadlineMs: system.nowMs + CLAIM_MS }, quote };
}

/** The expense of a booking at the present price, or at its hold's. */
export function newExpense(
  system: System,
  on: LocalDate,
  { guests, heldBy }: { readonly guests: number; readonly heldBy: string | null },
  offer: Offer,
): Expense {
  const held = heldBy === null ? undefined : findHold(system.allotment(place(on)), holdId(heldBy));
  const pricing = held?.pricing ?? presentPrice(system, on, offer);
  const { totalMinor } = amounts(pricing, guests);
  return { totalMinor, addedMinor: totalMinor, currency: pricing.currency };
}

export function presentPrice(system: System, on: LocalDate, offer: Offer): Pricing {
  return quotePrice(system.allotment(place(on)), schedule(on, offer), { hotelPercentOff: 0, nowMs: system.nowMs });
}

/** The present day in UTC. */
export function dayOf({ nowMs }: System): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** What counts for the limit of a day. */
export function used(system: System, day = dayOf(system)): number {
  return useIn('THB', system.spending(`key_1-${day}`), RATES);
}

/** What the bookings' events say. */
export function recounted(system: System, day = dayOf(system)): number {
  return [...system.streams.booking.values()].reduce((sum, events) => sum + recountOf(events, day), 0);
}

/** Time passes until every deadline, then the reaper and the settlement run to their ends. */
export function settle(system: System): void {
  system.nowMs += CLAIM_MS;
  system.reap();
  system.settle('start');
  system.reap();
}
