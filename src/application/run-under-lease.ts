import type { Clock } from '../ports/clock.ts';
import type { Leases, Leasing } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';

/** Work that was begun and goes on until it is stopped. */
export type Begun = { stop(): Promise<void> };

/** How often within its time a lease is renewed: twice it may go wrong before it is lost. */
const RENEWALS_PER_TTL = 3;
/** After a fault at its beginning, work is begun again so much later. */
const FAULT_PAUSE_MS = 1_000;

export type LeaseContext = {
  readonly leases: Leases;
  /** This run of this node: a name that no other has, and that is never used again. */
  readonly holder: string;
  /** A node that dies is replaced after so long, and the skew that clocks may have. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Sees that work is done by one node at a time (docs/decisions/0028): begins it once the lease of its name is this
 * node's, stops it at once when the lease is lost, or when it could not be renewed for so long that another may have it,
 * and then tries again. `begin` is told nothing of leases. What was under way when a lease was lost may be done twice.
 */
export function runUnderLease(name: string, begin: () => Promise<Begun>, context: LeaseContext): Begun {
  const work = new LeasedWork(name, begin, context);
  const running = work.run();
  return {
    async stop() {
      work.stopping.abort();
      await running;
    },
  };
}

class LeasedWork {
  readonly stopping = new AbortController();
  readonly #name: string;
  readonly #begin: () => Promise<Begun>;
  readonly #context: LeaseContext;
  /** Of the lease that was last held here. */
  #token = 0;
  #untilMs = 0;
  /** Whether the last call of the leases went wrong: a fault that lasts is told once. */
  #failing = false;

  constructor(name: string, begin: () => Promise<Begun>, context: LeaseContext) {
    this.#name = name;
    this.#begin = begin;
    this.#context = context;
  }

  async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const answer = await Promise.race([this.#take(), aborted(signal)]);
      if (answer === 'acquired' || answer === 'renewed') await this.#tenure();
      else await this.#pause(this.#intervalMs, signal);
    }
  }

  /** From the lease's becoming this node's to its end, whatever ends it. */
  async #tenure(): Promise<void> {
    const { log, holder } = this.#context;
    const [lost, ended] = [new AbortController(), new AbortController()];
    const over = AbortSignal.any([lost.signal, ended.signal, this.stopping.signal]);
    log.info('lease taken', { lease: this.#name, holder });
    const renewing = this.#renewUntil(over).then((end) => (end === 'lost' ? lost.abort() : undefined));
    let failed = false;
    try {
      const begun = await this.#begin();
      await aborted(over);
      await begun.stop();
    } catch (fault) {
      failed = true;
      log.error('leased work met a fault', { lease: this.#name, retryMs: FAULT_PAUSE_MS, fault });
    }
    ended.abort();
    await renewing;
    if (lost.signal.aborted) log.warn('lease lost', { lease: this.#name, holder });
    else await this.#release();
    if (failed) await this.#pause(FAULT_PAUSE_MS, this.stopping.signal);
  }

  async #renewUntil(over: AbortSignal): Promise<'lost' | 'over'> {
    const { clock } = this.#context;
    for (;;) {
      await this.#pause(Math.min(this.#intervalMs, this.#untilMs - clock.nowMs()), over);
      if (over.aborted) return 'over';
      const answer = await Promise.race([this.#take(), this.#expiry(over)]);
      if (over.aborted) return 'over';
      // One that was acquired anew had run out: another may have had it in between.
      if (answer === 'lost' || answer === 'acquired' || clock.nowMs() >= this.#untilMs) return 'lost';
    }
  }

  async #take(): Promise<Leasing['kind'] | 'unknown'> {
    const { leases, holder, ttlMs, log } = this.#context;
    try {
      const answer = await leases.take({ name: this.#name, holder, ttlMs });
      this.#failing = false;
      if (answer.kind !== 'lost') [this.#token, this.#untilMs] = [answer.token, answer.untilMs];
      return answer.kind;
    } catch (fault) {
      if (!this.#failing) log.warn('lease cannot be asked for', { lease: this.#name, fault });
      this.#failing = true;
      return 'unknown';
    }
  }

  async #release(): Promise<void> {
    const { leases, holder, log } = this.#context;
    try {
      await leases.release({ name: this.#name, holder, token: this.#token });
    } catch (fault) {
      log.warn('lease not given back', { lease: this.#name, fault });
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
