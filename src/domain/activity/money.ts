/** Currencies Waymark sells in or converts, with their ISO 4217 exponent. */
export const CURRENCY_EXPONENTS = { THB: 2, VND: 0, IDR: 2, MYR: 2, SGD: 2, USD: 2 } as const;
export type Currency = keyof typeof CURRENCY_EXPONENTS;
export const CURRENCIES: readonly Currency[] = Object.keys(CURRENCY_EXPONENTS) as Currency[];

/**
 * Minor units as the decimal number of the public contract (12050 THB → 120.5). Only for output: one division of two
 * integers, correctly rounded, and nothing is calculated with the result.
 */
export function toDecimal(amountMinor: number, currency: Currency): number {
  return amountMinor / 10 ** CURRENCY_EXPONENTS[currency];
}

/** A decimal number of the currency's own precision as minor units; null where it has more decimals or is not finite. */
export function toMinor(amount: number, currency: Currency): number | null {
  const minor = Math.round(amount * 10 ** CURRENCY_EXPONENTS[currency]);
  return Number.isSafeInteger(minor) && toDecimal(minor, currency) === amount ? minor : null;
}
