import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { convertMinor, type ExchangeRates, isWithinThb } from '../../../src/domain/activity/exchange.ts';
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

describe('an amount in another currency', () => {
  test.each([
    ['a dollar in baht', 100, 'USD', 'THB', 3_240],
    ['a hundred baht in dollars, rounded down from 3.0864…', 10_000, 'THB', 'USD', 308],
    ['a dollar in dong, which have no smaller unit', 100, 'USD', 'VND', 26_350],
    ['a cent in dong, rounded down from 263.5', 1, 'USD', 'VND', 263],
    ['a dong in satang, rounded down from 0.1229…', 1, 'VND', 'THB', 0],
    ['four hundred and fifty thousand dong in baht, rounded down from 553.3206…', 450_000, 'VND', 'THB', 55_332],
    ['a hundred thousand rupiah in dong, rounded down from 158258.25…', 10_000_000, 'IDR', 'VND', 158_258],
    ['a ringgit in Singapore dollars, rounded down from 0.3118…', 100, 'MYR', 'SGD', 31],
    ['nothing', 0, 'SGD', 'IDR', 0],
  ] as const)('%s', (_, amountMinor, from, to, converted) => {
    expect(convertMinor(amountMinor, from, to, RATES)).toBe(converted);
  });

  test('that is its own is unchanged', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, anyRates, (amountMinor, currency, rates) => {
        expect(convertMinor(amountMinor, currency, currency, rates)).toBe(amountMinor);
      }),
    );
  });

  test('and back is never more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), anyCurrency, anyCurrency, anyRates, (minor, a, b, rates) => {
        expect(convertMinor(convertMinor(minor, a, b, rates), b, a, rates)).toBeLessThanOrEqual(minor);
      }),
    );
  });

  test('through a third one is never more than the direct conversion', () => {
    const anyThree = fc.tuple(anyCurrency, anyCurrency, anyCurrency);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), anyThree, (minor, [a, b, c]) => {
        const around = convertMinor(convertMinor(minor, a, b, RATES), b, c, RATES);
        expect(around).toBeLessThanOrEqual(convertMinor(minor, a, c, RATES));
      }),
    );
  });

  test('never falls when the amount rises', () => {
    fc.assert(
      fc.property(anyMinor, anyMinor, anyCurrency, anyCurrency, (one, other, from, to) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(convertMinor(less, from, to, RATES)).toBeLessThanOrEqual(convertMinor(more, from, to, RATES));
      }),
    );
  });

  test('is the integer part of the exact result', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), anyCurrency, anyCurrency, (minor, from, to) => {
        const units = (currency: Currency) => RATES.microUnitsPerUsd[currency] * 10 ** CURRENCY_EXPONENTS[currency];
        const shown = (minor * units(to)) / units(from);
        expect(Math.abs(convertMinor(minor, from, to, RATES) + 0.5 - shown)).toBeLessThan(0.5 + 1e-3);
      }),
    );
  });

  test.each([
    ['negative', -1, 'THB', 'USD'],
    ['not whole', 0.5, 'THB', 'USD'],
    ['no number', Number.NaN, 'THB', 'USD'],
    ['more than a number holds exactly', Number.MAX_SAFE_INTEGER, 'USD', 'IDR'],
  ] as const)('that is %s is a fault', (_, amountMinor, from, to) => {
    expect(() => convertMinor(amountMinor, from, to, RATES)).toThrow(RangeError);
  });
});

describe('a price is within a maximum in baht', () => {
  test.each([
    ['of its own amount', 95_000, 'THB', 95_000, true],
    ['but not of one satang less', 95_000, 'THB', 94_999, false],
    ['of 324 baht for ten dollars', 1_000, 'USD', 32_400, true],
    ['but not of 323.99', 1_000, 'USD', 32_399, false],
    // 263.5 dong are 0.324 baht: 32 satang buy 260 dong, and not 261, although 261 dong are 32 satang, rounded down.
    ['where a conversion would round it down to the maximum, only if it is so before', 260, 'VND', 32, true],
    ['and not where it is a fraction above', 261, 'VND', 32, false],
    ['as far as numbers go', 1, 'SGD', Number.MAX_SAFE_INTEGER, true],
    ['in dong as well', Number.MAX_SAFE_INTEGER, 'VND', Number.MAX_SAFE_INTEGER, true],
  ] as const)('%s', (_, priceMinor, currency, maximumThbMinor, within) => {
    expect(isWithinThb(priceMinor, currency, maximumThbMinor, RATES)).toBe(within);
  });

  test('in baht exactly if it is at most the maximum', () => {
    fc.assert(
      fc.property(anyMinor, anyMinor, anyRates, (priceMinor, maximumMinor, rates) => {
        expect(isWithinThb(priceMinor, 'THB', maximumMinor, rates)).toBe(priceMinor <= maximumMinor);
      }),
    );
  });

  test('exactly if it is at most the converted maximum', () => {
    fc.assert(
      fc.property(anyMinor, anyMinor, anyCurrency, (priceMinor, maximumMinor, currency) => {
        const buys = convertMinor(maximumMinor, 'THB', currency, RATES);
        expect(isWithinThb(priceMinor, currency, maximumMinor, RATES)).toBe(priceMinor <= buys);
      }),
    );
  });
});
