import type { Experiment, ExperimentFacts, ExperimentId } from '../../src/domain/experiment/experiment.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';

const STARTED_MS = Date.parse('2026-11-21T03:00:00Z');

export const experimentId = (text: string) => text as ExperimentId;

/** The request for an experiment in Bangkok: the present model, and a steeper ground truth. */
export const AN_EXPERIMENT = {
  name: 'A steeper ground truth',
  city: 'Bangkok',
  arms: [
    { name: 'default', share: 50 },
    { name: 'power-4', share: 50, ground_truth_power: 4 },
  ],
  ends_at: '2026-12-21T03:00:00.000Z',
  reason: 'The evaluation expects more visits.',
};

export function experimentFacts(change: Partial<ExperimentFacts> = {}): ExperimentFacts {
  return {
    experimentId: experimentId('exp_1'),
    name: AN_EXPERIMENT.name,
    city: 'Bangkok',
    arms: [
      { model: { name: 'default', groundTruthPower: 3, explorationPercent: 0 }, sharePercent: 50 },
      { model: { name: 'power-4', groundTruthPower: 4, explorationPercent: 0 }, sharePercent: 50 },
    ],
    stop: { endsAtMs: STARTED_MS + 30 * DAY_MS, answersPerArm: null },
    reason: AN_EXPERIMENT.reason,
    by: 'admin',
    at: new Date(STARTED_MS).toISOString(),
    ...change,
  };
}

export function experiment(change: Partial<Experiment> = {}): Experiment {
  return { ...experimentFacts(), ended: null, ...change };
}
