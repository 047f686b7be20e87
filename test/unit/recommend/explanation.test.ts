import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fromColumns, toColumns } from '../../../src/domain/recommendation/ranked.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { type Factors, scoreCenti } from '../../../src/domain/recommendation/score.ts';
import { type ExplainedActivity, explain } from '../../../src/recommend/explanation.ts';
import { activityId, date, served } from '../../support/examples.ts';

const TODAY = date('2026-11-21');
const FACTORS = ['profile', 'groundTruth', 'weather', 'time', 'price'] as const;

function explained(change: Partial<ServedFacts> = {}): readonly ExplainedActivity[] {
  return explain(served(change))?.activities ?? [];
}

/** Whether `one` precedes `other` in a ranking. */
function precedes(one: Pick<ExplainedActivity, 'activityId' | 'factors'>, other: typeof one): boolean {
  const difference = scoreCenti(one.factors) - scoreCenti(other.factors);
  return difference > 0 || (difference === 0 && one.activityId < other.activityId);
}

describe('the explanation of an answer', () => {
  test('has the shown activities in their order, then the next best', () => {
    expect(explained().map(({ activityId: id, place, shown, scoreCenti: score }) => [id, place, shown, score])).toEqual(
      [
        [activityId('bkk-wat-pho-massage'), 1, true, 7_950],
        [activityId('bkk-ocean-world'), 2, true, 6_750],
        [activityId('river-walk'), 3, true, 5_550],
        [activityId('bkk-rooftop'), 4, false, 4_750],
      ],
    );
  });

  test('says whether the answer was reproduced', () => {
    expect(explain(served())?.reproduced).toBe(true);
    expect(explain(served({ digest: '00000000' }))?.reproduced).toBe(false);
    expect(explain(served({ shown: 2 }))?.reproduced).toBe(false);
    expect(explain(served({ model: 'weights-1', digest: null }))?.reproduced).toBeNull();
  });

  test('has the evidence of what was shown', () => {
    expect(explained().map(({ evidence }) => evidence)).toEqual([
      { visited: 31, expected: 12, sameType: true },
      { visited: 1, expected: 2.5, sameType: false },
      { visited: 0, expected: 0, sameType: false },
      null,
    ]);
    expect(explained({ evidence: null }).map(({ evidence }) => evidence)).toEqual([null, null, null, null]);
  });

  test('says which activity exploration lifted, and its place without', () => {
    const [first, second, third = first, ...others] = fromColumns(served().ranked);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('there are four candidates');
    const lifted = { ...third, factors: { ...third.factors, profile: 600, groundTruth: 1_000 } };
    const ranked = toColumns(TODAY, [first, lifted, second, ...others]);
    const learnt = explained({ ranked, lifted: { place: 2, groundTruth: 300 } }).map((each) => each.learnt);
    expect(learnt).toEqual([null, { place: 3, scoreCenti: 5_650, groundTruth: 300 }, null, null]);
  });

  test('has the smallest change of each factor with which the next one comes first', () => {
    const factor = fc.integer({ min: 0, max: 1_000 });
    const factors = fc.record({ profile: factor, groundTruth: factor, weather: factor, time: factor, price: factor });
    fc.assert(
      fc.property(fc.array(factors, { minLength: 2, maxLength: 8 }), (list) => {
        const ranked = list.map((each, index) => ({ activityId: activityId(`a${index}`), date: TODAY, factors: each }));
        const activities = explained({ ranked: toColumns(TODAY, ranked), shown: 2 });
        for (const [index, one] of activities.entries()) {
          const next = activities[index + 1];
          expect(one.next?.activityId).toBe(next?.activityId as never);
          for (const name of FACTORS) {
            if (next !== undefined) expectSmallest(one, next, name);
          }
        }
      }),
    );
  });

  test('is none for another scoring model', () => {
    expect(explain(served({ model: 'weights-0' }))).toBeNull();
  });
});

/** The change brings the next one first, and one thousandth less does not; null if the factor 0 does not either. */
function expectSmallest(one: ExplainedActivity, next: ExplainedActivity, name: keyof Factors): void {
  const change = one.next?.changes[name] ?? null;
  const changed = (by: number) => ({ ...one, factors: { ...one.factors, [name]: one.factors[name] + by } });
  if (change === null) {
    expect(precedes(changed(-one.factors[name]), next)).toBe(true);
    return;
  }
  expect(precedes(next, changed(change))).toBe(true);
  expect(precedes(changed(change + 1), next)).toBe(true);
}
