import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { CityName } from '../activity/cities.ts';
import type { RankingModel } from '../recommendation/ranking-model.ts';

export type ExperimentId = string & { readonly __brand: 'ExperimentId' };

/** One of the two models of an experiment. The model's name names the arm. */
export type Arm = {
  readonly model: RankingModel;
  /** Of the travellers, in percent. */
  readonly sharePercent: number;
};

/** The arm that an answer was ranked for, by the name of its model. */
export type ArmRef = { readonly id: ExperimentId; readonly arm: string };

/** When the experiment ends, whatever its figures are by then: at the time, or earlier with that many answers in each arm. */
export type StopRule = {
  /** Ms since the epoch. */
  readonly endsAtMs: number;
  readonly answersPerArm: number | null;
};

/** The longest time that an experiment runs. */
export const MAX_EXPERIMENT_MS = 180 * DAY_MS;

export type ExperimentFacts = {
  readonly experimentId: ExperimentId;
  readonly name: string;
  /** Null: every city. */
  readonly city: CityName | null;
  readonly arms: readonly [Arm, Arm];
  readonly stop: StopRule;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
};

export type Ending = { readonly why: 'operator' | 'stop rule'; readonly by: string; readonly at: string };

/** These types are the storage format. */
export type ExperimentEvent =
  | { readonly type: 'ExperimentStarted'; readonly data: ExperimentFacts }
  | { readonly type: 'ExperimentEnded'; readonly data: Ending & { readonly experimentId: ExperimentId } };

export type ExperimentCommand =
  | { readonly type: 'StartExperiment'; readonly facts: ExperimentFacts }
  | ({ readonly type: 'EndExperiment'; readonly experimentId: ExperimentId } & Ending);

export type ExperimentRejection =
  | { readonly code: 'EXPERIMENT_NOT_FOUND' }
  | { readonly code: 'EXPERIMENT_RUNNING'; readonly running: Experiment };

/** Null while it runs. */
export type Experiment = ExperimentFacts & { readonly ended: Ending | null };

/** Every experiment, by id: whether one may start depends on all that run, so that they share one stream. */
export type Experiments = { readonly byId: Readonly<Record<string, Experiment>> };

/** The id of their only stream. */
export const EXPERIMENTS = 'all';

/** Who ends an experiment by its stop rule. */
export const STOP_RULE = 'experiments';

export const experimentDecider: Decider<ExperimentCommand, Experiments, ExperimentEvent, ExperimentRejection> = {
  initial: { byId: {} },
  decide(command, { byId }) {
    switch (command.type) {
      case 'StartExperiment': {
        const { facts } = command;
        if (Object.hasOwn(byId, facts.experimentId)) return accept();
        const startMs = Date.parse(facts.at);
        const rivals = Object.values(byId).filter((other) => other.ended === null && sharesCity(other, facts));
        const passed: ExperimentEvent[] = [];
        for (const other of rivals) {
          const ending = endingBy(other, startMs);
          if (ending === null) return reject({ code: 'EXPERIMENT_RUNNING', running: other });
          // The process that ends experiments has not come to it.
          passed.push(endedEvent(other.experimentId, ending));
        }
        return accept<ExperimentEvent>(...passed, { type: 'ExperimentStarted', data: facts });
      }
      case 'EndExperiment': {
        const { type: _, experimentId, ...ending } = command;
        const experiment = Object.hasOwn(byId, experimentId) ? byId[experimentId] : undefined;
        if (experiment === undefined) return reject({ code: 'EXPERIMENT_NOT_FOUND' });
        if (experiment.ended !== null) return accept();
        // An operator who comes after the time ends nothing: the stop rule did.
        return accept(endedEvent(experimentId, endingBy(experiment, Date.parse(ending.at)) ?? ending));
      }
      default:
        return unreachable(command);
    }
  },
  evolve({ byId }, event) {
    const { experimentId } = event.data;
    switch (event.type) {
      case 'ExperimentStarted':
        return { byId: { ...byId, [experimentId]: { ...event.data, ended: null } } };
      case 'ExperimentEnded': {
        const experiment = byId[experimentId];
        if (experiment === undefined) return { byId };
        const { why, by, at } = event.data;
        return { byId: { ...byId, [experimentId]: { ...experiment, ended: { why, by, at } } } };
      }
      default:
        return unreachable(event);
    }
  },
};

export const experimentCodec = codec<ExperimentEvent>('experiment', { ExperimentStarted: [], ExperimentEnded: [] });

/** How it has ended by a time; null while it runs. At the end of its time every node ends it, without an event. */
export function endingBy({ ended, stop }: Pick<Experiment, 'ended' | 'stop'>, nowMs: number): Ending | null {
  if (ended !== null || nowMs < stop.endsAtMs) return ended;
  return { why: 'stop rule', by: STOP_RULE, at: new Date(stop.endsAtMs).toISOString() };
}

function sharesCity(one: Pick<Experiment, 'city'>, other: Pick<Experiment, 'city'>): boolean {
  return one.city === null || other.city === null || one.city === other.city;
}

function endedEvent(experimentId: ExperimentId, ending: Ending): ExperimentEvent {
  return { type: 'ExperimentEnded', data: { experimentId, ...ending } };
}
