/** Currencies that Waymark sells in or converts, with their ISO 4217 exponents. */
export const CURRENCY_EXPONENTS = { THB: 2, VND: 0, IDR: 2, MYR: 2, SGD: 2, USD: 2 } as const;
export type Currency = keyof typeof CURRENCY_EXPONENTS;
export const CURRENCIES: readonly Currency[] = Object.keys(CURRENCY_EXPONENTS) as Currency[];

/**
 * Minor units as the decimal number of the public contract (12050 THB → 120.5). For output only: one correctly rounded
 * division of two integers; do not calculate with the result.
 */
export function toDecimal(amountMinor: number, currency: Currency): number {
  return amountMinor / 10 ** CURRENCY_EXPONENTS[currency];
}

/** A decimal number as minor units; null if it has more decimals than the currency or is not finite. */
export function toMinor(amount: number, currency: Currency): number | null {
  const minor = Math.round(amount * 10 ** CURRENCY_EXPONENTS[currency]);
  return Number.isSafeInteger(minor) && toDecimal(minor, currency) === amount ? minor : null;
}
