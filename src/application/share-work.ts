import { fairShare } from './fair-shares.ts';
import { type Begun, type GiveUp, type LeaseContext, RENEWALS_PER_TTL, runUnderLease } from './under-lease.ts';

/** Work that is divided into parts, numbered from 0 on: nothing of it is done before a part is taken. */
export type Divided = Begun & {
  /** Does this part of it too. Stopped, it waits for what is under way of the part. */
  takePart(part: number): Promise<Begun>;
};

export type BeginDivided = (giveUp: GiveUp) => Promise<Divided>;

/** After a fault at its beginning, work is begun again so much later. */
const FAULT_PAUSE_MS = 1_000;

/**
 * Shares work among nodes (docs/decisions/0040). Each node takes a seat, of which there are as many as parts, and a lease
 * for each part that is its share among the seated; a third of a lease's time later it looks again. A part is given away
 * when what is under way of it has ended; the parts of a node that died are taken by the others when its leases have ended.
 * A node without a seat stands by.
 */
export function runShared(
  { name, parts }: { readonly name: string; readonly parts: number },
  begin: BeginDivided,
  context: LeaseContext,
): Begun {
  const stopping = new AbortController();
  const running = keepSharing({ name, parts }, begin, context, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

type Named = { readonly name: string; readonly parts: number };

async function keepSharing(named: Named, begin: BeginDivided, context: LeaseContext, stopping: AbortSignal) {
  const { clock, log, ttlMs } = context;
  while (!stopping.aborted) {
    const givenUp = new AbortController();
    let fault: unknown;
    let retryMs = FAULT_PAUSE_MS;
    try {
      const work = await begin((reason) => {
        [fault, retryMs] = [reason, ttlMs];
        givenUp.abort();
      });
      await new Share(named, work, context).hold(AbortSignal.any([stopping, givenUp.signal]));
    } catch (reason) {
      fault = reason;
    }
    if (stopping.aborted) return;
    log.error('leased work met a fault', { lease: named.name, retryMs, fault });
    await clock.until(clock.nowMs() + retryMs, stopping);
  }
}

/** What this node does of the work. */
class Share {
  readonly #named: Named;
  readonly #work: Divided;
  readonly #context: LeaseContext;
  readonly #seats: readonly string[];
  readonly #parts: readonly string[];
  #seat: { readonly name: string; readonly token: number } | null = null;
  /** The parts that it has or asks for. */
  readonly #mine = new Map<number, Begun>();
  readonly #givingAway = new Map<number, Promise<void>>();

  constructor(named: Named, work: Divided, context: LeaseContext) {
    const { name, parts } = named;
    this.#named = named;
    this.#work = work;
    this.#context = context;
    this.#seats = Array.from({ length: parts }, (_, seat) => `${name}-seat-${seat}`);
    this.#parts = Array.from({ length: parts }, (_, part) => `${name}-${part}`);
  }

  /** Until the signal aborts; resolves when nothing is under way any more and everything is given back. */
  async hold(over: AbortSignal): Promise<void> {
    const { clock, ttlMs } = this.#context;
    for (let failing = false; !over.aborted; ) {
      failing = await this.#failsToLook(failing, over);
      await clock.until(clock.nowMs() + ttlMs / RENEWALS_PER_TTL, over);
    }
    // At the same time: a part waits for what is under way, which the work itself cuts short.
    const parts = [...this.#mine.values()].map((part) => part.stop());
    await Promise.all([this.#work.stop(), ...parts, ...this.#givingAway.values()]);
    await this.#leaveSeat();
  }

  /** What it has it keeps for as long as the leases last. A fault that lasts is told once. */
  async #failsToLook(before: boolean, over: AbortSignal): Promise<boolean> {
    try {
      await unlessAborted(this.#look(over), over);
      return false;
    } catch (fault) {
      if (!before) this.#context.log.warn('lease cannot be asked for', { lease: this.#named.name, fault });
      return true;
    }
  }

  async #look(over: AbortSignal): Promise<void> {
    const { leases, holder } = this.#context;
    await this.#keepSeat();
    const held = new Map((await leases.held([...this.#seats, ...this.#parts])).map((one) => [one.name, one.holder]));
    if (over.aborted) return;
    const nodes = this.#seats.flatMap((seat) => held.get(seat) ?? []);
    const parts = this.#parts.map((part) => held.get(part) ?? null);
    const share = fairShare({ nodes, parts }, holder, new Set(this.#givingAway.keys()));
    for (const [part, begun] of this.#mine) if (!share.has(part)) this.#giveAway(part, begun);
    for (const part of share) if (!this.#mine.has(part)) this.#ask(part);
  }

  /** A seat that was lost is no loss: its parts stay, and count again with the next one. */
  async #keepSeat(): Promise<void> {
    const { leases, holder, ttlMs } = this.#context;
    for (const name of this.#seat === null ? this.#seats : [this.#seat.name, ...this.#seats]) {
      const answer = await leases.take({ name, holder, ttlMs });
      this.#seat = answer.kind === 'lost' ? null : { name, token: answer.token };
      if (this.#seat !== null) return;
    }
  }

  #ask(part: number): void {
    const name = this.#parts[part] ?? '';
    this.#mine.set(
      part,
      runUnderLease(name, () => this.#work.takePart(part), this.#context),
    );
  }

  #giveAway(part: number, begun: Begun): void {
    this.#mine.delete(part);
    this.#givingAway.set(
      part,
      begun.stop().finally(() => this.#givingAway.delete(part)),
    );
  }

  async #leaveSeat(): Promise<void> {
    const { leases, holder, log } = this.#context;
    try {
      if (this.#seat !== null) await leases.release({ ...this.#seat, holder });
    } catch (fault) {
      log.warn('lease not given back', { lease: this.#seat?.name, fault });
    }
  }
}

/** Waits no longer than until the signal aborts; nothing is left behind at a signal that lives for long. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
