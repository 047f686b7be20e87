import { expect, test } from 'bun:test';
import {
  difference,
  doublyRobust,
  effectiveSample,
  mean,
  quantile,
  selfNormalised,
  type Weighted,
} from '../../../../src/recommend/evaluation/estimators.ts';

const ROW: Weighted = { weight: 1, visits: 0, predicted: 0.5, expected: 0.5, unsupported: 0 };

/** Weights 0, 1 and 3: the target prefers what the third answer shows. */
const ROWS: readonly Weighted[] = [
  { ...ROW, weight: 0, visits: 1, predicted: 0.6, expected: 0.4 },
  { ...ROW, weight: 1, visits: 0, predicted: 0.4, expected: 0.4 },
  { ...ROW, weight: 3, visits: 1, predicted: 0.8, expected: 0.7 },
];

/** The interval of a sum with these deviations, divided by `by`. */
function around(value: number, deviations: readonly number[], by: number) {
  const power = (exponent: number): number => deviations.reduce((sum, each) => sum + Math.abs(each) ** exponent, 0);
  const half = (quantile(power(2) ** 2 / power(4)) * Math.sqrt(power(2))) / by;
  const [low, high] = [value - half, value + half];
  return { value: expect.closeTo(value, 10), low: expect.closeTo(low, 10), high: expect.closeTo(high, 10) };
}

/** The divisor of a mean of three, whose variance is estimated from the same values. */
const OF_THREE = 3 * Math.sqrt(2 / 3);

test.each([
  [100, 1.984],
  [10, 2.228],
  [30, 2.042],
  [1e9, 1.96],
])('the quantile of t with %d degrees of freedom is %d', (degrees, expected) => {
  expect(quantile(degrees)).toBeCloseTo(expected, 2);
});

test('the present mean has the interval of its standard error', () => {
  expect(mean(ROWS)).toEqual(around(2 / 3, [1 / 3, -2 / 3, 1 / 3], OF_THREE));
});

test('SNIPS is the weighted mean, with the error of a ratio', () => {
  // Errors: 1 * (0 - 0.75) and 3 * (1 - 0.75).
  expect(selfNormalised(ROWS)).toEqual(around(0.75, [0, -0.75, 0.75], 4));
});

test('the doubly robust estimate corrects the prediction by the weighted errors', () => {
  // 0.4, 0.4 - 0.4 and 0.7 + 3 * 0.2.
  const value = (0.4 + 0 + 1.3) / 3;
  const deviations = [0.4 - value, -value, 1.3 - value];
  expect(doublyRobust(ROWS)).toEqual(around(value, deviations, OF_THREE));
});

test('the difference is taken answer by answer', () => {
  const deviations = [0.4 - 1, 0, 1.3 - 1].map((each) => each + 0.1);
  expect(difference(ROWS)).toEqual(around(-0.1, deviations, OF_THREE));
});

test('first places without support make the interval wider by their share of the visits', () => {
  const known = doublyRobust(ROWS);
  const unknown = doublyRobust(ROWS.map((row) => ({ ...row, unsupported: 0.3 })));
  expect(unknown).toEqual({
    value: known.value,
    low: expect.closeTo(known.low - 0.2, 10),
    high: expect.closeTo(known.high + 0.2, 10),
  });
});

test('equal weights count every answer, one large weight counts one', () => {
  expect(effectiveSample(Array.from({ length: 7 }, () => ROW))).toBe(7);
  expect(effectiveSample([...ROWS, { ...ROW, weight: 1e9 }])).toBeCloseTo(1, 5);
  expect(effectiveSample([{ ...ROW, weight: 0 }])).toBe(0);
  expect(selfNormalised([{ ...ROW, weight: 0 }])).toBeNull();
});
