import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { percentOffMinor } from '../../../src/domain/activity/pricing.ts';

const anyPrice = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyPercent = fc.integer({ min: 1, max: 50 });

test.each([
  ['a whole share', 120_000, 10, 12_000],
  ['a share of a satang, rounded down', 12_050, 15, 1_807],
  ['a share just below one more', 199, 50, 99],
  ['less than one minor unit', 9, 10, 0],
  ['dong, which have no smaller unit', 450_005, 15, 67_500],
  ['the greatest price', Number.MAX_SAFE_INTEGER, 50, (Number.MAX_SAFE_INTEGER - 1) / 2],
])('a rate takes off %s: of %p, %p percent are %p', (_, unitPriceMinor, percentOff, discountMinor) => {
  expect(percentOffMinor(unitPriceMinor, percentOff)).toBe(discountMinor);
});

test('a discount is at most its percentage, less than one minor unit below it, and leaves a positive price', () => {
  fc.assert(
    fc.property(anyPrice, anyPercent, (unitPriceMinor, percentOff) => {
      const discountMinor = percentOffMinor(unitPriceMinor, percentOff);
      const lost = BigInt(unitPriceMinor) * BigInt(percentOff) - BigInt(discountMinor) * 100n;
      expect(lost >= 0n && lost < 100n).toBe(true);
      expect(unitPriceMinor - discountMinor).toBeGreaterThan(0);
    }),
  );
});

test('a higher price never has a smaller discount', () => {
  fc.assert(
    fc.property(anyPrice, anyPrice, anyPercent, (one, other, percentOff) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(percentOffMinor(less, percentOff)).toBeLessThanOrEqual(percentOffMinor(more, percentOff));
    }),
  );
});

test('a value that is not an integer is a fault', () => {
  expect(() => percentOffMinor(99.5, 10)).toThrow(RangeError);
  expect(() => percentOffMinor(100, 12.5)).toThrow(RangeError);
});
