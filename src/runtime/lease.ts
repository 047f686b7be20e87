import type { Clock } from '../ports/clock.ts';
import type { Leases, Leasing } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';
import type { ClockCheck } from './clock-check.ts';
import { pause, type Running, runLoop, unlessAborted } from './running.ts';

/** Work calls it when it cannot continue on this node. The runner then stops the work and releases the lease. */
export type OnFatal = (fault: unknown) => void;

export type Start = (onFatal: OnFatal) => Promise<Running>;

/** A lease is renewed after a third of its duration, so that two renewals may fail before it ends. */
export const RENEWALS_PER_TTL = 3;
/** Poll interval while waiting for a one-shot lease. */
const POLL_MS = 250;
/** Pause after a fault at the start of the work. */
const FAULT_PAUSE_MS = 1_000;

export type LeaseContext = {
  readonly leases: Leases;
  /** Names this run of this node. Never used again, not even by the next run of the same node. */
  readonly holder: string;
  /** Duration of a lease. After it and the allowed clock skew, another node takes over from one that died. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** While the clock is off, the node neither takes nor renews nor releases a lease. */
  readonly clockCheck: Pick<ClockCheck, 'off' | 'right' | 'confirm'>;
  readonly log: Log;
};

/**
 * Runs work on the node that holds the lease (docs/decisions/0028). Starts it once this node holds the lease, and stops it
 * when the lease is lost, when its end has passed without a renewal, or when the machine's clock is off; then tries again.
 * Work that was in progress when a lease was lost may be done twice.
 */
export function runWhileLeader(name: string, start: Start, context: LeaseContext): Running {
  const { log, holder } = context;
  const lease = new Lease(name, context);
  return runRepeatedly(name, context, async (over) => {
    if (!(await lease.taken(over))) {
      await lease.pause(over);
      return null;
    }
    log.info('lease taken', { lease: name, holder });
    const { lost, result } = await lease.hold((ending) => runUntil(ending, start), over);
    if (lost) log.warn('lease lost', { lease: name, holder });
    return result;
  });
}

/**
 * Waits for a lease, then does work that ends by itself, and releases the lease. `lost` aborts when another node has taken
 * the lease, when its end has passed without a renewal, or when the machine's clock is off.
 *
 * @throws what the work throws; ClockOff and faults of the leases while waiting
 */
export async function withLease<Result>(
  name: string,
  work: (lost: AbortSignal) => Promise<Result>,
  context: LeaseContext,
): Promise<Result> {
  const lease = new Lease(name, context);
  while ((await lease.take()) === 'lost') await lease.pollPause();
  return (await lease.hold(work, NEVER)).result;
}

const NEVER = new AbortController().signal;

/** Why work ended before it was stopped. */
type Ended = { readonly kind: 'not started' | 'failed'; readonly fault: unknown };

/**
 * Repeats an attempt until it is stopped, and only while the clock is right: `over` aborts when the clock is off, too. After
 * work has failed it waits for the duration of a lease, so that another node can take the work over.
 */
export function runRepeatedly(
  name: string,
  { clock, clockCheck, log, ttlMs }: LeaseContext,
  attempt: (over: AbortSignal) => Promise<Ended | null>,
): Running {
  return runLoop(async (stopping) => {
    while (!stopping.aborted) {
      await clockCheck.right(stopping);
      const over = AbortSignal.any([stopping, clockCheck.off]);
      while (!over.aborted) {
        const ended = await attempt(over);
        if (ended === null) continue;
        const retryMs = ended.kind === 'failed' ? ttlMs : FAULT_PAUSE_MS;
        log.error('leased work failed', { lease: name, retryMs, fault: ended.fault });
        await clock.until(clock.nowMs() + retryMs, over);
      }
    }
  });
}

/** Starts work and stops it at the signal, or when it cannot continue. Resolves when it has stopped. */
export async function runUntil(over: AbortSignal, start: Start): Promise<Ended | null> {
  const failed = Promise.withResolvers<Ended>();
  try {
    const running = await start((fault) => failed.resolve({ kind: 'failed', fault }));
    const ended = await unlessAborted(failed.promise, over);
    await running.stop();
    return ended;
  } catch (fault) {
    return { kind: 'not started', fault };
  }
}

class Lease {
  readonly #name: string;
  readonly #context: LeaseContext;
  /** Of the lease that this node held last. */
  #token = 0;
  #untilMs = 0;
  /** Whether the last call failed: a lasting fault is logged once. */
  #failing = false;

  constructor(name: string, context: LeaseContext) {
    this.#name = name;
    this.#context = context;
  }

  /** @throws ClockOff; what the leases throw */
  async take(): Promise<Leasing['kind']> {
    const { leases, holder, ttlMs, clockCheck } = this.#context;
    await clockCheck.confirm();
    const answer = await leases.take({ name: this.#name, holder, ttlMs });
    if (answer.kind !== 'lost') [this.#token, this.#untilMs] = [answer.token, answer.untilMs];
    return answer.kind;
  }

  /** False if another node holds the lease, if the leases do not answer, and when the signal aborts. */
  async taken(over: AbortSignal): Promise<boolean> {
    const answer = await unlessAborted(this.#tryTake(), over);
    return answer === 'acquired' || answer === 'renewed';
  }

  /** Until the next attempt to take the lease. */
  pause(over: AbortSignal): Promise<void> {
    return this.#pause(this.#intervalMs, over);
  }

  /** For work that ends by itself. In real time, since the service's clock may be a test clock that stands still. */
  async pollPause(): Promise<void> {
    const over = new AbortController();
    const soon = pause(POLL_MS);
    await Promise.race([this.#pause(this.#intervalMs, over.signal), soon]);
    over.abort();
  }

  /**
   * Does work while renewing the lease, then releases it. The work's signal aborts when the lease is lost and when
   * `stopping` aborts.
   * @throws what the work throws
   */
  async hold<Result>(
    work: (over: AbortSignal) => Promise<Result>,
    stopping: AbortSignal,
  ): Promise<{ readonly lost: boolean; readonly result: Result }> {
    const [lost, ended] = [new AbortController(), new AbortController()];
    const renewing = this.#renewUntil(ended.signal, lost);
    try {
      const result = await work(AbortSignal.any([lost.signal, stopping]));
      return { lost: lost.signal.aborted, result };
    } finally {
      ended.abort();
      await renewing;
      if (!lost.signal.aborted) await this.#release();
    }
  }

  /** Renews also while the work stops: no other node may start it before it has stopped here. */
  async #renewUntil(over: AbortSignal, lost: AbortController): Promise<void> {
    const { clock, clockCheck } = this.#context;
    const { off } = clockCheck;
    const either = AbortSignal.any([over, off]);
    for (;;) {
      await this.#pause(Math.min(this.#intervalMs, this.#untilMs - clock.nowMs()), either);
      if (off.aborted) return lost.abort();
      if (over.aborted) return;
      const answer = await Promise.race([this.#tryTake(), this.#expiry(either)]);
      if (off.aborted) return lost.abort();
      if (over.aborted) return;
      // 'acquired': the lease had ended, and another node may have held it in between.
      if (answer === 'lost' || answer === 'acquired' || clock.nowMs() >= this.#untilMs) return lost.abort();
    }
  }

  async #tryTake(): Promise<Leasing['kind'] | 'unknown'> {
    try {
      const answer = await this.take();
      this.#failing = false;
      return answer;
    } catch (fault) {
      const { log, clockCheck } = this.#context;
      // ClockCheck logs that the clock is off.
      if (clockCheck.off.aborted) return 'unknown';
      if (!this.#failing) log.warn('lease cannot be taken or renewed', { lease: this.#name, fault });
      this.#failing = true;
      return 'unknown';
    }
  }

  async #release(): Promise<void> {
    const { leases, holder, log } = this.#context;
    try {
      await leases.release({ name: this.#name, holder, token: this.#token });
    } catch (fault) {
      log.warn('lease not released', { lease: this.#name, fault });
    }
  }

  async #expiry(over: AbortSignal): Promise<'unknown'> {
    await this.#context.clock.until(this.#untilMs, over);
    return 'unknown';
  }

  get #intervalMs(): number {
    return this.#context.ttlMs / RENEWALS_PER_TTL;
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    return clock.until(clock.nowMs() + ms, signal);
  }
}
