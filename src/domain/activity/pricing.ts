import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { CancellationPolicy } from './activity.ts';
import type { Currency } from './money.ts';

/** Price per guest, in minor units of the currency; the unit price is before the discount. */
export type Pricing = {
  readonly unitPriceMinor: number;
  /** Per person. */
  readonly discountMinor: number;
  readonly currency: Currency;
};

/** Subtotal, discount and total for a number of guests, in minor units. */
export function amounts(pricing: Pricing, guests: number) {
  const subtotalMinor = pricing.unitPriceMinor * guests;
  const discountMinor = pricing.discountMinor * guests;
  return { subtotalMinor, discountMinor, totalMinor: subtotalMinor - discountMinor };
}

/** Price per guest with a discount in percent of the unit price; 0 for none. */
export function priceOf(
  { unitPriceMinor, currency }: Pick<Pricing, 'unitPriceMinor' | 'currency'>,
  percentOff: number,
): Pricing {
  return { unitPriceMinor, discountMinor: percentOffMinor(unitPriceMinor, percentOff), currency };
}

/**
 * Discount per person in minor units, rounded down, so that no guest pays less than the percentage allows. The price
 * stays above zero while `percentOff` is below 100.
 */
export function percentOffMinor(unitPriceMinor: number, percentOff: number): number {
  // Fast path: most prices have no discount.
  if (percentOff === 0) return 0;
  return Number((BigInt(unitPriceMinor) * BigInt(percentOff)) / 100n);
}

/**
 * Refund of an amount under a cancellation policy at `nowMs`. The part kept is rounded down, in the guest's favour. At
 * the instant when the free period ends, it is over.
 */
export function refundableMinor(
  amountMinor: number,
  { freeUntilHours, percentKept }: CancellationPolicy,
  opensAtMs: number,
  nowMs: number,
): number {
  if (nowMs < freeUntilMs({ freeUntilHours }, opensAtMs)) return amountMinor;
  return amountMinor - Math.floor((amountMinor * percentKept) / 100);
}

/** End of free cancellation, exclusive; ms since the epoch. */
export function freeUntilMs({ freeUntilHours }: Pick<CancellationPolicy, 'freeUntilHours'>, opensAtMs: number): number {
  return opensAtMs - freeUntilHours * HOUR_MS;
}
