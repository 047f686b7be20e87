import { answersOf } from '../../../projections/experimentanswers/query.ts';
import { openExperiments } from '../../../projections/experiments/query.ts';
import type { Streams } from '../../application/streams.ts';
import { EXPERIMENTS, type Experiment, endingBy, STOP_RULE } from '../../domain/experiment/experiment.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type Running, runLoop } from '../../runtime/running.ts';

/**
 * Maximum delay of an end by the number of answers; those given meanwhile count too. The end of the time is not delayed:
 * assignment goes by the clock.
 */
const INTERVAL_MS = 60_000;
const DECISION_MS = 10_000;

export type EndExperimentsContext = {
  readonly streams: Pick<Streams, 'experiments'>;
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  /** The collection that serves a projection's queries. */
  readonly collection: (projection: string) => Promise<string>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Ends experiments by their stop rules. It has no state: it looks at the time and the read models, and the stream decides
 * again.
 */
export function runEndExperiments(context: EndExperimentsContext): Running {
  return runLoop((stopping) => keepLooking(context, stopping));
}

async function keepLooking(context: EndExperimentsContext, signal: AbortSignal): Promise<void> {
  const { clock, log } = context;
  while (!signal.aborted) {
    try {
      await endDue(context);
    } catch (fault) {
      log.error('stop rules of experiments could not be checked', { retryMs: INTERVAL_MS, fault });
    }
    await clock.until(clock.nowMs() + INTERVAL_MS, signal);
  }
}

async function endDue(context: EndExperimentsContext): Promise<void> {
  const { streams, readModels, collection, clock, ids, log } = context;
  for (const experiment of await openExperiments(readModels, await collection('experiments'))) {
    const nowMs = clock.nowMs();
    if (endingBy(experiment, nowMs) === null && !(await hasItsAnswers(experiment, context))) continue;
    const at = new Date(nowMs).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: STOP_RULE, at };
    const { experimentId } = experiment;
    const command = { type: 'EndExperiment', experimentId, why: 'stop rule', by: STOP_RULE, at } as const;
    const reply = await streams.experiments.handle(EXPERIMENTS, command, cause, nowMs + DECISION_MS);
    if (reply.kind === 'accepted') log.info('experiment ended by its stop rule', { experiment: experimentId });
    else log.warn('experiment not ended by its stop rule', { experiment: experimentId, kind: reply.kind });
  }
}

async function hasItsAnswers(
  { experimentId, arms, stop: { answersPerArm } }: Experiment,
  { readModels, collection }: EndExperimentsContext,
): Promise<boolean> {
  if (answersPerArm === null) return false;
  const ids = arms.map(({ model }) => `${experimentId}/${model.name}`);
  const answers = await answersOf(readModels, await collection('experimentanswers'), ids);
  return answers.every((count) => count >= answersPerArm);
}
