import { describe, expect, test } from 'bun:test';
import { concluded } from '../../../src/domain/experiment/conclusion.ts';
import { difference, type Estimate, wilson } from '../../../src/domain/experiment/intervals.ts';

const rounded = (estimate: Estimate | null): readonly number[] =>
  estimate === null ? [] : [estimate.low, estimate.high].map((bound) => Number(bound.toFixed(4)));

describe("the interval of a share is Wilson's", () => {
  /** Newcombe (1998), Interval estimation for the single proportion, table I, method 3. */
  test.each([
    [81, 263, [0.2553, 0.3662]],
    [15, 148, [0.0624, 0.1605]],
    [0, 20, [0, 0.1611]],
    [1, 29, [0.0061, 0.1718]],
  ])('%i of %i', (hits, of, expected) => {
    expect(rounded(wilson({ hits, of }))).toEqual(expected);
    expect(wilson({ hits, of })?.value).toBe(hits / of);
  });

  test('there is none without answers', () => expect(wilson({ hits: 0, of: 0 })).toBeNull());
});

describe("the interval of a difference is Newcombe's", () => {
  /** Newcombe (1998), Interval estimation for the difference between independent proportions, table II, method 10. */
  test.each([
    [{ hits: 48, of: 80 }, { hits: 56, of: 70 }, [0.0524, 0.3339]],
    [{ hits: 3, of: 10 }, { hits: 9, of: 10 }, [0.1705, 0.809]],
    [{ hits: 0, of: 20 }, { hits: 10, of: 10 }, [0.6791, 1]],
    [{ hits: 0, of: 29 }, { hits: 5, of: 56 }, [-0.0381, 0.1926]],
  ])('%p and %p', (first, second, expected) => {
    expect(rounded(difference(first, second))).toEqual(expected);
  });

  test('there is none if an arm has no answers', () => {
    expect(difference({ hits: 0, of: 0 }, { hits: 1, of: 2 })).toBeNull();
    expect(difference({ hits: 1, of: 2 }, { hits: 0, of: 0 })).toBeNull();
  });
});

describe('a conclusion', () => {
  const STOPPED = { why: 'stop rule', by: 'experiments', at: '2026-12-21T03:00:00.000Z' } as const;
  const FIRST = { value: -0.02, low: -0.03, high: -0.01 };
  const SECOND = { value: 0.02, low: 0.01, high: 0.03 };
  const NEITHER = { value: 0.01, low: -0.01, high: 0.03 };

  test.each([FIRST, SECOND, NEITHER, null])('is not drawn before the stop rule is met: %p', (found) => {
    expect(concluded(null, found)).toEqual({ kind: 'running' });
    expect(concluded({ ...STOPPED, why: 'operator' }, found)).toEqual({ kind: 'ended early' });
  });

  test('names an arm only if the interval excludes 0', () => {
    expect(concluded(STOPPED, FIRST)).toEqual({ kind: 'more visits', arm: 0 });
    expect(concluded(STOPPED, SECOND)).toEqual({ kind: 'more visits', arm: 1 });
    expect(concluded(STOPPED, NEITHER)).toEqual({ kind: 'no difference' });
    expect(concluded(STOPPED, null)).toEqual({ kind: 'no answers' });
  });
});
