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

/** Turns of all actors that ever had one id: how many go on at this moment, and the most there ever were. */
type Turns = { running: number; most: number };

/**
 * An actor's behavior that does what its messages say: `fail` throws, `hold …` waits until the test lets it go, anything
 * else is answered `… done`. It writes down every batch it is given.
 */
export class ScriptedBehavior implements Behavior<string, string> {
  readonly maxBatch: number;
  readonly batches: (readonly string[])[] = [];
  readonly deadlines: (readonly number[])[] = [];
  restarts = 0;
  readonly #turns: Turns;
  #begun = Promise.withResolvers<void>();
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
      // A turn takes a while: without this nobody could come in between.
      await Promise.resolve();
      if (messages.includes('fail')) throw new Error('scripted');
      if (this.#holds && messages.some((message) => message.startsWith('hold'))) {
        this.#begun.resolve();
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

  /** Lets the held turn go on, and every later one too. */
  letGoForGood(): void {
    this.#holds = false;
    this.letGo();
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
  /** The most turns under this id that ever went on at once, however often it came to life. */
  readonly mostTurns: (id: string) => number;
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
  const turns = new Map<string, Turns>();
  const spawn = (id: string): ScriptedBehavior => {
    const turnsOfId = turns.get(id) ?? { running: 0, most: 0 };
    turns.set(id, turnsOfId);
    const behavior = new ScriptedBehavior(maxBatch, turnsOfId);
    lives.push({ id, behavior });
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
      const latest = lives.findLast((life) => life.id === id);
      if (latest === undefined) throw new Error(`nobody spoke to ${id}`);
      return latest.behavior;
    },
    lives: (id) => lives.filter((life) => life.id === id).length,
    mostTurns: (id) => turns.get(id)?.most ?? 0,
    resident: (id) => pool.resident(id) !== undefined,
    ask: (id, message) => pool.ask(id, message, clock.nowMs() + 60_000),
    async swept() {
      await bell.holding();
      await bells.ask('bell', 'swept?', clock.nowMs());
    },
    async end() {
      await bell.holding();
      bell.letGoForGood();
      for (const { behavior } of lives) behavior.letGoForGood();
      await stuck;
      await system.drain();
    },
  };
}
