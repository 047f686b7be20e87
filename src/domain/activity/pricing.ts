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

/** Guests of a booking with the same price per person. */
export type PriceLine = Omit<Pricing, 'currency'> & { readonly guests: number };

/** Price of a booking: per person of its first guests, and what changes of the booking have made of it. */
export type BookingPricing = Pricing & {
  /** All guests in the order in which they were added; only if their prices differ. */
  readonly lines?: readonly PriceLine[];
  /**
   * Part of what was paid that no cancellation by the guest refunds, because it was not refundable at an earlier change;
   * absent if 0. It can exceed the total (docs/decisions/0070).
   */
  readonly retainedMinor?: number;
};

/** The guests in the order in which they were added, by price. */
export function linesOf(pricing: BookingPricing, guests: number): readonly PriceLine[] {
  const { unitPriceMinor, discountMinor } = pricing;
  return pricing.lines ?? [{ guests, unitPriceMinor, discountMinor }];
}

/** Subtotal, discount and total for all guests, in minor units. */
export function amounts(pricing: BookingPricing, guests: number) {
  let subtotalMinor = 0;
  let discountMinor = 0;
  for (const line of linesOf(pricing, guests)) {
    subtotalMinor += line.unitPriceMinor * line.guests;
    discountMinor += line.discountMinor * line.guests;
  }
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
