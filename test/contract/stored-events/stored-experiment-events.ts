import type { ExperimentEvent } from '../../../src/domain/experiment/experiment.ts';
import { experimentId } from '../../support/experiments.ts';

export const STORED_EXPERIMENT_EVENTS = {
  'ExperimentStarted.v1': {
    type: 'ExperimentStarted',
    data: {
      experimentId: experimentId('exp_7k2m0q98b5n7gk2m'),
      name: 'A steeper ground truth',
      city: null,
      arms: [
        { model: { name: 'default', groundTruthPower: 2, explorationPercent: 10 }, sharePercent: 70 },
        { model: { name: 'power-3.5', groundTruthPower: 3.5, explorationPercent: 5 }, sharePercent: 30 },
      ],
      stop: { endsAtMs: 1_797_822_000_000, answersPerArm: 20_000 },
      reason: 'The evaluation expects 4 % more visits.',
      by: 'admin',
      at: '2026-11-21T03:00:00.000Z',
    },
  },
  'ExperimentEnded.v1': {
    type: 'ExperimentEnded',
    data: {
      experimentId: experimentId('exp_7k2m0q98b5n7gk2m'),
      why: 'stop rule',
      by: 'experiments',
      at: '2026-12-12T09:30:00.000Z',
    },
  },
} satisfies Record<string, ExperimentEvent>;
