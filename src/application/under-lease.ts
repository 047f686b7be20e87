import type { Clock } from '../ports/clock.ts';
import type { Leases, Leasing } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';

/** Work that was begun and goes on until it is stopped. */
export type Begun = { stop(): Promise<void> };

/** Says that this node cannot do a work that it has begun: it is stopped then, and left to another. */
export type GiveUp = (fault: unknown) => void;

export type Begin = (giveUp: GiveUp) => Promise<Begun>;

/** How often within its time a lease is renewed: twice it may go wrong before it is lost. */
export const RENEWALS_PER_TTL = 3;
/** Who waits for work that ends by itself looks again so often. */
const LOOK_MS = 250;
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
 * Sees that standing work is done by one node at a time (docs/decisions/0028): begins it once the lease of its name is this
 * node's, stops it at once when the lease is lost, or when it could not be renewed for so long that another may have it,
 * and then tries again. Work that gave up leaves the lease to others for a whole time of it. What was under way when a
 * lease was lost may be done twice.
 */
export function runUnderLease(name: string, begin: Begin, context: LeaseContext): Begun {
  const stopping = new AbortController();
  const running = keepDoing(name, begin, context, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Waits for a lease, then does work that ends by itself. `signal` is aborted once the lease is lost: another took it, or it
 * could not be renewed until its end. The lease is let go when the work has ended.
 *
 * @throws what the work throws; a fault of the leases while they are waited for
 */
export async function underLease<Result>(
  name: string,
  work: (signal: AbortSignal) => Promise<Result>,
  context: LeaseContext,
): Promise<Result> {
  const lease = new Lease(name, context);
  while ((await lease.ask()) === 'lost') await lease.lookSoon();
  return (await lease.hold(work, NEVER)).result;
}

const NEVER = new AbortController().signal;

async function keepDoing(name: string, begin: Begin, context: LeaseContext, stopping: AbortSignal): Promise<void> {
  const { log, clock, holder, ttlMs } = context;
  const lease = new Lease(name, context);
  while (!stopping.aborted) {
    if (!(await lease.taken(stopping))) {
      await lease.pause(stopping);
      continue;
    }
    log.info('lease taken', { lease: name, holder });
    const { lost, result: broken } = await lease.hold((over) => doUntil(over, begin), stopping);
    if (lost) log.warn('lease lost', { lease: name, holder });
    if (broken === null) continue;
    const retryMs = broken.kind === 'gave up' ? ttlMs : FAULT_PAUSE_MS;
    log.error('leased work met a fault', { lease: name, retryMs, fault: broken.fault });
    await clock.until(clock.nowMs() + retryMs, stopping);
  }
}

type Broken = { readonly kind: 'not begun' | 'gave up'; readonly fault: unknown };

/** Resolves when the work has stopped: with what ended it before its time, or null. */
async function doUntil(over: AbortSignal, begin: Begin): Promise<Broken | null> {
  const givenUp = Promise.withResolvers<Broken>();
  try {
    const begun = await begin((fault) => givenUp.resolve({ kind: 'gave up', fault }));
    const broken = await Promise.race([aborted(over).then(() => null), givenUp.promise]);
    await begun.stop();
    return broken;
  } catch (fault) {
    return { kind: 'not begun', fault };
  }
}

/** One lease, as this node asks for it, renews it and lets it go. */
class Lease {
  readonly #name: string;
  readonly #context: LeaseContext;
  /** Of the lease that was last held here. */
  #token = 0;
  #untilMs = 0;
  /** Whether the last call of the leases went wrong: a fault that lasts is told once. */
  #failing = false;

  constructor(name: string, context: LeaseContext) {
    this.#name = name;
    this.#context = context;
  }

  /** @throws where the leases are away */
  async ask(): Promise<Leasing['kind']> {
    const { leases, holder, ttlMs } = this.#context;
    const answer = await leases.take({ name: this.#name, holder, ttlMs });
    if (answer.kind !== 'lost') [this.#token, this.#untilMs] = [answer.token, answer.untilMs];
    return answer.kind;
  }

  /** Whether it is this node's now. False where another has it, where that is not known, and at the stop. */
  async taken(stopping: AbortSignal): Promise<boolean> {
    const answer = await Promise.race([this.#take(), aborted(stopping)]);
    return answer === 'acquired' || answer === 'renewed';
  }

  /** Until it is looked at again. */
  pause(over: AbortSignal): Promise<void> {
    return this.#pause(this.#intervalMs, over);
  }

  /** The same where the holder is about to let it go: it does so in real time, whatever clock the service goes by. */
  async lookSoon(): Promise<void> {
    const over = new AbortController();
    const soon = new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));
    await Promise.race([this.#pause(this.#intervalMs, over.signal), soon]);
    over.abort();
  }

  /**
   * Does work while the lease is renewed, and gives it back. The work's signal aborts when the lease is lost, and at the stop.
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

  /** Also while the work stops: until it has, nobody else is to begin it. */
  async #renewUntil(over: AbortSignal, lost: AbortController): Promise<void> {
    const { clock } = this.#context;
    for (;;) {
      await this.#pause(Math.min(this.#intervalMs, this.#untilMs - clock.nowMs()), over);
      if (over.aborted) return;
      const answer = await Promise.race([this.#take(), this.#expiry(over)]);
      if (over.aborted) return;
      // One that was acquired anew had run out: another may have had it in between.
      if (answer === 'lost' || answer === 'acquired' || clock.nowMs() >= this.#untilMs) return lost.abort();
    }
  }

  async #take(): Promise<Leasing['kind'] | 'unknown'> {
    try {
      const answer = await this.ask();
      this.#failing = false;
      return answer;
    } catch (fault) {
      if (!this.#failing) this.#context.log.warn('lease cannot be asked for', { lease: this.#name, fault });
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
