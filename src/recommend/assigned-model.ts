import type { ExperimentDocument } from '../../projections/experiments/read-model.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { armOf } from '../domain/experiment/assignment.ts';
import { endingBy } from '../domain/experiment/experiment.ts';
import type { RankingModel } from '../domain/recommendation/ranking-model.ts';
import type { ServedFacts } from '../domain/recommendation/recommendation.ts';
import type { RecommendRequest } from './request.ts';

export type ModelContext = {
  /** The model outside experiments. */
  readonly rankingModel: RankingModel;
  /** The view of experiments; its groups are those of `groupOfExperiment`. */
  readonly experiments: { inGroup(group: string): Iterable<ExperimentDocument> };
};

export type AssignedModel = {
  readonly model: RankingModel;
  /** What the context log says of it; undefined outside experiments. */
  readonly experiment: ServedFacts['experiment'];
};

const EVERY_CITY = 'every city';

/** The city of an experiment that runs. An ended one is in none. */
export function groupOfExperiment({ city, hasEnded }: ExperimentDocument): string {
  return hasEnded ? 'ended' : (city ?? EVERY_CITY);
}

/**
 * The model that ranks a request: that of the traveller's arm, if an experiment runs in the city. No request of test mode
 * is part of one. Reads memory only.
 */
export function assignedModel(
  { mode, keyId, profile, place: { city } }: Pick<RecommendRequest, 'mode' | 'keyId' | 'profile' | 'place'>,
  nowMs: number,
  context: ModelContext,
): AssignedModel {
  const running = mode === 'test' ? null : runningIn(city, nowMs, context);
  if (running === null) return { model: context.rankingModel, experiment: undefined };
  const { model } = armOf(running, keyId, profile);
  const { name: arm, groundTruthPower } = model;
  return { model, experiment: { id: running.experimentId, arm, groundTruthPower } };
}

/** At most one runs in a city. */
function runningIn(city: CityName, nowMs: number, { experiments }: ModelContext): ExperimentDocument | null {
  for (const group of [city, EVERY_CITY])
    for (const experiment of experiments.inGroup(group)) if (endingBy(experiment, nowMs) === null) return experiment;
  return null;
}
