import { Actor, type ActorContext, type Behavior, type Unavailable, unavailable } from './actor.ts';

type Outstanding = { readonly deadlineMs: number; readonly expire: () => void };

/** All actors of one kind, each known by an id and brought to life by the first message to it. */
export type ActorPool<Message, Reply> = {
  /** The reply, or why there is none: at the latest a sweep after the deadline (ms since the epoch). */
  ask(id: string, message: Message, deadlineMs: number): Promise<Reply | Unavailable>;
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
  /** In the order of their last use: the first is the one idle for longest. */
  readonly #actors = new Map<string, Actor<Message, Reply>>();
  readonly #outstanding = new Set<Outstanding>();
  #stopping = false;

  constructor(kind: string, spawn: (id: string) => Behavior<Message, Reply>, context: ActorContext) {
    this.kind = kind;
    this.#spawn = spawn;
    this.#context = context;
  }

  get size(): number {
    return this.#actors.size;
  }

  ask(id: string, message: Message, deadlineMs: number): Promise<Reply | Unavailable> {
    if (this.#stopping) return Promise.resolve(unavailable('stopping'));
    return new Promise((resolve) => {
      const outstanding = { deadlineMs, expire: () => resolve(unavailable('deadline')) };
      this.#outstanding.add(outstanding);
      const reply = (value: Reply | Unavailable): void => {
        this.#outstanding.delete(outstanding);
        resolve(value);
      };
      this.#actor(id).tell({ message, deadlineMs, reply });
    });
  }

  resident(id: string): Behavior<Message, Reply> | undefined {
    return this.#actors.get(id)?.behavior;
  }

  stop(): void {
    this.#stopping = true;
  }

  async drained(): Promise<void> {
    await Promise.all([...this.#actors.values()].map((actor) => actor.drained()));
  }

  sweep(nowMs: number): void {
    for (const outstanding of this.#outstanding) {
      if (nowMs < outstanding.deadlineMs) continue;
      this.#outstanding.delete(outstanding);
      outstanding.expire();
    }
    for (const [id, actor] of this.#actors) {
      if (nowMs - actor.lastUsedMs < this.#context.limits.idleMs) break;
      if (actor.idle) this.#actors.delete(id);
    }
  }

  /** An actor is passivated only while idle, between two turns of the event loop: no message can be lost with it. */
  #actor(id: string): Actor<Message, Reply> {
    let actor = this.#actors.get(id);
    if (actor === undefined) {
      this.#makeRoom();
      actor = new Actor(`${this.kind}-${id}`, this.#spawn(id), this.#context);
    } else {
      this.#actors.delete(id);
      actor.lastUsedMs = this.#context.clock.nowMs();
    }
    this.#actors.set(id, actor);
    return actor;
  }

  #makeRoom(): void {
    if (this.#actors.size < this.#context.limits.resident) return;
    for (const [id, actor] of this.#actors) {
      if (!actor.idle) continue;
      this.#actors.delete(id);
      return;
    }
  }
}
