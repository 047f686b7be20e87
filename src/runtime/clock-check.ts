import type { Log } from '../ports/log.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { pause, unlessAborted } from './running.ts';

/** This machine's clock differs too much from MongoDB's: the node neither takes nor releases leases (docs/decisions/0026). */
export class ClockOff extends StoreUnavailable {
  constructor(reason: string) {
    super('leases', reason);
    this.name = 'ClockOff';
  }
}

export type ClockSources = {
  /** The machine's clock, never a test clock. Ms since the epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  /** The clock of the server that stores the leases. Ms since the epoch. */
  readonly serverMs: () => Promise<number>;
  /** Duration of the leases that depend on this clock. */
  readonly ttlMs: number;
  readonly log: Log;
};

/** Interval at which the watch looks whether a comparison is due. */
const LOOK_EVERY_MS = 1_000;
/** Maximum age of an answer of the server that shows that it answers. */
const ANSWER_GOOD_MS = 500;
/** The clock was set, not slewed, if it moved by more against the monotonic clock. */
const SET_MS = 50;
/** Comparisons per lease duration while nobody sets the clock. */
const COMPARISONS_PER_TTL = 3;

type Comparison = {
  /** Positive if this machine is ahead. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly boundMs: number;
  readonly verdict: 'right' | 'off' | 'open';
  /** `nowMs` minus `elapsedMs`: it changes when somebody sets the clock. */
  readonly epochMs: number;
};

/**
 * Compares the machine's clock with the clock of the server that stores the leases. The clock is off when they differ by
 * more than a quarter of the lease duration. Two nodes whose clocks are right then differ by at most half of that duration,
 * and a lease is renewed after a third of it: neither node takes a lease that the other renews in time.
 */
export class ClockCheck {
  readonly #sources: ClockSources;
  readonly #boundMs: number;
  /** The last comparison with a verdict. */
  #last: Comparison | null = null;
  /** When the server last answered, on the monotonic clock. */
  #answeredMs = Number.NEGATIVE_INFINITY;
  #turnedOff = new AbortController();
  #turnedRight = Promise.withResolvers<void>();

  private constructor(sources: ClockSources) {
    this.#sources = sources;
    this.#boundMs = sources.ttlMs / 4;
    this.#turnedRight.resolve();
  }

  /** @throws ClockOff if the clock is off; what the server throws */
  static async open(sources: ClockSources): Promise<ClockCheck> {
    const check = new ClockCheck(sources);
    const comparison = await check.#measure();
    if (comparison.verdict === 'off') throw new ClockOff(reasonOf(comparison));
    check.#note(comparison);
    return check;
  }

  /** Aborted while the clock is off. A new signal replaces it when the clock is right again. */
  get off(): AbortSignal {
    return this.#turnedOff.signal;
  }

  /** The reason why the node takes no lease; null while the clock is right. */
  get fault(): string | null {
    return this.off.aborted && this.#last !== null ? reasonOf(this.#last) : null;
  }

  /** Resolves when the clock is right, or the signal aborts. */
  async right(over: AbortSignal): Promise<void> {
    await unlessAborted(this.#turnedRight.promise, over);
  }

  /**
   * Call it before taking a lease. Compares the clock first if somebody has set it since the last comparison: the end of a
   * lease taken by a wrong clock may lie far in the future.
   * @throws ClockOff; what the server throws
   */
  async confirm(): Promise<void> {
    if (this.#movedMs() > this.#boundMs) await this.compare();
    const { fault } = this;
    if (fault !== null) throw new ClockOff(fault);
  }

  /** @throws what the server throws; nothing changes then */
  async compare(): Promise<void> {
    this.#note(await this.#measure());
  }

  /** Whether the server answers: compares the clocks unless it has just answered. @throws what the server throws */
  async answers(): Promise<boolean> {
    if (this.#sources.elapsedMs() - this.#answeredMs >= ANSWER_GOOD_MS) await this.compare();
    return true;
  }

  /** Compares if that is due: three times per lease duration, and soon after somebody has set the clock. @throws like `compare` */
  async look(): Promise<void> {
    const { elapsedMs, ttlMs } = this.#sources;
    const nextMs = elapsedMs() + LOOK_EVERY_MS - this.#answeredMs;
    if (this.off.aborted || this.#movedMs() > SET_MS || nextMs > ttlMs / COMPARISONS_PER_TTL) await this.compare();
  }

  /** Looks every second, in real time, until it is stopped. */
  watch(): { stop(): void } {
    const stopping = new AbortController();
    void this.#watch(stopping.signal);
    return { stop: () => stopping.abort() };
  }

  /**
   * Asks the server for its time. The server read its clock at some moment between request and response, so the offset is
   * uncertain by half of that time. The verdict is open if the bound lies within the uncertainty.
   */
  async #measure(): Promise<Comparison> {
    const { nowMs, elapsedMs, serverMs } = this.#sources;
    const boundMs = this.#boundMs;
    const sentMs = nowMs();
    const thereMs = await serverMs();
    const receivedMs = nowMs();
    this.#answeredMs = elapsedMs();
    const offsetMs = Math.round((sentMs + receivedMs) / 2 - thereMs);
    const uncertaintyMs = Math.ceil(Math.abs(receivedMs - sentMs) / 2);
    const off = Math.abs(offsetMs) - uncertaintyMs > boundMs;
    const right = Math.abs(offsetMs) + uncertaintyMs <= boundMs;
    const verdict = off ? 'off' : right ? 'right' : 'open';
    return { offsetMs, uncertaintyMs, boundMs, verdict, epochMs: receivedMs - elapsedMs() };
  }

  #note(comparison: Comparison): void {
    const { offsetMs, uncertaintyMs, boundMs, verdict } = comparison;
    if (verdict === 'open') return;
    this.#last = comparison;
    if ((verdict === 'off') === this.off.aborted) return;
    const { log } = this.#sources;
    const facts = { offsetMs, uncertaintyMs, boundMs };
    if (verdict === 'off') {
      log.error('clock is off: leased work stops', facts);
      this.#turnedRight = Promise.withResolvers<void>();
      this.#turnedOff.abort();
    } else {
      log.info('clock is right again', facts);
      this.#turnedOff = new AbortController();
      this.#turnedRight.resolve();
    }
  }

  async #watch(stopping: AbortSignal): Promise<void> {
    for (let failing = false; !stopping.aborted; ) {
      // Real time: the service's clock may be a test clock, and somebody may set the machine's clock meanwhile.
      await pause(LOOK_EVERY_MS);
      if (!stopping.aborted) failing = await this.#failsToLook(failing, stopping);
    }
  }

  /** Logs a lasting fault once. The engine health check logs a server that is unavailable. */
  async #failsToLook(before: boolean, stopping: AbortSignal): Promise<boolean> {
    try {
      await this.look();
      return false;
    } catch (fault) {
      if (!before && !stopping.aborted && !(fault instanceof StoreUnavailable))
        this.#sources.log.warn('clock cannot be compared', { fault });
      return true;
    }
  }

  /** How far somebody has moved the clock since the last comparison. */
  #movedMs(): number {
    const { nowMs, elapsedMs } = this.#sources;
    return this.#last === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs() - elapsedMs() - this.#last.epochMs);
  }
}

function reasonOf({ offsetMs, boundMs }: Comparison): string {
  const offset = `${Math.abs(offsetMs)} ms ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
  return (
    `the clock of this machine is ${offset} MongoDB's, and ${boundMs} ms (a quarter of the lease duration) are allowed: ` +
    'this node takes no lease and releases none. Synchronise the clocks (NTP).'
  );
}
