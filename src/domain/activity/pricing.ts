import type { CancellationPolicy } from './activity.ts';
import type { Currency } from './money.ts';

/** What one guest pays. Amounts in minor units of the currency; the unit price is the one before the discount. */
export type Pricing = {
  readonly unitPriceMinor: number;
  /** Per person. */
  readonly discountMinor: number;
  readonly currency: Currency;
};

/** All amounts of a price for so many guests, in minor units. */
export function amounts(pricing: Pricing, guests: number) {
  const subtotalMinor = pricing.unitPriceMinor * guests;
  const discountMinor = pricing.discountMinor * guests;
  return { subtotalMinor, discountMinor, totalMinor: subtotalMinor - discountMinor };
}

/** What one guest pays for whom so much is taken off the unit price, in percent; 0 for nobody. */
export function priceOf(
  { unitPriceMinor, currency }: Pick<Pricing, 'unitPriceMinor' | 'currency'>,
  percentOff: number,
): Pricing {
  return { unitPriceMinor, discountMinor: percentOffMinor(unitPriceMinor, percentOff), currency };
}

/**
 * What a percentage takes off a price per person, in minor units of its currency: rounded down, so that no guest pays less
 * than the percentage says. The price stays above zero as long as `percentOff` is below 100.
 */
export function percentOffMinor(unitPriceMinor: number, percentOff: number): number {
  // Nearly every price is asked for without a discount.
  if (percentOff === 0) return 0;
  return Number((BigInt(unitPriceMinor) * BigInt(percentOff)) / 100n);
}

/**
 * How much of an amount is given back by the policy to those who no longer want it at a moment. What is kept is rounded
 * down, in the guest's favour. Free until the hours before opening have begun: at that very instant it is too late.
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

/** Until when giving back costs nothing; ms since the epoch. */
export function freeUntilMs({ freeUntilHours }: Pick<CancellationPolicy, 'freeUntilHours'>, opensAtMs: number): number {
  return opensAtMs - freeUntilHours * 3_600_000;
}
