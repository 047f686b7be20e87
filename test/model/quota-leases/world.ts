import type { Time } from '../../../src/adapters/mongodb/quota-batcher.ts';
import type { SharedUsage } from '../../../src/adapters/mongodb/quota-leases.ts';
import { rateLimiterOver } from '../../../src/adapters/mongodb/rate-limiter.ts';
import type { UsageDocuments } from '../../../src/adapters/mongodb/usage-documents.ts';
import type { RateLimiter, Taking, UsageLimits } from '../../../src/ports/rate-limiter.ts';
import { emptyWindow } from '../../../src/ports/sliding-window.ts';

export const KEY = 'key_1';

export type Answered = { readonly node: number; readonly atMs: number; readonly taking: Taking };

type Document = { readonly version: string; readonly usage: SharedUsage };
type Operation = { readonly node: number; run(answered: boolean): void };
type Node = { readonly limiter: RateLimiter; alive: boolean; pending: number };

/**
 * Nodes that share the document of one key. The test selects when and in which order their operations run, and moves
 * the clock; timers run as it passes them.
 */
export class World {
  nowMs: number;
  /** Number of reads and writes of the document. */
  operations = 0;
  readonly answered: Answered[] = [];
  readonly nodes: Node[] = [];
  readonly #waiting: Operation[] = [];
  readonly #timers: { readonly node: number; readonly atMs: number; readonly call: () => void }[] = [];
  #document: Document | null = null;
  #drawn = 0;

  constructor(startMs: number, nodes: number) {
    this.nowMs = startMs;
    for (let node = 0; node < nodes; node++) this.#start();
  }

  /** A node takes one request; `answered` gets the answer. */
  async ask(node: number, limits: UsageLimits): Promise<void> {
    const asked = this.#node(node);
    if (!asked.alive) return;
    const atMs = this.nowMs;
    asked.pending++;
    void this.#note(node, atMs, asked.limiter.take(KEY, limits, atMs));
    await this.settled();
  }

  /** Runs one of the pending operations. */
  async serve(nth: number): Promise<void> {
    const [operation] = this.#waiting.splice(nth % Math.max(1, this.#waiting.length), 1);
    operation?.run(true);
    await this.settled();
  }

  /**
   * SIGKILL: the node's open operations run or not, and it receives no result. Another node takes its place.
   */
  async crash(node: number, happens: boolean): Promise<void> {
    const killed = this.#node(node);
    if (!killed.alive) return;
    killed.alive = false;
    for (const operation of this.#waiting.filter((each) => each.node === node)) {
      this.#waiting.splice(this.#waiting.indexOf(operation), 1);
      if (happens) operation.run(false);
    }
    this.#start();
    await this.settled();
  }

  async pass(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= until).toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      // Access to the document takes no time.
      if (next.atMs > this.nowMs) await this.#serveAll();
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (this.#node(next.node).alive) next.call();
      await this.settled();
    }
    await this.#serveAll();
    this.nowMs = until;
  }

  /** Whether a request of a living node has not been answered. */
  get busy(): boolean {
    return this.nodes.some(({ alive, pending }) => alive && pending > 0);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The stored usage. */
  get usage(): SharedUsage {
    return this.#document?.usage ?? { used: emptyWindow(), leases: [] };
  }

  async settled(): Promise<void> {
    await new Promise(setImmediate);
  }

  async #serveAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.serve(0);
  }

  async #note(node: number, atMs: number, asked: Promise<Taking>): Promise<void> {
    const taking = await asked;
    const by = this.#node(node);
    if (!by.alive) return;
    by.pending--;
    this.answered.push({ node, atMs: Math.max(atMs, this.#latest()), taking });
  }

  #start(): void {
    const number = this.nodes.length;
    const time: Time = {
      nowMs: () => this.nowMs,
      later: (ms, call) => void this.#timers.push({ node: number, atMs: this.nowMs + ms, call }),
    };
    let shares = 0;
    const limiter = rateLimiterOver(this.#documents(number), time, () => `node ${number}, share ${++shares}`);
    this.nodes.push({ limiter, alive: true, pending: 0 });
  }

  #documents(node: number): UsageDocuments {
    const operation = <T>(act: () => T): Promise<T> =>
      new Promise((resolve) => {
        const run = (answered: boolean): void => {
          this.operations++;
          const result = act();
          if (answered) resolve(result);
        };
        this.#waiting.push({ node, run });
      });
    return {
      read: () => operation(() => ({ usage: structuredClone(this.usage), version: this.#document?.version ?? null })),
      replace: (_key, before, usage) =>
        operation(() => {
          if ((this.#document?.version ?? null) !== before) return null;
          const version = `version ${++this.#drawn}`;
          this.#document = { version, usage: structuredClone(usage) };
          return version;
        }),
      forgetBefore: () => Promise.resolve(),
    };
  }

  #latest(): number {
    return this.usage.used.recent.at(-1) ?? 0;
  }

  #node(number: number): Node {
    const node = this.nodes[number % this.nodes.length];
    if (node === undefined) throw new Error('no such node');
    return node;
  }
}
