import type { Clock } from '../ports/clock.ts';
import { causeOf } from '../ports/store-unavailable.ts';
import { Actor, type ActorContext, type Behavior, type Unavailable, unavailable } from './actor.ts';
import type { Envelope } from './mailbox.ts';

type Outstanding = { readonly deadlineMs: number; readonly expire: () => void };

/** All actors of one kind, by id. The first message to an id starts its actor. */
export type ActorPool<Message, Reply> = {
  /** The reply, or why there is none. Resolves at the latest at the first sweep after the deadline (ms since the epoch). */
  ask(id: string, message: Message, deadlineMs: number): Promise<Reply | Unavailable>;
  /** Runs work for an id without an actor; deadline and stop apply as for `ask`. */
  direct<Result>(id: string, work: () => Promise<Result>, deadlineMs: number): Promise<Result | Unavailable>;
  /** The behavior of a resident actor; undefined if none is in memory. */
  resident(id: string): Behavior<Message, Reply> | undefined;
  readonly size: number;
};

export type ActorSystem = {
  /** The clock of the deadlines. */
  readonly clock: Clock;
  /** @param resident maximum number of actors of this kind in memory, if lower than `limits.resident` */
  pool<Message, Reply>(
    kind: string,
    spawn: (id: string) => Behavior<Message, Reply>,
    resident?: number,
  ): ActorPool<Message, Reply>;
  /** Refuses new asks with `stopping`. Resolves when every accepted message is answered. */
  drain(): Promise<void>;
  /** Resident actors by kind, for metrics. */
  residents(): Readonly<Record<string, number>>;
};

export function createActorSystem(context: ActorContext): ActorSystem {
  const pools: Pool<never, never>[] = [];
  const sweeper = setInterval(() => {
    const nowMs = context.clock.nowMs();
    for (const pool of pools) pool.sweep(nowMs);
  }, context.limits.sweepMs);
  sweeper.unref();

  return {
    clock: context.clock,
    pool(kind, spawn, resident = context.limits.resident) {
      const pool = new Pool(kind, spawn, { ...context, limits: { ...context.limits, resident } });
      pools.push(pool as unknown as Pool<never, never>);
      return pool;
    },
    async drain() {
      for (const pool of pools) pool.stop();
      await Promise.all(pools.map((pool) => pool.drained()));
      clearInterval(sweeper);
    },
    residents: () => Object.fromEntries(pools.map((pool) => [pool.kind, pool.size])),
  };
}

class Pool<Message, Reply> implements ActorPool<Message, Reply> {
  readonly kind: string;
  readonly #spawn: (id: string) => Behavior<Message, Reply>;
  readonly #context: ActorContext;
  /**
   * Two generations, so that finding idle actors costs nothing per message: a used actor moves to the younger generation.
   * When that one is full or old, the idle actors of the older one are passivated.
   */
  #younger = new Map<string, Actor<Message, Reply>>();
  #older = new Map<string, Actor<Message, Reply>>();
  #youngerSinceMs: number;
  readonly #outstanding = new Set<Outstanding>();
  readonly #direct = new Set<Promise<void>>();
  #stopping = false;

  constructor(kind: string, spawn: (id: string) => Behavior<Message, Reply>, context: ActorContext) {
    this.kind = kind;
    this.#spawn = spawn;
    this.#context = context;
    this.#youngerSinceMs = context.clock.nowMs();
  }

  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  ask(id: string, message: Message, deadlineMs: number): Promise<Reply | Unavailable> {
    const call = `ask of ${this.kind}-${id}`;
    if (this.#stopping) return Promise.resolve(unavailable('stopping', { call }));
    return new Promise((resolve) => {
      const actor = this.#actor(id);
      const reply = this.#awaited(deadlineMs, () => actor.late(envelope), resolve);
      const envelope: Envelope<Message, Reply | Unavailable> = {
        message,
        sentMs: this.#context.clock.nowMs(),
        deadlineMs,
        reply,
      };
      actor.tell(envelope);
    });
  }

  direct<Result>(id: string, work: () => Promise<Result>, deadlineMs: number): Promise<Result | Unavailable> {
    const call = `first command to ${this.kind}-${id}`;
    if (this.#stopping) return Promise.resolve(unavailable('stopping', { call }));
    const { clock } = this.#context;
    const sentMs = clock.nowMs();
    const late = (): Unavailable => {
      const deadline = { name: 'ask', ms: deadlineMs - sentMs };
      return unavailable('deadline', { call, deadline, tookMs: clock.nowMs() - sentMs });
    };
    if (sentMs >= deadlineMs) return Promise.resolve(late());
    return new Promise((resolve) => {
      const reply = this.#awaited(deadlineMs, late, resolve);
      const running: Promise<void> = runDirect(work, reply, call).finally(() => this.#direct.delete(running));
      this.#direct.add(running);
    });
  }

  /** Returns the reply function of one ask or piece of work. After the deadline, the sweep replies with `late`. */
  #awaited<Result>(
    deadlineMs: number,
    late: () => Unavailable,
    resolve: (result: Result | Unavailable) => void,
  ): (result: Result | Unavailable) => void {
    const outstanding = { deadlineMs, expire: () => resolve(late()) };
    this.#outstanding.add(outstanding);
    return (result) => {
      this.#outstanding.delete(outstanding);
      resolve(result);
    };
  }

  resident(id: string): Behavior<Message, Reply> | undefined {
    return (this.#younger.get(id) ?? this.#older.get(id))?.behavior;
  }

  stop(): void {
    this.#stopping = true;
  }

  async drained(): Promise<void> {
    await Promise.all(this.#direct);
    await Promise.all([...this.#younger.values(), ...this.#older.values()].map((actor) => actor.drained()));
  }

  sweep(nowMs: number): void {
    for (const outstanding of this.#outstanding) {
      if (nowMs < outstanding.deadlineMs) continue;
      this.#outstanding.delete(outstanding);
      outstanding.expire();
    }
    if (nowMs - this.#youngerSinceMs >= this.#context.limits.idleMs) this.#passivateOlder(nowMs);
  }

  #actor(id: string): Actor<Message, Reply> {
    const young = this.#younger.get(id);
    if (young !== undefined) return young;
    const actor = this.#older.get(id) ?? new Actor(`${this.kind}-${id}`, this.#spawn(id), this.#context);
    this.#older.delete(id);
    if (this.#younger.size >= this.#context.limits.resident / 2) this.#passivateOlder(this.#context.clock.nowMs());
    this.#younger.set(id, actor);
    return actor;
  }

  /** Passivates idle actors only, between two turns of the event loop, so that no message is lost. */
  #passivateOlder(nowMs: number): void {
    const passivated = this.#older;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerSinceMs = nowMs;
    for (const [id, actor] of passivated) if (!actor.idle) this.#younger.set(id, actor);
  }
}

async function runDirect<Result>(
  work: () => Promise<Result>,
  reply: (result: Result | Unavailable) => void,
  call: string,
): Promise<void> {
  try {
    reply(await work());
  } catch (fault) {
    reply(unavailable('fault', causeOf(fault, call)));
  }
}
