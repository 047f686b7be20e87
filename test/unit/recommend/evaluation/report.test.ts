import { describe, expect, test } from 'bun:test';
import { SeededRandom } from '../../../../src/cli/generate/seeded-random.ts';
import { placeCurve } from '../../../../src/recommend/evaluation/place-curve.ts';
import type { TargetModel } from '../../../../src/recommend/evaluation/ranked-by.ts';
import { type Report, reportOf as reportIn } from '../../../../src/recommend/evaluation/report.ts';
import { Samples } from '../../../../src/recommend/evaluation/samples.ts';
import { activityId } from '../../../support/examples.ts';
import { BY_GROUND_TRUTH, type Explored, logged, PRESENT, type Row } from './scene.ts';

/** The spa is first; with ground truth 1 the zoo is. */
const ROWS: readonly Row[] = [
  ['spa', 1_000, 500],
  ['zoo', 750, 600],
];
const SPA_ID = activityId('spa');
const ZOO_ID = activityId('zoo');
const EXPLORING: Explored = { propensity: 950_000 };
const LIFTED: Explored = { propensity: 50_000, lifted: { place: 1, groundTruth: 600 } };
const LIFTED_ROWS: readonly Row[] = [
  ['zoo', 750, 1_000],
  ['spa', 1_000, 500],
];

/** So many answers of each kind; every fifth leads to a visit of the spa, each one that shows the zoo first to one of the zoo. */
function samplesOf(target: TargetModel, plain: number, explored: number, lifted: number): Samples {
  const samples = new Samples(target);
  for (let number = 0; number < plain + explored; number++) {
    samples.answered(`rec_${number}`, logged(ROWS, number < plain ? {} : EXPLORING));
    if (number % 5 === 0) samples.visited(`rec_${number}`, SPA_ID, 1);
  }
  for (let number = 0; number < lifted; number++) {
    samples.answered(`rec_lifted_${number}`, logged(LIFTED_ROWS, LIFTED));
    samples.visited(`rec_lifted_${number}`, ZOO_ID, 1);
  }
  return samples;
}

const nextTurn = (): Promise<void> => Promise.resolve();
const reportOf = (samples: Samples): Promise<Report> => reportIn(samples, nextTurn);

async function reasonsFor(samples: Samples): Promise<readonly string[]> {
  const { outcome } = await reportOf(samples);
  return outcome.kind === 'refused' ? outcome.reasons : [];
}

describe('a conclusion', () => {
  test('that the model has more visits needs answers that show its first activity', async () => {
    const report = await reportOf(samplesOf(BY_GROUND_TRUTH, 0, 5_700, 300));
    expect(report).toMatchObject({ differing: 6_000, differingExplored: 6_000, overlap: 1, effectiveSample: 300 });
    expect(report.outcome).toMatchObject({ kind: 'concluded', conclusion: 'more_visits' });
    // All answers with the zoo first led to a visit.
    expect(report.outcome).toMatchObject({ estimates: { snips: { value: 1 } } });
    expect(report.moves).toEqual([
      { activityId: SPA_ID, answers: 6_000, meanPlaceChange: 1 },
      { activityId: ZOO_ID, answers: 6_000, meanPlaceChange: -1 },
    ]);
  });

  test('of the present parameters is that no difference is shown', async () => {
    const report = await reportOf(samplesOf(PRESENT, 0, 5_700, 300));
    expect(report).toMatchObject({ differing: 0, overlap: 1, moves: [] });
    expect(report.outcome.kind).toBe('concluded');
  });

  test('is refused without an answer', async () => {
    expect(await reasonsFor(new Samples(PRESENT))).toEqual(['There is no logged answer in the span.']);
  });

  test('is refused without a visit', async () => {
    const samples = new Samples(PRESENT);
    for (let number = 0; number < 300; number++) samples.answered(`rec_${number}`, logged(ROWS));
    expect(await reasonsFor(samples)).toEqual(['No logged answer led to a verified visit that counts.']);
  });

  test('is refused if the logs did not explore where the model differs', async () => {
    expect(await reasonsFor(samplesOf(BY_GROUND_TRUTH, 1_000, 0, 0))).toEqual([
      'The model shows another activity first in 1000 answers, and the logs explored in none of them: nothing is known of what it would show.',
      "100.0 % of the model's first places were never possible in the logged answers; at most 5.0 % may be. Try a model that is nearer to the present one.",
      'The effective sample is 0 answers; a conclusion needs 200. Take a longer span, or explore more.',
    ]);
  });

  test('is refused if more than a twentieth of the first places has no support', async () => {
    const enough = await reportOf(samplesOf(BY_GROUND_TRUTH, 300, 5_400, 300));
    expect([enough.overlap, enough.outcome.kind]).toEqual([0.95, 'concluded']);
    expect(await reasonsFor(samplesOf(BY_GROUND_TRUTH, 301, 5_399, 300))).toEqual([
      "5.0 % of the model's first places were never possible in the logged answers; at most 5.0 % may be. Try a model that is nearer to the present one.",
    ]);
  });

  test('is refused below an effective sample of 200', async () => {
    expect((await reportOf(samplesOf(BY_GROUND_TRUTH, 0, 3_800, 200))).outcome.kind).toBe('concluded');
    expect(await reasonsFor(samplesOf(BY_GROUND_TRUTH, 0, 3_800, 199))).toEqual([
      'The effective sample is 199 answers; a conclusion needs 200. Take a longer span, or explore more.',
    ]);
  });
});

describe('visits', () => {
  test('count once per answer and activity, while one of them stands', async () => {
    const samples = new Samples(PRESENT);
    samples.answered('rec_1', logged(ROWS));
    for (const step of [1, 1, -1] as const) samples.visited('rec_1', SPA_ID, step);
    expect(samples.visitsOf(0)).toHaveLength(1);
    samples.visited('rec_1', SPA_ID, -1);
    expect(samples.visitsOf(0)).toEqual([]);
  });

  test('of what the answer did not show, or of another answer, do not count', async () => {
    const samples = new Samples(PRESENT);
    samples.answered('rec_1', logged(ROWS, { shown: 1 }));
    samples.visited('rec_1', ZOO_ID, 1);
    samples.visited('rec_2', SPA_ID, 1);
    expect(samples.visitsOf(0)).toEqual([]);
  });

  test('rank the two orders by NDCG@10', async () => {
    const samples = new Samples(BY_GROUND_TRUTH);
    samples.answered('rec_1', logged(ROWS));
    samples.visited('rec_1', ZOO_ID, 1);
    expect((await reportOf(samples)).ndcg).toEqual({ now: expect.closeTo(1 / Math.log2(3), 10), target: 1 });
  });
});

const SEED = 'places';

test(`the place curve of choices from seed "${SEED}" is found again, whatever the strengths of the places are`, async () => {
  const random = SeededRandom.of(SEED);
  const curve = [1, 0.5, 0.25];
  const samples = new Samples(PRESENT);
  const ids = ['a', 'b', 'c'].map(activityId);
  for (let number = 0; number < 20_000; number++) {
    // The logged factor f is r / (r + 1): strengths from 0.25 to 4, the stronger ones mostly first.
    const factors = [600 + random.below(200), 400 + random.below(300), 250 + random.below(300)];
    const rows = factors.map((factor, at): Row => [ids[at] ?? '', 1_000 - 200 * at, factor]);
    samples.answered(`rec_${number}`, logged(rows));
    const weights = factors.map((factor, at) => ((curve[at] ?? 0) * factor) / (1_000 - factor));
    let draw = random.fraction() * weights.reduce((sum, weight) => sum + weight, 0);
    const chosen = weights.findIndex((weight) => (draw -= weight) < 0);
    samples.visited(`rec_${number}`, ids[chosen] ?? activityId(''), 1);
  }
  const places = await placeCurve(samples, nextTurn);
  expect(places.map(({ place, answers }) => [place, answers])).toEqual([1, 2, 3].map((place) => [place, 20_000]));
  expect(places.map(({ visits }) => visits).reduce((sum, visits) => sum + visits, 0)).toBe(20_000);
  for (const [at, weight] of curve.entries()) expect(places[at]?.estimated ?? 0).toBeCloseTo(weight, 1);
  expect(places.map(({ inForce }) => inForce)).toEqual([1, 2 ** -0.7, 3 ** -0.7]);
});
