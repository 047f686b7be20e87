import type { ActorContext, Behavior } from '../../../src/actors/actor.ts';
import type { ActorLimits } from '../../../src/actors/limits.ts';
import { type ActorPool, type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';

/** Limits at which nothing happens by itself in a test, but for a sweep every millisecond. */
export const QUIET: ActorLimits = {
  mailbox: 100,
  resident: 100,
  idleMs: 60_000,
  sweepMs: 1,
  restartMs: 1,
  longestRestartMs: 1,
};

/**
 * An actor's behavior that does what its messages say: `fail` throws, `hold …` waits until the test lets it go, anything
 * else is answered `… done`. It writes down every batch it is given.
 */
export class ScriptedBehavior implements Behavior<string, string> {
  readonly maxBatch: number;
  readonly batches: (readonly string[])[] = [];
  readonly deadlines: (readonly number[])[] = [];
  restarts = 0;
  /** Turns going on at this moment, and the most there ever were. */
  running = 0;
  mostRunning = 0;
  #begun = Promise.withResolvers<void>();
  #held = Promise.withResolvers<void>();

  constructor(maxBatch = 1) {
    this.maxBatch = maxBatch;
  }

  async receive(messages: readonly string[], deadlinesMs: readonly number[]): Promise<readonly string[]> {
    this.batches.push(messages);
    this.deadlines.push(deadlinesMs);
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    try {
      if (messages.includes('fail')) throw new Error('scripted');
      if (messages.some((message) => message.startsWith('hold'))) {
        this.#begun.resolve();
        await this.#held.promise;
      }
      return messages.map((message) => `${message} done`);
    } finally {
      this.running--;
    }
  }

  restart(): void {
    this.restarts++;
  }

  /** Resolves when a turn with a `hold` message has begun. */
  holding(): Promise<void> {
    return this.#begun.promise;
  }

  /** Lets the held turn go on. */
  letGo(): void {
    this.#held.resolve();
    this.#begun = Promise.withResolvers();
    this.#held = Promise.withResolvers();
  }
}

export type Scene = {
  readonly clock: MovedClock;
  readonly log: ReturnType<typeof collectedLog>;
  readonly system: ActorSystem;
  readonly pool: ActorPool<string, string>;
  /** The behavior of an actor that was spoken to, the latest one where it came to life more than once. */
  readonly behavior: (id: string) => ScriptedBehavior;
  /** How often an actor of this id came to life. */
  readonly lives: (id: string) => number;
  /** Whether an actor of this id is in memory. */
  readonly resident: (id: string) => boolean;
  /** An ask that waits for a minute. */
  readonly ask: (id: string, message: string) => ReturnType<ActorPool<string, string>['ask']>;
  /** Resolves when the actors have come to rest and have been swept since. */
  readonly swept: () => Promise<void>;
  /** Lets go of everything and stops the sweeper. */
  readonly end: () => Promise<void>;
};

/** An actor system with one pool of scripted actors. */
export function scene(limits: Partial<ActorLimits> = {}, maxBatch = 1): Scene {
  const clock = movedClock();
  const log = collectedLog();
  const context: ActorContext = { clock, log, limits: { ...QUIET, ...limits } };
  const system = createActorSystem(context);
  const lives: { readonly id: string; readonly behavior: ScriptedBehavior }[] = [];
  const spawn = (id: string): ScriptedBehavior => {
    const behavior = new ScriptedBehavior(maxBatch);
    lives.push({ id, behavior });
    return behavior;
  };
  const pool = system.pool('scripted', spawn);
  // Swept after the pool above: whoever waits in it with a deadline that has passed hears of the sweep.
  const bell = new ScriptedBehavior();
  const bells = system.pool('bell', () => bell);
  const stuck = bells.ask('bell', 'hold', Number.POSITIVE_INFINITY);
  return {
    clock,
    log,
    system,
    pool,
    behavior(id) {
      const latest = lives.findLast((life) => life.id === id);
      if (latest === undefined) throw new Error(`nobody spoke to ${id}`);
      return latest.behavior;
    },
    resident: (id) => pool.resident(id) !== undefined,
    lives: (id) => lives.filter((life) => life.id === id).length,
    ask: (id, message) => pool.ask(id, message, clock.nowMs() + 60_000),
    async swept() {
      await bell.holding();
      await bells.ask('bell', 'swept?', clock.nowMs());
    },
    async end() {
      await bell.holding();
      bell.letGo();
      for (const { behavior } of lives) behavior.letGo();
      await stuck;
      await system.drain();
    },
  };
}
