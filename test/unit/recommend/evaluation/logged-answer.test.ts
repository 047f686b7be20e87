import { describe, expect, test } from 'bun:test';
import { firstPlaces, rankedBy } from '../../../../src/recommend/evaluation/ranked-by.ts';
import { couldBeFirst, loggedAnswer, strengthOf } from '../../../../src/recommend/logged-answer.ts';
import { activityId } from '../../../support/examples.ts';
import { BY_GROUND_TRUTH, logged, PRESENT, type Row } from './scene.ts';

const [SPA, ZOO, PIER] = ['spa', 'zoo', 'pier'].map(activityId) as [never, never, never];
/** Scores 65.00, 60.00 and 37.50; with ground truth 1 the zoo has 68.75, the pier 50.00. */
const ROWS: readonly Row[] = [
  ['spa', 1_000, 500],
  ['zoo', 750, 600],
  ['pier', 0, 600],
];

const ids = (ranked: readonly { readonly activityId: string }[]): readonly string[] =>
  ranked.map((each) => each.activityId);

describe('a logged answer', () => {
  test('without exploration could have had only its best activity first', () => {
    const answer = loggedAnswer(logged(ROWS));
    expect(answer).toMatchObject({ shown: [SPA, ZOO, PIER], propensity: 1, explores: false, lifted: null });
    expect([SPA, ZOO, PIER].map((id) => answer !== null && couldBeFirst(answer, id))).toEqual([true, false, false]);
  });

  test('with exploration could have had first what overtakes the best one when it is lifted', () => {
    const answer = loggedAnswer(logged(ROWS, { propensity: 960_000 }));
    expect(answer).toMatchObject({ propensity: 0.96, explores: true, lifted: null });
    expect([SPA, ZOO, PIER].map((id) => answer !== null && couldBeFirst(answer, id))).toEqual([true, true, false]);
  });

  test('is read with the factor that the lifted activity had before', () => {
    const lifted: readonly Row[] = [
      ['zoo', 750, 1_000],
      ['spa', 1_000, 500],
      ['pier', 0, 600],
    ];
    const answer = loggedAnswer(logged(lifted, { propensity: 40_000, lifted: { place: 1, groundTruth: 600 } }));
    expect(answer).toMatchObject({ shown: [ZOO, SPA, PIER], propensity: 0.04, explores: true, lifted: ZOO });
    expect(answer?.ranked).toEqual(loggedAnswer(logged(ROWS))?.ranked ?? []);
  });

  test('of an unknown scoring model is not read', () => {
    expect(loggedAnswer(logged(ROWS, { model: 'weights-99' }))).toBeNull();
  });
});

describe('a model', () => {
  const answer = loggedAnswer(logged(ROWS));
  if (answer === null) throw new Error('the context log was not read');

  test('with the parameters in force ranks as logged', () => {
    expect(rankedBy(PRESENT, answer)).toEqual(answer.ranked);
  });

  test('ranks by its weights, equal scores by id', () => {
    expect(ids(rankedBy(BY_GROUND_TRUTH, answer))).toEqual(['pier', 'zoo', 'spa']);
  });

  test('with another exponent has the ground truth r^power / (r^power + 1)', () => {
    // 0.6 is r = 1.5: with the square 2.25 / 3.25.
    const squared = rankedBy({ ...PRESENT, groundTruthPower: 2 }, answer);
    expect(squared.map(({ factors }) => factors.groundTruth)).toEqual([500, 692, 692]);
  });

  test('that explores shows each rival first with an even share', () => {
    expect(firstPlaces(answer.ranked, 0)).toEqual([{ activityId: SPA, probability: 1 }]);
    expect(firstPlaces(answer.ranked, 0.3)).toEqual([
      { activityId: SPA, probability: 0.9 },
      { activityId: ZOO, probability: 0.3 / 3 },
    ]);
    expect(firstPlaces([], 0.3)).toEqual([]);
  });
});

test('the strength is the visit rate r of the logged factor, between a quarter and four', () => {
  const strength = (groundTruth: number, power: number): number =>
    strengthOf({ profile: 0, groundTruth, weather: 0, time: 0, price: 0 }, power);
  expect([500, 800, 200].map((factor) => strength(factor, 2))).toEqual([1, 2, 0.5]);
  expect([0, 1_000, 750].map((factor) => strength(factor, 1))).toEqual([0.25, 4, 3]);
});
