import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { newLogId, parseLogId } from '../../../src/domain/ids.ts';
import { fromEvidenceDigits, timesAsUsual, toEvidenceDigits } from '../../../src/domain/recommendation/evidence.ts';
import { fromColumns, RANKED_ROW_BYTES, toColumns } from '../../../src/domain/recommendation/ranked.ts';
import {
  learntCandidates,
  type Recommendation,
  type RecommendationCommand,
  type RecommendationEvent,
  rankOf,
  recommendationDecider,
} from '../../../src/domain/recommendation/recommendation.ts';
import { perMille, scoreCenti, WEIGHTS_PERCENT } from '../../../src/domain/recommendation/score.ts';
import { activityId, date, served } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const TODAY = date('2026-11-21');
const factor = fc.integer({ min: 0, max: 1_000 });
const factors = fc.record({ profile: factor, groundTruth: factor, weather: factor, time: factor, price: factor });

describe('a context log', () => {
  test('is written once', () => {
    const command = { type: 'RecordRecommendation', facts: served() } as const;
    const event: RecommendationEvent = { type: 'RecommendationServed', data: served() };
    const before: RecommendationEvent = { type: 'RecommendationServed', data: served({ shown: 2 }) };
    given<RecommendationCommand, Recommendation, RecommendationEvent, never>(recommendationDecider, [])
      .when(command)
      .then([event]);
    given(recommendationDecider, [before]).when(command).thenNothing();
  });

  test('has a rank for shown activities only', () => {
    const ids = ['bkk-wat-pho-massage', 'river-walk', 'bkk-rooftop', 'night-market'].map(activityId);
    expect(ids.map((id) => rankOf(served({ shown: 3 }), id))).toEqual([1, 3, null, null]);
  });

  test('has the ground truth that was learnt of the lifted candidate', () => {
    const learnt = (change: Parameters<typeof served>[0]) =>
      learntCandidates(served(change)).map((each) => each.factors.groundTruth);
    expect(learnt({})).toEqual([500, 500, 500, 500]);
    expect(learnt({ lifted: { place: 2, groundTruth: 130 } })).toEqual([500, 130, 500, 500]);
    expect(learnt({ lifted: { place: 40, groundTruth: 130 } })).toEqual([500, 500, 500, 500]);
  });

  test('has a time-ordered id, and other texts are rejected', () => {
    const random = new Uint8Array([1, 2, 3, 4, 5, 6]);
    const [first, second] = [newLogId('live', 1_000, random), newLogId('live', 2_000, new Uint8Array(6))];
    expect(first < second).toBe(true);
    expect(parseLogId(first)).toBe(first);
    for (const other of [
      '',
      'rec_',
      `bk_${first.slice(4)}`,
      `${first}0`,
      first.toUpperCase(),
      `rec_${'u'.repeat(20)}`,
    ]) {
      expect(parseLogId(other)).toBeNull();
    }
  });
});

describe('a score', () => {
  test('weights the factors as in the specification', () => {
    expect(Object.values(WEIGHTS_PERCENT)).toEqual([30, 25, 20, 15, 10]);
    const none = { profile: 0, groundTruth: 0, weather: 0, time: 0, price: 0 };
    const alone = Object.keys(WEIGHTS_PERCENT).map((name) => scoreCenti({ ...none, [name]: 1_000 }));
    expect(alone).toEqual([3_000, 2_500, 2_000, 1_500, 1_000]);
    expect(scoreCenti(none)).toBe(0);
    expect(scoreCenti({ profile: 333, groundTruth: 500, weather: 667, time: 1, price: 999 })).toBe(4_584);
  });

  test('rounds a half up', () => {
    expect(scoreCenti({ profile: 0, groundTruth: 1, weather: 0, time: 0, price: 0 })).toBe(3);
    expect(scoreCenti({ profile: 0, groundTruth: 0, weather: 0, time: 1, price: 0 })).toBe(2);
  });

  test('uses factors in thousandths within bounds', () => {
    expect([-1, 0, 0.0004, 0.0005, 0.5, 1, 2].map(perMille)).toEqual([0, 0, 0, 1, 500, 1_000, 1_000]);
  });
});

describe('a ranking by columns', () => {
  const candidate = fc.record({
    activityId: fc.string({ minLength: 1, maxLength: 60 }).map(activityId),
    date: fc.integer({ min: 0, max: 9 }).map((days) => addDays(TODAY, days)),
    factors,
  });

  test('converts back to the same ranking', () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 50 }), (ranked) => {
        expect(fromColumns(toColumns(TODAY, ranked))).toEqual(ranked);
      }),
    );
  });

  test('uses RANKED_ROW_BYTES per row', () => {
    const row = { activityId: activityId('river-walk'), date: TODAY };
    const rows = fromColumns(served().ranked).map((known) => ({ ...known, activityId: row.activityId }));
    const bytes = (count: number) => JSON.stringify(toColumns(TODAY, rows.slice(0, count))).length;
    expect(bytes(3) - bytes(2)).toBe(row.activityId.length + RANKED_ROW_BYTES);
  });

  test('covers ten days, not later and not earlier ones', () => {
    const row = { activityId: activityId('a'), factors: { profile: 0, groundTruth: 0, weather: 0, time: 0, price: 0 } };
    expect(() => toColumns(TODAY, [{ ...row, date: addDays(TODAY, 10) }])).toThrow(RangeError);
    expect(() => toColumns(TODAY, [{ ...row, date: addDays(TODAY, -1) }])).toThrow(RangeError);
  });
});

describe('evidence', () => {
  const count = fc.integer({ min: 0, max: 32_767 }).map((tenths) => tenths / 10);
  const evidence = fc.record({ visited: count, expected: count, sameType: fc.boolean() });

  test('in digits converts back to tenths', () => {
    fc.assert(
      fc.property(fc.array(evidence, { maxLength: 20 }), (list) => {
        expect(toEvidenceDigits(list)).toHaveLength(list.length * 7);
        expect(fromEvidenceDigits(toEvidenceDigits(list))).toEqual(list);
      }),
    );
  });

  test('in digits is rounded, and has a maximum', () => {
    const rounded = toEvidenceDigits([{ visited: 1.26, expected: 123_456, sameType: false }]);
    expect(fromEvidenceDigits(rounded)).toEqual([{ visited: 1.3, expected: 3_276.7, sameType: false }]);
  });

  test.each([
    [2, 0, null],
    [3, 0, 2.5],
    [3, 1.4, null],
    [31, 12, 2.5],
    [40, 26, 1.5],
    [39.9, 26, null],
    [900, 1, 10],
  ])('of %d visits where %d are usual is %p times as many', (visited, expected, times) => {
    expect(timesAsUsual({ visited, expected, sameType: true })).toBe(times);
  });
});
