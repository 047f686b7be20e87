import { expect, test } from 'bun:test';
import { GROUND_TRUTH_POWER, withPower } from '../../../src/domain/recommendation/ranking-model.ts';

/** The factor of a visit ratio, in thousandths. */
const factorOf = (ratio: number, power: number): number => Math.round((ratio ** power / (ratio ** power + 1)) * 1_000);

test('a factor under the default power stays, to the last digit', () => {
  for (let factor = 0; factor <= 1_000; factor++) expect(withPower(factor, GROUND_TRUTH_POWER)).toBe(factor);
});

test.each([0.5, 1, 2, 4])('a factor under the power %d is that of the same visit ratio', (power) => {
  for (const ratio of [0.25, 0.5, 1, 2, 3]) {
    // The factor is rounded to thousandths before the power.
    expect(
      Math.abs(withPower(factorOf(ratio, GROUND_TRUTH_POWER), power) - factorOf(ratio, power)),
    ).toBeLessThanOrEqual(power + 1);
  }
  expect([0, 500, 1_000].map((factor) => withPower(factor, power))).toEqual([0, 500, 1_000]);
});

test.each([0.25, 1, 3, 8])('the power %d changes no order of two factors', (power) => {
  for (let factor = 0; factor < 1_000; factor++)
    expect(withPower(factor + 1, power)).toBeGreaterThanOrEqual(withPower(factor, power));
});
