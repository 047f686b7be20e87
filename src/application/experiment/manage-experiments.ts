import { encodeBase32 } from '../../domain/base32.ts';
import {
  EXPERIMENTS,
  type Experiment,
  type ExperimentCommand,
  type ExperimentFacts,
  type ExperimentId,
} from '../../domain/experiment/experiment.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const ID_BYTES = 10;
const DECISION_MS = 10_000;

type Context = {
  readonly streams: Pick<Streams, 'experiments'>;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** An experiment after a command. `position` is null if nothing changed. */
export type ChangedExperiment = {
  readonly kind: 'done';
  readonly experiment: Experiment;
  readonly position: Position | null;
};

/** Starts an experiment, unless one runs in its city. */
export function startExperiment(
  wanted: Omit<ExperimentFacts, 'experimentId' | 'by' | 'at'>,
  cause: Cause,
  context: Context,
): Promise<ChangedExperiment | Refused> {
  const experimentId = `exp_${encodeBase32(context.ids.secret(ID_BYTES)).toLowerCase()}` as ExperimentId;
  const facts = { experimentId, ...wanted, by: cause.by, at: cause.at };
  return handleCommand(experimentId, { type: 'StartExperiment', facts }, cause, context);
}

/** Ends an experiment before its stop rule. One that has ended stays as it is. */
export function endExperiment(id: string, cause: Cause, context: Context): Promise<ChangedExperiment | Refused> {
  const experimentId = id as ExperimentId;
  const command = { type: 'EndExperiment', experimentId, why: 'operator', by: cause.by, at: cause.at } as const;
  return handleCommand(experimentId, command, cause, context);
}

/** Reads the experiment from the stream, which contains the changes of all nodes. */
export async function readExperiment(
  id: string,
  { streams, clock }: Pick<Context, 'streams' | 'clock'>,
): Promise<{ readonly kind: 'experiment'; readonly experiment: Experiment } | Refused> {
  const reply = await streams.experiments.read(EXPERIMENTS, clock.nowMs() + DECISION_MS);
  if (reply.kind !== 'state') return noReply(reply);
  const experiment = experimentIn(reply.state.byId, id);
  return experiment === null ? notFound(id) : { kind: 'experiment', experiment };
}

async function handleCommand(
  experimentId: ExperimentId,
  command: ExperimentCommand,
  cause: Cause,
  { streams, clock }: Context,
): Promise<ChangedExperiment | Refused> {
  const reply = await streams.experiments.handle(EXPERIMENTS, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'rejected') {
    const { rejection } = reply;
    return rejection.code === 'EXPERIMENT_RUNNING' ? alreadyRunning(rejection.running) : notFound(experimentId);
  }
  if (reply.kind !== 'accepted') return noReply(reply);
  const experiment = experimentIn(reply.state.byId, experimentId);
  return experiment === null ? notFound(experimentId) : { kind: 'done', experiment, position: reply.position };
}

function experimentIn(byId: Readonly<Record<string, Experiment>>, id: string): Experiment | null {
  return Object.hasOwn(byId, id) ? (byId[id] ?? null) : null;
}

function alreadyRunning({ experimentId, city, stop }: Experiment): Refused {
  const where = city === null ? 'in every city' : `in ${city}`;
  const until = new Date(stop.endsAtMs).toISOString();
  const end = `end it with POST /api/ops/experiments/${experimentId}/end, or wait`;
  return refused(
    'EXPERIMENT_RUNNING',
    `The experiment ${experimentId} runs ${where} until ${until}, and a city has one at a time; ${end}.`,
  );
}

function notFound(id: string): Refused {
  const shown = id.slice(0, 80);
  return refused('NOT_FOUND', `There is no experiment with the id "${shown}"; GET /api/ops/experiments lists them.`);
}
