import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type LogId, newLogId } from '../../../src/domain/ids.ts';
import { MILLION } from '../../../src/domain/recommendation/recommendation.ts';
import { scoreCenti } from '../../../src/domain/recommendation/score.ts';
import { RANDOM_BYTES } from '../../../src/domain/time-ordered-id.ts';
import { type Explored, explorationWeights, explore, exploreAt } from '../../../src/recommend/exploration.ts';
import type { ScoredActivity } from '../../../src/recommend/rank.ts';
import { activityId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { NOW, scoredActivity } from './scored-activity.ts';

const [TEN, HALF] = [10, 50];

type Known = { readonly id: string; readonly profile: number; readonly groundTruth: number; readonly expected: number };

function scored({ id, profile, groundTruth, expected }: Known): ScoredActivity {
  const factors = { profile, groundTruth, weather: 500, time: 500, price: 500 };
  const evidence = { visited: expected, expected, sameType: false };
  return scoredActivity({ factors, scoreCenti: scoreCenti(factors), evidence }, { id: activityId(id) });
}

function bestFirst(known: readonly Known[]): readonly ScoredActivity[] {
  return known
    .map(scored)
    .sort((one, other) => other.scoreCenti - one.scoreCenti || (one.activityId < other.activityId ? -1 : 1));
}

const anyRanking = fc
  .uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', 'c', 'd') }),
      profile: fc.integer({ min: 0, max: 1_000 }),
      groundTruth: fc.integer({ min: 0, max: 1_000 }),
      expected: fc.double({ min: 0, max: 5_000, noNaN: true }),
    }),
    { minLength: 2, maxLength: 50, selector: ({ id }) => id },
  )
  .map(bestFirst);

function logIds(seed: number): () => LogId {
  const ids = seededIds(seed);
  let number = 0;
  return () => newLogId('live', NOW + number++ * 1_000, ids.secret(RANDOM_BYTES));
}

function firstOf({ ranked }: Explored): string {
  return ranked[0]?.activityId ?? '';
}

/** Fifty activities of a city that all but the last knows well: scores from 65 points down to 40. */
const SETTLED = Array.from({ length: 49 }, (_, index) => ({
  id: `known-${`${index}`.padStart(2, '0')}`,
  profile: 1_000 - index * 15,
  groundTruth: 500,
  expected: 5 + index,
}));
const WITH_LATE = bestFirst([...SETTLED, { id: 'late', profile: 600, groundTruth: 500, expected: 0 }]);

describe('the weights of exploration', () => {
  test('are probabilities, none of them 0', () => {
    fc.assert(
      fc.property(anyRanking, (ranked) => {
        const weights = explorationWeights(ranked);
        expect(weights).toHaveLength(ranked.length);
        expect(Math.min(...weights)).toBeGreaterThan(0);
        expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 9);
      }),
    );
  });

  test('fall with the evidence, and with the distance from the best score', () => {
    const alike = { profile: 500, groundTruth: 500 };
    const byEvidence = explorationWeights(
      [40, 4, 0].map((expected) => scored({ id: `a${expected}`, ...alike, expected })),
    );
    expect(byEvidence).toEqual(byEvidence.toSorted((one, other) => one - other));
    const known = { groundTruth: 500, expected: 100 };
    const [first = 0, near = 0, far = 0] = explorationWeights(
      [1_000, 950, 0].map((profile) => scored({ id: `a${profile}`, profile, ...known })),
    );
    expect(first).toBeGreaterThan(near);
    expect(near / far).toBeGreaterThan(1.1);
  });
});

describe('an answer that explores', () => {
  test('ranks one candidate with the ground truth 1, sorted by the scores that it shows', () => {
    fc.assert(
      fc.property(anyRanking, fc.integer({ min: 0, max: MILLION - 1 }), (ranked, draw) => {
        const explored = exploreAt(ranked, HALF, draw);
        const byScore = explored.ranked.toSorted(
          (one, other) => other.scoreCenti - one.scoreCenti || (one.activityId < other.activityId ? -1 : 1),
        );
        expect(explored.ranked).toEqual(byScore);
        expect(explored.ranked.map((each) => each.scoreCenti)).toEqual(
          explored.ranked.map(({ factors }) => scoreCenti(factors)),
        );
        const { lifted } = explored;
        const learnt = explored.ranked.map((each, index) => {
          if (index + 1 !== lifted?.place) return each;
          expect([each.factors.groundTruth, each.learntGroundTruth]).toEqual([1_000, lifted.groundTruth]);
          const factors = { ...each.factors, groundTruth: lifted.groundTruth };
          return { ...each, factors, scoreCenti: scoreCenti(factors) };
        });
        const before = new Map(ranked.map((each) => [each.activityId, each]));
        expect(learnt).toEqual(learnt.map((each) => before.get(each.activityId) ?? each));
      }),
    );
  });

  test('has the logged propensity as the frequency of its first place, over 40,000 log ids', () => {
    const answers = 40_000;
    const ranked = bestFirst(SETTLED.slice(0, 12).map((each, index) => ({ ...each, expected: index * 3 })));
    const [nextId, seen] = [logIds(20), new Map<string, { count: number; propensity: number }>()];
    for (let answer = 0; answer < answers; answer++) {
      const explored = explore(ranked, nextId(), HALF);
      const before = seen.get(firstOf(explored)) ?? { count: 0, propensity: explored.propensity };
      expect(explored.propensity).toBe(before.propensity);
      seen.set(firstOf(explored), { ...before, count: before.count + 1 });
    }
    expect(seen.size).toBeGreaterThan(6);
    for (const { count, propensity } of seen.values()) {
      const probability = propensity / MILLION;
      const deviation = Math.sqrt(answers * probability * (1 - probability));
      expect(Math.abs(count - answers * probability)).toBeLessThan(4 * deviation + 1);
    }
  });

  test('has propensities of its possible first places that sum to 1', () => {
    fc.assert(
      fc.property(anyRanking, fc.integer({ min: 1, max: 50 }), (ranked, percent) => {
        const propensities = new Map<string, number>();
        let draw = 0;
        for (const weight of [...explorationWeights(ranked), 0]) {
          const explored = exploreAt(ranked, percent, draw);
          const known = propensities.get(firstOf(explored)) ?? explored.propensity;
          expect(explored.propensity).toBe(known);
          // A share below a millionth is never drawn; the draw is then that of the next one.
          propensities.set(firstOf(explored), known);
          draw += Math.floor((weight * percent * MILLION) / 100);
        }
        expect([...propensities.values()].reduce((sum, each) => sum + each)).toBe(MILLION);
      }),
    );
  });

  test('lifts an activity that came late within its first 200 answers, in each of 5,000 cities', () => {
    const nextId = logIds(21);
    const waited = Array.from({ length: 5_000 }, () => {
      for (let answer = 1; answer <= 200; answer++) {
        const { ranked, lifted } = explore(WITH_LATE, nextId(), TEN);
        if (lifted !== null && ranked[lifted.place - 1]?.activityId === activityId('late')) return answer;
      }
      return null;
    });
    expect(waited.filter((answers) => answers === null)).toEqual([]);
    const weight = explorationWeights(WITH_LATE)[WITH_LATE.findIndex(({ evidence }) => evidence.expected === 0)] ?? 0;
    expect(1 - (1 - (weight * TEN) / 100) ** 200).toBeGreaterThan(0.999);
  });

  test('leaves each candidate within two points of the best one a propensity of a thousandth, also beside a late one', () => {
    const near = Array.from({ length: 4 }, (_, index) => ({
      id: `near-${index}`,
      profile: 1_000 - index * 20,
      groundTruth: 500,
      expected: 200,
    }));
    const ranked = bestFirst([...near, { id: 'late', profile: 600, groundTruth: 500, expected: 0 }]);
    const weights = explorationWeights(ranked).slice(0, near.length);
    expect(Math.min(...weights) * (TEN / 100)).toBeGreaterThan(0.001);
  });
});

describe('nothing is explored', () => {
  const nextId = logIds(22);
  const many = Array.from({ length: 300 }, () => nextId());
  const untouched = { ranked: WITH_LATE, propensity: MILLION, lifted: null };

  test('for a key or an installation without exploration', () => {
    for (const id of many) expect(explore(WITH_LATE, id, 0)).toEqual(untouched);
  });

  test('for a test key', () => {
    for (const id of many)
      expect(explore(WITH_LATE, id.replace('rec_', 'rec_test_') as LogId, HALF)).toEqual(untouched);
  });

  test('without a second candidate', () => {
    const [only] = WITH_LATE;
    if (only === undefined) throw new Error('there is no candidate');
    for (const id of many)
      expect(explore([only], id, HALF)).toEqual({ ranked: [only], propensity: MILLION, lifted: null });
  });
});

test('the same log id explores in the same way', () => {
  const id = logIds(23)();
  expect(explore(WITH_LATE, id, HALF)).toEqual(explore(WITH_LATE, id, HALF));
});
