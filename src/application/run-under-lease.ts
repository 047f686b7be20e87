import type { Clock } from '../ports/clock.ts';
import type { Leases } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';

/** Work that was begun and goes on until it is stopped. */
export type Begun = { stop(): Promise<void> };

/** How often within its time a lease is renewed: twice it may go wrong before it is lost. */
const RENEWALS_PER_TTL = 3;
/** After a fault at its beginning, work is begun again so much later. */
const FAULT_PAUSE_MS = 1_000;

export type LeaseContext = {
  readonly leases: Leases;
  /** This node. */
  readonly holder: string;
  /** A node that dies is replaced after so long. */
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
  #heldUntilMs = 0;
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
      if ((await Promise.race([this.#ask(), aborted(signal)])) === 'held') await this.#tenure();
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
      await this.#pause(Math.min(this.#intervalMs, this.#heldUntilMs - clock.nowMs()), over);
      if (over.aborted) return 'over';
      const answer = await Promise.race([this.#ask(), this.#expired(over)]);
      if (over.aborted) return 'over';
      if (answer === 'taken' || clock.nowMs() >= this.#heldUntilMs) return 'lost';
    }
  }

  async #ask(): Promise<'held' | 'taken' | 'unknown'> {
    const { leases, holder, ttlMs, clock, log } = this.#context;
    // Counted from before the question: the answer may have been long under way.
    const askedAtMs = clock.nowMs();
    try {
      const { kind } = await leases.acquire(this.#name, holder, ttlMs);
      this.#failing = false;
      if (kind === 'held') this.#heldUntilMs = Math.max(this.#heldUntilMs, askedAtMs + ttlMs);
      return kind;
    } catch (fault) {
      if (!this.#failing) log.warn('lease cannot be asked for', { lease: this.#name, fault });
      this.#failing = true;
      return 'unknown';
    }
  }

  async #release(): Promise<void> {
    const { leases, holder, log } = this.#context;
    try {
      await leases.release(this.#name, holder);
    } catch (fault) {
      log.warn('lease not given back', { lease: this.#name, fault });
    }
  }

  async #expired(over: AbortSignal): Promise<'unknown'> {
    await this.#context.clock.until(this.#heldUntilMs, over);
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
