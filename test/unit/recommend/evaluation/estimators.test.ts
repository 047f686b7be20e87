import { expect, test } from 'bun:test';
import {
  difference,
  doublyRobust,
  effectiveSample,
  mean,
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

const around = (value: number, standardError: number) => ({
  value: expect.closeTo(value, 10),
  low: expect.closeTo(value - 1.96 * standardError, 10),
  high: expect.closeTo(value + 1.96 * standardError, 10),
});

test('the present mean has the interval of its standard error', () => {
  expect(mean(ROWS)).toEqual(around(2 / 3, Math.sqrt(2 / 3 / 2 / 3)));
});

test('SNIPS is the weighted mean, with the error of a ratio', () => {
  // Errors: 1 * (0 - 0.75) and 3 * (1 - 0.75).
  expect(selfNormalised(ROWS)).toEqual(around(0.75, Math.sqrt(2 * 0.75 ** 2) / 4));
});

test('the doubly robust estimate corrects the prediction by the weighted errors', () => {
  // 0.4, 0.4 - 0.4 and 0.7 + 3 * 0.2.
  const value = (0.4 + 0 + 1.3) / 3;
  const squares = (0.4 - value) ** 2 + value ** 2 + (1.3 - value) ** 2;
  expect(doublyRobust(ROWS)).toEqual(around(value, Math.sqrt(squares / 2 / 3)));
});

test('the difference is taken answer by answer', () => {
  const values = [0.4 - 1, 0, 1.3 - 1];
  const value = -0.1;
  const squares = values.reduce((sum, each) => sum + (each - value) ** 2, 0);
  expect(difference(ROWS)).toEqual(around(value, Math.sqrt(squares / 2 / 3)));
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
