import type { LocalDate } from './activity.ts';
import { CURRENCY_EXPONENTS, type Currency } from './money.ts';

/**
 * Exchange rates of a day: millionths of each currency's unit per US dollar (32.4 baht are 32,400,000). All positive.
 */
export type ExchangeRates = {
  readonly asOf: LocalDate;
  readonly microUnitsPerUsd: Readonly<Record<Currency, number>>;
};

/**
 * The highest price in minor units of a currency that is at most a maximum in baht. Exact: a whole price is at most the
 * rounded-down quotient if and only if it is at most the quotient.
 */
export function highestWithinThb(maximumThbMinor: number, currency: Currency, rates: ExchangeRates): number {
  return Number((BigInt(maximumThbMinor) * minorPerUsd(currency, rates)) / minorPerUsd('THB', rates));
}

/** An amount in minor units of another currency, rounded up. Exact: no rate is rounded. */
export function convertUp(
  { amountMinor, currency }: { readonly amountMinor: number; readonly currency: Currency },
  to: Currency,
  rates: ExchangeRates,
): number {
  if (currency === to) return amountMinor;
  const divisor = minorPerUsd(currency, rates);
  return Number((BigInt(amountMinor) * minorPerUsd(to, rates) + divisor - 1n) / divisor);
}

/** Units of a currency per US dollar; for display only, not for calculations. */
export function unitsPerUsd(currency: Currency, { microUnitsPerUsd }: ExchangeRates): number {
  return microUnitsPerUsd[currency] / 1_000_000;
}

/** Millionths of a minor unit per US dollar. */
function minorPerUsd(currency: Currency, { microUnitsPerUsd }: ExchangeRates): bigint {
  return BigInt(microUnitsPerUsd[currency]) * 10n ** BigInt(CURRENCY_EXPONENTS[currency]);
}
