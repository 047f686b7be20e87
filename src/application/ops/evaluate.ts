import { setImmediate as nextTurn } from 'node:timers/promises';
import { START } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TargetModel } from '../../recommend/evaluation/ranked-by.ts';
import { type Report, reportOf } from '../../recommend/evaluation/report.ts';
import { pause } from '../../runtime/running.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';
import { type Collecting, collectSamples, type ReadProgress, type Span } from './collect-samples.ts';

export type EvaluationRequest = Span & { readonly model: TargetModel };

type Context = { readonly store: Collecting['store']; readonly clock: Clock; readonly maxAnswers?: number };

/** Bounds the memory: about 100 MB. */
const MAX_ANSWERS = 50_000;

type Outcome = { readonly kind: 'report'; readonly report: Report } | Refused;
export type EvaluationState = Outcome | { readonly kind: 'running'; readonly progress: ReadProgress };

/** The evaluations of this node, one at a time. */
export type Evaluations = {
  /** Starts the evaluation, or joins the same one. Answers after a second, or with the report. */
  evaluate(request: EvaluationRequest): Promise<EvaluationState>;
  stop(): Promise<void>;
};

const WAIT_MS = 1_000;
/** An evaluation that nobody asks for ends, and a report that nobody asks for is dropped. */
const UNASKED_MS = 60_000;
const BUSY_RETRY_S = 10;

type Run = {
  readonly key: string;
  readonly outcome: Promise<Outcome>;
  readonly end: AbortController;
  progress: ReadProgress;
  askedMs: number;
  running: boolean;
};

export function createEvaluations({ store, clock, maxAnswers = MAX_ANSWERS }: Context): Evaluations {
  let current: Run | null = null;
  const isUnasked = (run: Run): boolean => clock.nowMs() - run.askedMs > UNASKED_MS;

  function start(key: string, request: EvaluationRequest): Run {
    const end = new AbortController();
    const report = (progress: ReadProgress): void => {
      run.progress = progress;
      if (isUnasked(run)) end.abort();
    };
    const run: Run = {
      key,
      outcome: outcomeOf(request, { maxAnswers, store, signal: end.signal, report }).finally(() => {
        run.running = false;
      }),
      end,
      progress: { events: 0, answers: 0, position: START, head: START },
      askedMs: clock.nowMs(),
      running: true,
    };
    const forget = (): void => {
      if (current === run) current = null;
    };
    // The requests that wait get the fault or refusal; the next request starts again.
    run.outcome.then(({ kind }) => kind !== 'report' && forget(), forget);
    return run;
  }

  return {
    async evaluate(request) {
      const key = JSON.stringify(request);
      if (current?.running === true && current.key !== key) return busy();
      if (current === null || current.key !== key || (!current.running && isUnasked(current)))
        current = start(key, request);
      const run = current;
      run.askedMs = clock.nowMs();
      const waited = new AbortController();
      try {
        const outcome = await Promise.race([run.outcome, pause(WAIT_MS, waited.signal)]);
        return outcome ?? { kind: 'running', progress: run.progress };
      } finally {
        waited.abort();
      }
    },
    async stop() {
      current?.end.abort();
      await Promise.allSettled([current?.outcome]);
    },
  };
}

async function outcomeOf({ model, ...span }: EvaluationRequest, collecting: Collecting): Promise<Outcome> {
  const samples = await collectSamples(model, span, collecting);
  if (samples !== null) return { kind: 'report', report: await reportOf(samples, nextTurn) };
  if (collecting.signal.aborted) return serviceUnavailable('the evaluation was ended', { call: 'evaluation' });
  return tooMany(collecting.maxAnswers);
}

function busy(): Refused {
  return refused('RATE_LIMITED', 'Another evaluation is running on this node; send this one again when it has ended.', {
    retryAfterSeconds: BUSY_RETRY_S,
  });
}

function tooMany(maxAnswers: number): Refused {
  return refused(
    'INVALID_REQUEST',
    `The span has more than ${maxAnswers} logged answers; send from, to or city so that it has fewer.`,
  );
}
