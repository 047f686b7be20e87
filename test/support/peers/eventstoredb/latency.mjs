/**
 * How slow the server is: appends, reads and messages of subscriptions each take a delay from a log-normal distribution
 * with this median and 99th percentile, and the whole process stands still for `pauseMs` about every `pauseEveryMs`
 * (from half to one and a half of it). A seed gives the same draws.
 *
 * @typedef {{ p50Ms: number, p99Ms: number, pauseMs: number, pauseEveryMs: number, seed: number }} Slowness
 *
 * @typedef {{ deliver: () => void, dueMs: number }} Waiting
 */

/** How many standard deviations the 99th percentile of a normal distribution lies above its median. */
const P99_SIGMAS = 2.326;

export class Latency {
  #timers;
  /** @type {Slowness | null} */
  #slowness = null;
  #random = seeded(0);
  #callOffPause = () => {};

  /** @param {import('./timers.mjs').Timers} timers */
  constructor(timers) {
    this.#timers = timers;
  }

  /** @param {Slowness | null} slowness null for none */
  become(slowness) {
    this.#callOffPause();
    this.#slowness = slowness;
    this.#random = seeded(slowness?.seed ?? 0);
    if (slowness !== null && slowness.pauseMs > 0) this.#pauseLater(slowness);
  }

  /** Resolves after the delay of one message. */
  pass() {
    if (this.#slowness === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#timers.after(this.#drawMs(), () => resolve(undefined));
    });
  }

  /** Messages that keep their order, each with a delay of its own. */
  line() {
    /** @type {Waiting[]} */
    const waiting = [];
    const deliverNext = () => {
      const [first] = waiting;
      if (first === undefined) return;
      this.#timers.after(first.dueMs - performance.now(), () => {
        while (waiting[0] !== undefined && waiting[0].dueMs <= performance.now()) waiting.shift()?.deliver();
        deliverNext();
      });
    };
    return {
      /** Whether what is sent now is delivered later. */
      slow: () => this.#slowness !== null || waiting.length > 0,
      /** @param {() => void} deliver called after what was sent before it; at once where nothing is slow */
      send: (deliver) => {
        if (this.#slowness === null && waiting.length === 0) return deliver();
        const dueMs = Math.max(performance.now() + this.#drawMs(), waiting.at(-1)?.dueMs ?? 0);
        waiting.push({ deliver, dueMs });
        if (waiting.length === 1) deliverNext();
      },
    };
  }

  #drawMs() {
    if (this.#slowness === null) return 0;
    const { p50Ms, p99Ms } = this.#slowness;
    return p50Ms * Math.exp((Math.log(p99Ms / p50Ms) / P99_SIGMAS) * normal(this.#random));
  }

  /** @param {Slowness} slowness */
  #pauseLater(slowness) {
    const { pauseMs, pauseEveryMs } = slowness;
    this.#callOffPause = this.#timers.after(pauseEveryMs * (0.5 + this.#random()), () => {
      // Blocks the thread, as a collector of garbage does that stops the world: nothing is read, written or timed.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      this.#pauseLater(slowness);
    });
  }
}

/** The method of Box and Muller. @param {() => number} random */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Numbers from 0 to below 1 (mulberry32). @param {number} seed */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
