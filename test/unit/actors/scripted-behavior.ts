import type { ActorContext, Behavior } from '../../../src/actors/actor.ts';
import type { ActorLimits } from '../../../src/actors/limits.ts';
import { type ActorPool, type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';

/** Limits that a test does not reach by itself; sweeps every millisecond. */
export const QUIET: ActorLimits = {
  mailbox: 100,
  resident: 100,
  idleMs: 60_000,
  sweepMs: 1,
  restartMs: 1,
  longestRestartMs: 1,
};

/** Turns under one id, over all actors that had it: running now, and the maximum at the same time. */
type Turns = { running: number; most: number };

/**
 * A behavior controlled by its messages: `fail` throws, `hold …` waits until the test calls `release`, any other message
 * is answered with `… done`. Records every batch.
 */
export class ScriptedBehavior implements Behavior<string, string> {
  readonly maxBatch: number;
  readonly batches: (readonly string[])[] = [];
  readonly deadlines: (readonly number[])[] = [];
  restarts = 0;
  readonly #turns: Turns;
  #started = Promise.withResolvers<void>();
  #held = Promise.withResolvers<void>();
  #holds = true;

  constructor(maxBatch: number, turns: Turns) {
    this.maxBatch = maxBatch;
    this.#turns = turns;
  }

  async receive(messages: readonly string[], deadlinesMs: readonly number[]): Promise<readonly string[]> {
    this.batches.push(messages);
    this.deadlines.push(deadlinesMs);
    this.#turns.running++;
    this.#turns.most = Math.max(this.#turns.most, this.#turns.running);
    try {
      // Yield, so that a second turn could start if the actor permitted it.
      await Promise.resolve();
      if (messages.includes('fail')) throw new Error('scripted');
      if (this.#holds && messages.some((message) => message.startsWith('hold'))) {
        this.#started.resolve();
        await this.#held.promise;
      }
      return messages.map((message) => `${message} done`);
    } finally {
      this.#turns.running--;
    }
  }

  restart(): void {
    this.restarts++;
  }

  /** Resolves when a turn with a `hold` message has started. */
  holding(): Promise<void> {
    return this.#started.promise;
  }

  /** Continues the held turn. */
  release(): void {
    this.#held.resolve();
    this.#started = Promise.withResolvers();
    this.#held = Promise.withResolvers();
  }

  /** Continues the held turn; later `hold` messages do not wait. */
  releaseAll(): void {
    this.#holds = false;
    this.release();
  }
}

export type Scene = {
  readonly clock: MovedClock;
  readonly log: ReturnType<typeof collectedLog>;
  readonly system: ActorSystem;
  readonly pool: ActorPool<string, string>;
  /** The behavior of the last actor that was started with this id. */
  readonly behavior: (id: string) => ScriptedBehavior;
  /** How often an actor of this id was started. */
  readonly starts: (id: string) => number;
  /** The maximum number of turns under this id at the same time. */
  readonly maxTurns: (id: string) => number;
  /** Whether an actor of this id is in memory. */
  readonly resident: (id: string) => boolean;
  /** An ask with a deadline in one minute. */
  readonly ask: (id: string, message: string) => ReturnType<ActorPool<string, string>['ask']>;
  /** Resolves after the next sweep. */
  readonly swept: () => Promise<void>;
  /** Releases all held turns and stops the sweeper. */
  readonly end: () => Promise<void>;
};

/** An actor system with one pool of scripted actors. */
export function scene(limits: Partial<ActorLimits> = {}, maxBatch = 1): Scene {
  const clock = movedClock();
  const log = collectedLog();
  const context: ActorContext = { clock, log, limits: { ...QUIET, ...limits } };
  const system = createActorSystem(context);
  const started: { readonly id: string; readonly behavior: ScriptedBehavior }[] = [];
  const turns = new Map<string, Turns>();
  const spawn = (id: string): ScriptedBehavior => {
    const turnsOfId = turns.get(id) ?? { running: 0, most: 0 };
    turns.set(id, turnsOfId);
    const behavior = new ScriptedBehavior(maxBatch, turnsOfId);
    started.push({ id, behavior });
    return behavior;
  };
  const pool = system.pool('scripted', spawn);
  // Swept after the pool above: once this pool ends an expired wait, the sweep has ended those of that pool too.
  const bell = new ScriptedBehavior(1, { running: 0, most: 0 });
  const bells = system.pool('bell', () => bell);
  const stuck = bells.ask('bell', 'hold', Number.POSITIVE_INFINITY);
  return {
    clock,
    log,
    system,
    pool,
    behavior(id) {
      const latest = started.findLast((actor) => actor.id === id);
      if (latest === undefined) throw new Error(`no actor was started with the id ${id}`);
      return latest.behavior;
    },
    starts: (id) => started.filter((actor) => actor.id === id).length,
    maxTurns: (id) => turns.get(id)?.most ?? 0,
    resident: (id) => pool.resident(id) !== undefined,
    ask: (id, message) => pool.ask(id, message, clock.nowMs() + 60_000),
    async swept() {
      await bell.holding();
      await bells.ask('bell', 'swept?', clock.nowMs());
    },
    async end() {
      await bell.holding();
      bell.releaseAll();
      for (const { behavior } of started) behavior.releaseAll();
      await stuck;
      await system.drain();
    },
  };
}
