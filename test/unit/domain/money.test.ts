import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CURRENCY_EXPONENTS, type Currency, toDecimal, toMinor } from '../../../src/domain/activity/money.ts';

const CURRENCIES = Object.keys(CURRENCY_EXPONENTS) as Currency[];
const anyCurrency = fc.constantFrom(...CURRENCIES);
/** Up to 10^13 in a currency with two decimals; above about 3.5 * 10^13 a double is not exact. */
const anyMinor = fc.integer({ min: -1e15, max: 1e15 });

/** The amount as decimal text, made by moving the point, without arithmetic. */
function written(minor: number, currency: Currency): string {
  const decimals = CURRENCY_EXPONENTS[currency];
  const digits = String(Math.abs(minor)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const point = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${minor < 0 ? '-' : ''}${whole}${point}`;
}

test.each([
  [12_050, 'THB', 120.5],
  [1, 'SGD', 0.01],
  [29, 'MYR', 0.29],
  [450_000, 'VND', 450_000],
  [15_000_000, 'IDR', 150_000],
  [-1_999, 'USD', -19.99],
  [0, 'THB', 0],
] as const)('%p minor units of %p are %p', (minor, currency, amount) => {
  expect(toDecimal(minor, currency)).toBe(amount);
  expect(toMinor(amount, currency)).toBe(minor);
});

describe('money is exact', () => {
  test('as output: the number equals its decimal text', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, (minor, currency) => {
        expect(toDecimal(minor, currency)).toBe(Number(written(minor, currency)));
      }),
    );
  });

  test('as output and input: every amount is unchanged', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, (minor, currency) => {
        expect(toMinor(toDecimal(minor, currency), currency)).toBe(minor);
      }),
    );
  });

  test('through JSON text: every amount is unchanged', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, (minor, currency) => {
        const sent = JSON.stringify({ price: toDecimal(minor, currency) });
        expect(toMinor((JSON.parse(sent) as { price: number }).price, currency)).toBe(minor);
      }),
    );
  });
});

describe('toMinor refuses', () => {
  test.each([
    ['a third decimal', 120.505, 'THB'],
    ['a decimal of a currency that has none', 0.5, 'VND'],
    ['a sum that binary arithmetic has blurred', 0.1 + 0.2, 'USD'],
    ['no number', Number.NaN, 'THB'],
    ['infinity', Number.POSITIVE_INFINITY, 'THB'],
    ['less than infinity', Number.NEGATIVE_INFINITY, 'VND'],
    ['more than an integer holds exactly', 2 ** 53, 'VND'],
    ['a number beyond all minor units', 1e300, 'THB'],
  ] as const)('%s: %p %p', (_, amount, currency) => {
    expect(toMinor(amount, currency)).toBeNull();
  });

  test('every amount with one decimal more than the currency has', () => {
    const tooFine = fc.record({ minor: fc.integer({ min: 0, max: 1e9 }), digit: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(tooFine, anyCurrency, ({ minor, digit }, currency) => {
        const point = CURRENCY_EXPONENTS[currency] === 0 ? '.' : '';
        expect(toMinor(Number(`${written(minor, currency)}${point}${digit}`), currency)).toBeNull();
      }),
    );
  });
});
