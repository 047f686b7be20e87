import { Actor, type ActorContext, type Behavior, type Unavailable, unavailable } from './actor.ts';

type Outstanding = { readonly deadlineMs: number; readonly expire: () => void };

/** All actors of one kind, each known by an id and brought to life by the first message to it. */
export type ActorPool<Message, Reply> = {
  /** The reply, or why there is none: at the latest a sweep after the deadline (ms since the epoch). */
  ask(id: string, message: Message, deadlineMs: number): Promise<Reply | Unavailable>;
  /** Work that needs no actor, under the same deadline, refused and waited for at a stop in the same way. */
  direct(work: () => Promise<Reply | Unavailable>, deadlineMs: number): Promise<Reply | Unavailable>;
  /** The behavior of a resident actor, to look at what it knows; undefined where none is in memory. */
  resident(id: string): Behavior<Message, Reply> | undefined;
  readonly size: number;
};

export type ActorSystem = {
  pool<Message, Reply>(kind: string, spawn: (id: string) => Behavior<Message, Reply>): ActorPool<Message, Reply>;
  /** Refuses new asks with `stopping`, and resolves when every message taken before was answered. */
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
    pool(kind, spawn) {
      const pool = new Pool(kind, spawn, context);
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
   * Two generations, so that finding the idle ones costs nothing on the way of a message: an actor that is used moves to
   * the younger one, and when that is full or old, what is idle in the older one goes.
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
    if (this.#stopping) return Promise.resolve(unavailable('stopping'));
    return new Promise((resolve) => {
      this.#actor(id).tell({ message, deadlineMs, reply: this.#awaited(deadlineMs, resolve) });
    });
  }

  direct(work: () => Promise<Reply | Unavailable>, deadlineMs: number): Promise<Reply | Unavailable> {
    if (this.#stopping) return Promise.resolve(unavailable('stopping'));
    if (this.#context.clock.nowMs() >= deadlineMs) return Promise.resolve(unavailable('deadline'));
    return new Promise((resolve) => {
      const reply = this.#awaited(deadlineMs, resolve);
      const running: Promise<void> = carryOut(work, reply).finally(() => this.#direct.delete(running));
      this.#direct.add(running);
    });
  }

  /** The way back to an asker, who at the latest is told `deadline` by the sweep. */
  #awaited(deadlineMs: number, resolve: (reply: Reply | Unavailable) => void): (reply: Reply | Unavailable) => void {
    const outstanding = { deadlineMs, expire: () => resolve(unavailable('deadline')) };
    this.#outstanding.add(outstanding);
    return (reply) => {
      this.#outstanding.delete(outstanding);
      resolve(reply);
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

  /** Passivated only while idle, between two turns of the event loop: no message can be lost with an actor. */
  #passivateOlder(nowMs: number): void {
    const passivated = this.#older;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerSinceMs = nowMs;
    for (const [id, actor] of passivated) if (!actor.idle) this.#younger.set(id, actor);
  }
}

async function carryOut<Reply>(
  work: () => Promise<Reply | Unavailable>,
  reply: (reply: Reply | Unavailable) => void,
): Promise<void> {
  try {
    reply(await work());
  } catch {
    reply(unavailable('fault'));
  }
}
