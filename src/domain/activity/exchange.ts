import type { LocalDate } from './activity.ts';
import { CURRENCY_EXPONENTS, type Currency } from './money.ts';

/** What one US dollar was worth on a day: millionths of each currency's unit (32.4 baht are 32,400,000). All above zero. */
export type ExchangeRates = {
  readonly asOf: LocalDate;
  readonly microUnitsPerUsd: Readonly<Record<Currency, number>>;
};

/**
 * An amount (minor units, from 0 up) in another currency's minor units, rounded down: there and back never gains, and
 * what is left over is less than one minor unit. Within one currency nothing changes.
 *
 * @throws RangeError for an amount that is negative or not whole, or a result beyond what a number holds exactly
 */
export function convertMinor(amountMinor: number, from: Currency, to: Currency, rates: ExchangeRates): number {
  const converted = Number((BigInt(amountMinor) * minorPerUsd(to, rates)) / minorPerUsd(from, rates));
  if (amountMinor < 0 || !Number.isSafeInteger(converted)) {
    throw new RangeError(`${amountMinor} minor units of ${from} cannot be converted to ${to}`);
  }
  return converted;
}

/** Whether a price is at most a maximum in baht. Exact: the two are compared as fractions, and nothing is rounded. */
export function isWithinThb(
  priceMinor: number,
  currency: Currency,
  maximumThbMinor: number,
  rates: ExchangeRates,
): boolean {
  return BigInt(priceMinor) * minorPerUsd('THB', rates) <= BigInt(maximumThbMinor) * minorPerUsd(currency, rates);
}

/** How many units of a currency one US dollar is worth, as a number to be shown: nothing is worked out with it. */
export function unitsPerUsd(currency: Currency, { microUnitsPerUsd }: ExchangeRates): number {
  return microUnitsPerUsd[currency] / 1_000_000;
}

/** Millionths of a minor unit for one US dollar. */
function minorPerUsd(currency: Currency, { microUnitsPerUsd }: ExchangeRates): bigint {
  return BigInt(microUnitsPerUsd[currency]) * 10n ** BigInt(CURRENCY_EXPONENTS[currency]);
}
