import { SeededRandom } from '../../../src/cli/generate/seeded-random.ts';
import type { Estimate } from '../../../src/domain/experiment/intervals.ts';
import { MODEL } from '../../../src/domain/recommendation/score.ts';
import { selfNormalised, weighted } from '../../../src/recommend/evaluation/estimators.ts';
import type { TargetModel } from '../../../src/recommend/evaluation/ranked-by.ts';
import { reportOf } from '../../../src/recommend/evaluation/report.ts';
import { Samples } from '../../../src/recommend/evaluation/samples.ts';
import { loggedAnswer } from '../../../src/recommend/logged-answer.ts';
import { served } from '../../support/examples.ts';
import { LoggingService } from './logging-service.ts';

const WORLD = { activities: 8, contexts: 16, limit: 3, exploration: 0.1 } as const;
/** The exponent of ground truth in the context logs of `served()`. */
const LOGGED_POWER = loggedAnswer(served({ model: MODEL }))?.groundTruthPower ?? 1;

export const MORE_GROUND_TRUTH: TargetModel = {
  name: 'more-ground-truth',
  weights: { profile: 22, groundTruth: 42, weather: 15, time: 11, price: 10 },
  groundTruthPower: LOGGED_POWER,
  exploration: 0,
};
export const STEEPER_GROUND_TRUTH: TargetModel = {
  name: 'steeper-ground-truth',
  weights: { profile: 30, groundTruth: 25, weather: 20, time: 15, price: 10 },
  groundTruthPower: 3 * LOGGED_POWER,
  exploration: 0.1,
};

const nextTurn = (): Promise<void> => Promise.resolve();

/** How many of the concluded runs have an interval that holds the truth. */
export type Coverage = {
  readonly concluded: number;
  readonly snips: number;
  readonly doublyRobust: number;
  /** The same for SNIPS with equal weights for all answers that show the model's first activity. */
  readonly unweighted: number;
};

/** Evaluates the target on the logs of one service per run. */
export async function coverageOf(target: TargetModel, seed: string, runs: number, answers: number): Promise<Coverage> {
  const coverage = { concluded: 0, snips: 0, doublyRobust: 0, unweighted: 0 };
  for (let run = 0; run < runs; run++) {
    const service = new LoggingService(`${seed}/${run}`, WORLD);
    const samples = logged(service, SeededRandom.of(`${seed}/${run}/travellers`), target, answers);
    const { outcome } = await reportOf(samples, nextTurn);
    if (outcome.kind === 'refused') continue;
    const truth = service.visitsPerAnswer(target, LOGGED_POWER);
    coverage.concluded++;
    if (holds(outcome.estimates.snips, truth)) coverage.snips++;
    if (holds(outcome.estimates.doublyRobust, truth)) coverage.doublyRobust++;
    if (holds(await withoutWeights(samples), truth)) coverage.unweighted++;
  }
  return coverage;
}

function logged(service: LoggingService, random: SeededRandom, target: TargetModel, answers: number): Samples {
  const samples = new Samples(target);
  for (let number = 0; number < answers; number++) {
    const { facts, visited } = service.next(random);
    samples.answered(`rec_${number}`, facts);
    if (visited !== null) samples.visited(`rec_${number}`, visited, 1);
  }
  return samples;
}

async function withoutWeights(samples: Samples): Promise<Estimate | null> {
  const answers = samples.all.map((sample, index) => ({ sample, visits: samples.visitsOf(index).length }));
  const rows = await weighted(answers, nextTurn);
  return selfNormalised(rows.map((row) => ({ ...row, weight: row.weight > 0 ? 1 : 0 })));
}

function holds(interval: Estimate | null, truth: number): boolean {
  return interval !== null && interval.low <= truth && truth <= interval.high;
}
