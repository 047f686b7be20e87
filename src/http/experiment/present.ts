import type { ArmCounts } from '../../../projections/experimentanswers/query.ts';
import { type Conclusion, concluded } from '../../domain/experiment/conclusion.ts';
import { type Experiment, endingBy } from '../../domain/experiment/experiment.ts';
import { difference, type Estimate, type Share, wilson } from '../../domain/experiment/intervals.ts';

export function presentExperiment(experiment: Experiment, nowMs: number) {
  const { experimentId, name, city, arms, stop, reason, at, by } = experiment;
  return {
    id: experimentId,
    name,
    city,
    arms: arms.map(({ model, sharePercent }) => ({
      name: model.name,
      share: sharePercent,
      ground_truth_power: model.groundTruthPower,
      exploration_percent: model.explorationPercent,
    })),
    ends_at: new Date(stop.endsAtMs).toISOString(),
    answers_per_arm: stop.answersPerArm,
    reason,
    started_at: at,
    started_by: by,
    ended: endingBy(experiment, nowMs),
  };
}

export function presentResults(experiment: Experiment, counted: ReadonlyMap<string, ArmCounts>, nowMs: number) {
  const countsOf = (arm: 0 | 1): ArmCounts => counted.get(experiment.arms[arm].model.name) ?? NONE;
  const both = difference(visitedOf(countsOf(0)), visitedOf(countsOf(1)));
  const conclusion = concluded(endingBy(experiment, nowMs), both);
  return {
    ...presentExperiment(experiment, nowMs),
    results: {
      arms: ([0, 1] as const).map((arm) => ({
        name: experiment.arms[arm].model.name,
        ...countsOf(arm),
        visits_per_100_answers: perHundred(wilson(visitedOf(countsOf(arm)))),
      })),
      difference: perHundred(both),
      concluded: conclusion.kind === 'more visits' || conclusion.kind === 'no difference',
      conclusion: sentenceOf(conclusion, experiment),
    },
  };
}

const NONE: ArmCounts = { answers: 0, booked: 0, confirmed: 0, visited: 0 };

function visitedOf({ visited, answers }: ArmCounts): Share {
  return { hits: visited, of: answers };
}

/** Rounded to hundredths. */
function perHundred(estimate: Estimate | null): Estimate | null {
  if (estimate === null) return null;
  const rounded = (share: number): number => Math.round(share * 10_000) / 100;
  return { value: rounded(estimate.value), low: rounded(estimate.low), high: rounded(estimate.high) };
}

function sentenceOf(conclusion: Conclusion, { arms, stop }: Experiment): string {
  switch (conclusion.kind) {
    case 'running': {
      const orEarlier = stop.answersPerArm === null ? '' : `, or until each arm has ${stop.answersPerArm} answers`;
      return `Not concluded: it runs until ${new Date(stop.endsAtMs).toISOString()}${orEarlier}.`;
    }
    case 'ended early':
      return 'Not concluded: the operator ended it before its stop rule was met.';
    case 'no answers':
      return 'Not concluded: an arm has no answers.';
    case 'no difference':
      return 'No difference is shown: its interval contains 0.';
    default:
      return `The answers of ${arms[conclusion.arm].model.name} led to more visits: the interval of the difference excludes 0.`;
  }
}
