import type { Clock } from '../ports/clock.ts';
import type { HeldLease, Leases, Leasing } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';
import type { ClockCheck } from './clock-check.ts';
import { unlessAborted } from './running.ts';

/** A lease is renewed after a third of its duration, so that two renewals may fail before it ends. */
const RENEWALS_PER_TTL = 3;

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

/** A lease that this node took: `untilMs` as in `Leasing`. */
export type TakenLease = HeldLease & { readonly untilMs: number };

/** A lease that this node keeps. */
export type KeptLease = {
  /**
   * Aborts when another node holds the lease, when its end has passed without a renewal, or when the clock is off. The
   * node must not act under the lease then.
   */
  readonly lost: AbortSignal;
  /** Ends the renewals, and releases the lease unless it is lost. */
  release(): Promise<void>;
};

type Kept = {
  readonly name: string;
  readonly token: number;
  untilMs: number;
  /** Whether an answer to a renewal is awaited. The lease is not renewed again before. */
  renewing: boolean;
  /** Aborts when another node holds the lease, or its end has passed. */
  readonly passed: AbortController;
  readonly lost: AbortSignal;
};

type Waiting = { readonly names: readonly string[]; readonly resolve: (held: Promise<Holders>) => void };
type Holders = ReadonlyMap<string, string>;

/**
 * The leases of one node: all that it keeps are renewed by one command, three times per lease duration, and all that it
 * waits for are looked at by one read (docs/decisions/0059).
 */
export class NodeLeases {
  readonly context: LeaseContext;
  readonly #kept = new Set<Kept>();
  /** Who waits for the next turn. */
  readonly #waiting = new Set<() => void>();
  /** Aborts when nobody needs the next turn any more. */
  #idle: AbortController | null = null;
  /** Aborts when the kept leases change; null while none is kept. */
  #keeping: AbortController | null = null;
  #looking: Waiting[] = [];
  /** Whether the last call failed: a lasting fault is logged once. */
  #failing = false;

  constructor(context: LeaseContext) {
    this.context = context;
  }

  /** @throws ClockOff; what the leases throw */
  async take(name: string): Promise<Leasing> {
    const { leases, holder, ttlMs, clockCheck } = this.context;
    await clockCheck.confirm();
    return leases.take({ name, holder, ttlMs });
  }

  /**
   * The holders of these leases that are held (see `Leases.held`). Calls of one turn of the event loop share a read.
   * @throws ClockOff; what the leases throw
   */
  holders(names: readonly string[]): Promise<Holders> {
    return new Promise((resolve) => {
      if (this.#looking.length === 0) setImmediate(() => this.#look());
      this.#looking.push({ names, resolve });
    });
  }

  /** True unless another node holds the lease. @throws like `holders` */
  async available(name: string): Promise<boolean> {
    const holder = (await this.holders([name])).get(name);
    return holder === undefined || holder === this.context.holder;
  }

  /** Renews the lease from now on. */
  keep({ name, token, untilMs }: TakenLease): KeptLease {
    const passed = new AbortController();
    const lost = AbortSignal.any([passed.signal, this.context.clockCheck.off]);
    const kept: Kept = { name, token, untilMs, renewing: false, passed, lost };
    this.#kept.add(kept);
    this.#schedule();
    if (this.#keeping === null) void this.#loseAtTheirEnds();
    else this.#keeping.abort();
    return {
      lost,
      release: async () => {
        this.#forget(kept);
        if (!lost.aborted) await this.#release(kept);
      },
    };
  }

  /** Resolves with the next renewal, after a third of a lease's duration at most, or when the signal aborts. */
  async nextTurn(over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    this.#schedule();
    await unlessAborted(promise, over);
    this.#waiting.delete(resolve);
    this.#stopIfIdle();
  }

  /** The answer; null after a fault, which is logged. */
  async logged<Answer>(call: Promise<Answer>): Promise<Answer | null> {
    const { log, clockCheck } = this.context;
    try {
      const answer = await call;
      this.#failing = false;
      return answer;
    } catch (fault) {
      // ClockCheck logs that the clock is off.
      if (clockCheck.off.aborted) return null;
      if (!this.#failing) log.warn('leases cannot be taken or renewed', { fault });
      this.#failing = true;
      return null;
    }
  }

  #schedule(): void {
    if (this.#idle !== null) return;
    const idle = new AbortController();
    this.#idle = idle;
    void this.#takeTurns(idle.signal);
  }

  async #takeTurns(idle: AbortSignal): Promise<void> {
    const { clock, ttlMs } = this.context;
    for (;;) {
      await clock.until(clock.nowMs() + ttlMs / RENEWALS_PER_TTL, idle);
      if (idle.aborted) return;
      // Not awaited: an answer that is late delays no renewal of other leases.
      void this.#renew();
      for (const resolve of this.#waiting) resolve();
    }
  }

  #stopIfIdle(): void {
    if (this.#kept.size + this.#waiting.size > 0) return;
    this.#idle?.abort();
    this.#idle = null;
  }

  async #renew(): Promise<void> {
    const kept = [...this.#kept].filter(({ renewing }) => !renewing);
    if (kept.length === 0) return;
    for (const one of kept) one.renewing = true;
    const renewal = await this.logged(this.#renewal(kept));
    for (const one of kept) {
      one.renewing = false;
      // A renewal without an answer changes nothing: the lease lasts until its end.
      if (renewal === null || !this.#kept.has(one)) continue;
      if (renewal.lost.has(one.name)) this.#lose(one);
      else one.untilMs = renewal.untilMs;
    }
  }

  async #renewal(kept: readonly Kept[]): ReturnType<Leases['renew']> {
    const { leases, holder, ttlMs, clockCheck } = this.context;
    await clockCheck.confirm();
    return leases.renew(
      kept.map(({ name, token }) => ({ name, token })),
      { holder, ttlMs },
    );
  }

  /** One wait for all: leases that are renewed together end together. */
  async #loseAtTheirEnds(): Promise<void> {
    const { clock, clockCheck } = this.context;
    while (this.#kept.size > 0) {
      const { off } = clockCheck;
      this.#keeping = new AbortController();
      const firstMs = Math.min(...Array.from(this.#kept, ({ untilMs }) => untilMs));
      await clock.until(firstMs, AbortSignal.any([this.#keeping.signal, off]));
      const nowMs = clock.nowMs();
      for (const kept of this.#kept) if (off.aborted || nowMs >= kept.untilMs) this.#lose(kept);
    }
    this.#keeping = null;
  }

  #lose(kept: Kept): void {
    this.#forget(kept);
    kept.passed.abort();
  }

  #forget(kept: Kept): void {
    this.#kept.delete(kept);
    if (this.#kept.size === 0) this.#keeping?.abort();
    this.#stopIfIdle();
  }

  async #release({ name, token }: Kept): Promise<void> {
    const { leases, holder, log } = this.context;
    try {
      await leases.release({ name, holder, token });
    } catch (fault) {
      log.warn('lease not released', { lease: name, fault });
    }
  }

  #look(): void {
    const { leases, clockCheck } = this.context;
    const looking = this.#looking;
    this.#looking = [];
    const names = new Set(looking.flatMap((one) => one.names));
    const holders = clockCheck
      .confirm()
      .then(() => leases.held([...names]))
      .then((held) => new Map(held.map(({ name, holder }) => [name, holder])));
    for (const { resolve } of looking) resolve(holders);
  }
}
