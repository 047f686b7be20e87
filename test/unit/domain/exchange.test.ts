import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ExchangeRates, highestWithinThb } from '../../../src/domain/activity/exchange.ts';
import { CURRENCIES, CURRENCY_EXPONENTS, type Currency } from '../../../src/domain/activity/money.ts';
import { date } from '../../support/examples.ts';

const RATES: ExchangeRates = {
  asOf: date('2026-11-01'),
  microUnitsPerUsd: {
    THB: 32_400_000,
    VND: 26_350_000_000,
    IDR: 16_650_000_000,
    MYR: 4_120_000,
    SGD: 1_285_000,
    USD: 1_000_000,
  },
};

const anyCurrency = fc.constantFrom(...CURRENCIES);
/** Up to a hundred million units of a currency with two decimals, far above every price. */
const anyMinor = fc.integer({ min: 0, max: 10_000_000_000 });
/** Any rates, plausible or not: the guarantees do not depend on the rates. */
const anyRates: fc.Arbitrary<ExchangeRates> = fc
  .tuple(...CURRENCIES.map(() => fc.integer({ min: 500_000, max: 50_000_000_000 })))
  .map((micros) => {
    const rate = (currency: Currency): number => micros[CURRENCIES.indexOf(currency)] ?? 1;
    const microUnitsPerUsd = {
      THB: rate('THB'),
      VND: rate('VND'),
      IDR: rate('IDR'),
      MYR: rate('MYR'),
      SGD: rate('SGD'),
      USD: rate('USD'),
    };
    return { asOf: date('2026-11-01'), microUnitsPerUsd };
  });

describe('a price is within a maximum in baht', () => {
  test.each([
    ['equal to the price', 95_000, 'THB', 95_000, true],
    ['but not one satang below it', 95_000, 'THB', 94_999, false],
    ['of 324 baht for ten dollars', 1_000, 'USD', 32_400, true],
    ['but not of 323.99', 1_000, 'USD', 32_399, false],
    // 263.5 dong are 0.324 baht: 32 satang buy 260 dong, and not 261, although 261 dong are 32 satang, rounded down.
    ['where a conversion would round it down to the maximum, only if it is so before', 260, 'VND', 32, true],
    ['and not where it is a fraction above', 261, 'VND', 32, false],
    ['up to the largest safe integer', 1, 'SGD', Number.MAX_SAFE_INTEGER, true],
    ['in dong as well', Number.MAX_SAFE_INTEGER, 'VND', Number.MAX_SAFE_INTEGER, true],
  ] as const)('%s', (_, priceMinor, currency, maximumThbMinor, within) => {
    expect(priceMinor <= highestWithinThb(maximumThbMinor, currency, RATES)).toBe(within);
  });

  test('in baht exactly if it is at most the maximum', () => {
    fc.assert(
      fc.property(anyMinor, anyMinor, anyRates, (priceMinor, maximumMinor, rates) => {
        expect(priceMinor <= highestWithinThb(maximumMinor, 'THB', rates)).toBe(priceMinor <= maximumMinor);
      }),
    );
  });

  test('exactly if it is at most the converted maximum', () => {
    fc.assert(
      fc.property(anyMinor, anyMinor, anyCurrency, (priceMinor, maximumMinor, currency) => {
        const minorPerUsd = (of: Currency) => BigInt(RATES.microUnitsPerUsd[of] * 10 ** CURRENCY_EXPONENTS[of]);
        const buys = Number((BigInt(maximumMinor) * minorPerUsd(currency)) / minorPerUsd('THB'));
        expect(priceMinor <= highestWithinThb(maximumMinor, currency, RATES)).toBe(priceMinor <= buys);
      }),
    );
  });
});
