import { setImmediate as nextTurn } from 'node:timers/promises';
import { START } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TargetModel } from '../../recommend/evaluation/ranked-by.ts';
import { type Report, reportOf } from '../../recommend/evaluation/report.ts';
import type { LeaderElection } from '../../runtime/leader-election.ts';
import { pause } from '../../runtime/running.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';
import { type Collecting, collectSamples, type ReadProgress, type Span } from './collect-samples.ts';

export type EvaluationRequest = Span & { readonly model: TargetModel };

type Context = {
  readonly store: Collecting['store'];
  readonly clock: Clock;
  readonly takeLease: LeaderElection['takeLease'];
  readonly maxAnswers?: number;
};

/** Bounds the memory: about 100 MB. */
const MAX_ANSWERS = 50_000;

type Outcome = { readonly kind: 'report'; readonly report: Report } | Refused;
export type EvaluationState = Outcome | { readonly kind: 'running'; readonly progress: ReadProgress };

/** The evaluations that this node runs: one at a time in the whole installation. */
export type Evaluations = {
  /** Starts the evaluation, or joins the same one. Answers after a second, or with the report. */
  evaluate(request: EvaluationRequest): Promise<EvaluationState>;
  stop(): Promise<void>;
};

const LEASE = 'evaluation';
const WAIT_MS = 1_000;
/** An evaluation that nobody asks for ends, and a report that nobody asks for is dropped. */
const UNASKED_MS = 60_000;
const BUSY_RETRY_S = 10;
/** Short, because a balancer may have sent a repeated request to another node than the first. */
const OTHER_NODE_RETRY_S = 2;

type Run = {
  readonly key: string;
  readonly outcome: Promise<Outcome>;
  readonly end: AbortController;
  /** Aborts when nobody waits for the report any more: the run then releases its lease. */
  readonly answered: AbortController;
  progress: ReadProgress;
  askedMs: number;
  running: boolean;
};

export function createEvaluations({ store, clock, takeLease, maxAnswers = MAX_ANSWERS }: Context): Evaluations {
  let current: Run | null = null;
  /** Resolves when the earlier runs of this node have released the lease, which has one holder name for all of them. */
  let released: Promise<unknown> = Promise.resolve();
  const isUnasked = (run: Run): boolean => clock.nowMs() - run.askedMs > UNASKED_MS;

  /** Evaluates under the lease, and keeps it until somebody has the report: another node would start again. */
  async function evaluateAlone(run: Run, request: EvaluationRequest, earlier: Promise<unknown>): Promise<Outcome> {
    await earlier;
    const lease = await takeLease(LEASE);
    if (lease === null) return busyElsewhere();
    let outcome: Outcome | null = null;
    try {
      const report = (progress: ReadProgress): void => {
        run.progress = progress;
        if (isUnasked(run)) run.end.abort();
      };
      const signal = AbortSignal.any([run.end.signal, lease.lost]);
      outcome = await outcomeOf(request, { maxAnswers, store, signal, report });
      return outcome;
    } finally {
      released = (outcome?.kind === 'report' ? untilAnswered(run) : Promise.resolve()).then(() => lease.release());
    }
  }

  async function untilAnswered(run: Run): Promise<void> {
    const { signal } = run.answered;
    while (!signal.aborted && !isUnasked(run)) await clock.until(run.askedMs + UNASKED_MS + 1, signal);
  }

  function start(key: string, request: EvaluationRequest): Run {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
    const run: Run = {
      key,
      outcome,
      end: new AbortController(),
      answered: new AbortController(),
      progress: { events: 0, answers: 0, position: START, head: START },
      askedMs: clock.nowMs(),
      running: true,
    };
    current?.answered.abort();
    const evaluating = evaluateAlone(run, request, released).finally(() => {
      run.running = false;
    });
    const forget = (): void => {
      if (current === run) current = null;
    };
    // The requests that wait get the fault or refusal; the next request starts again.
    evaluating.then(({ kind }) => kind !== 'report' && forget(), forget);
    resolve(evaluating);
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
        if (outcome?.kind === 'report') run.answered.abort();
        return outcome ?? { kind: 'running', progress: run.progress };
      } finally {
        waited.abort();
      }
    },
    async stop() {
      current?.end.abort();
      current?.answered.abort();
      await Promise.allSettled([current?.outcome]);
      await Promise.allSettled([released]);
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

function busyElsewhere(): Refused {
  return refused('RATE_LIMITED', 'An evaluation is running on another node; send this one again in a moment.', {
    retryAfterSeconds: OTHER_NODE_RETRY_S,
  });
}

function tooMany(maxAnswers: number): Refused {
  return refused(
    'INVALID_REQUEST',
    `The span has more than ${maxAnswers} logged answers; send from, to or city so that it has fewer.`,
  );
}
