import type { Experiment } from '../../src/domain/experiment/experiment.ts';

/** An experiment, and whether an event has ended it. */
export type ExperimentDocument = Experiment & { readonly hasEnded: boolean };
