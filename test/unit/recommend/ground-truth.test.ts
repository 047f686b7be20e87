import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { factorOfRatio, groundTruthFactor, USUAL, visitRatio } from '../../../src/recommend/factors/ground-truth.ts';

describe('the ground truth', () => {
  /** Of everybody and of couples. */
  const COUPLES = 1;
  const NOW_ONLY = { recent: 1, lasting: 1 };
  const counted = (visited: readonly number[], expected: readonly number[]) => ({
    recent: { visited, expected },
    lasting: { visited, expected },
  });
  const sums = fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { minLength: 2, maxLength: 2 });
  const raised = (values: readonly number[], indexes: readonly number[]) =>
    values.map((value, index) => (indexes.includes(index) ? value + 1 : value));
  const levels = fc.constantFrom([0], [0, COUPLES]);

  test.each([
    [1, 0.5],
    [2, 8 / 9],
    [0.5, 1 / 9],
  ])('of an activity that is visited %d times as often as expected', (ratio, factor) => {
    expect(factorOfRatio(ratio)).toBeCloseTo(factor, 12);
  });

  test('is 0.5 without evidence', () => {
    expect(factorOfRatio(1)).toBe(USUAL);
    expect(groundTruthFactor(counted([0, 0], [0, 0]), COUPLES, NOW_ONLY)).toBe(USUAL);
    expect(groundTruthFactor(counted([], []), COUPLES, NOW_ONLY)).toBe(USUAL);
  });

  test('assumes the ratio of all travellers for those of the type, and the lasting one for the recent one', () => {
    const all = (6 + 2) / (2 + 2);
    const lasting = { visited: [6, 1], expected: [2, 2] };
    const none = { visited: [0, 0], expected: [0, 0] };
    const lastingOfType = (1 + 2 * all) / (2 + 2);
    expect(visitRatio({ lasting, recent: none }, COUPLES, NOW_ONLY)).toBeCloseTo(lastingOfType, 12);
    const recent = { visited: [9, 4], expected: [9, 1] };
    const ofType = (4 + 2 * lastingOfType) / (1 + 2);
    expect(visitRatio({ lasting, recent }, COUPLES, NOW_ONLY)).toBeCloseTo(ofType, 12);
    const doubled = (values: readonly number[]): number[] => values.map((value) => 2 * value);
    const older = { visited: doubled(lasting.visited), expected: doubled(lasting.expected) };
    const fade = { recent: 1, lasting: 0.5 };
    expect(visitRatio({ lasting: older, recent }, COUPLES, fade)).toBeCloseTo(ofType, 12);
  });

  test('increases with every visit that was not wholly expected', () => {
    fc.assert(
      fc.property(sums, sums, levels, (visited, expected, indexes) => {
        const before = groundTruthFactor(counted(visited, expected), COUPLES, NOW_ONLY);
        expect(groundTruthFactor(counted(raised(visited, indexes), expected), COUPLES, NOW_ONLY)).toBeGreaterThan(
          before,
        );
      }),
    );
  });

  test('never increases with a visit to another activity of the answer, and is in [0,1]', () => {
    fc.assert(
      fc.property(sums, sums, levels, (visited, expected, indexes) => {
        const before = groundTruthFactor(counted(visited, expected), COUPLES, NOW_ONLY);
        expect(before).toBeWithin(0, 1 + Number.EPSILON);
        expect(groundTruthFactor(counted(visited, raised(expected, indexes)), COUPLES, NOW_ONLY)).toBeLessThanOrEqual(
          before,
        );
      }),
    );
  });

  test('weighs a visit by a similar traveller more than another visit', () => {
    const alike = groundTruthFactor(counted([1, 1], [0.3, 0.3]), COUPLES, NOW_ONLY);
    expect(alike).toBeGreaterThan(groundTruthFactor(counted([1, 0], [0.3, 0]), COUPLES, NOW_ONLY));
  });
});
