import { fold } from '../eventsourcing/decider.ts';
import { type Cause, type DomainEvent, type Position, unreachable } from '../eventsourcing/message.ts';
import { AppendTooLarge } from '../ports/append-too-large.ts';
import { type AppendOutcome, MAX_APPEND_EVENTS, type NewEvent, NO_STREAM } from '../ports/event-store.ts';
import { type Behavior, type Unavailable, unavailable } from './actor.ts';
import { FairTurns } from './fair-turns.ts';
import { FoldedStream } from './folded-stream.ts';
import type {
  EntityContext,
  EntityKind,
  EntityMessage,
  EntityReply,
  KnownState,
  StreamHandler,
} from './stream-handler.ts';
import type { ActorPool } from './system.ts';

export type { EntityContext, EntityKind, EntityReply, KnownState, StreamHandler };

/** Has an actor per active stream of a category. Actors are caches and queues: the expected revision decides. */
export function streamHandler<C, S, E extends DomainEvent, R>(
  kind: EntityKind<C, S, E, R>,
  context: EntityContext,
): StreamHandler<C, S, E, R> {
  const category = kind.codec.category;
  const pool: ActorPool<EntityMessage<C>, EntityReply<S, E, R>> = context.system.pool(
    category,
    (id) => new Entity(`${category}-${id}`, kind, context),
    kind.resident,
  );
  return {
    categories: [category],
    async handle(id, command, cause, deadlineMs, { known = null } = {}) {
      const sharesAppends = kind.maxBatch > 1;
      if (known !== null && !sharesAppends && pool.resident(id) === undefined) {
        const append = async () => {
          const appended = await appendAt(known, `${category}-${id}`, { command, cause }, kind, context);
          // An actor started meanwhile may have read the stream before this append.
          if (appended !== null) pool.resident(id)?.restart();
          return appended;
        };
        const first = await pool.direct(id, append, deadlineMs);
        if (first !== null) return first;
      }
      const message = { kind: 'command', command, cause, isNew: sharesAppends && known === 'no-stream' } as const;
      const reply = await pool.ask(id, message, deadlineMs);
      if (reply.kind === 'state') throw new Error(`${category}-${id} answered a command with its state`);
      return reply;
    },
    async read(id, deadlineMs) {
      const reply = await pool.ask(id, { kind: 'read' }, deadlineMs);
      if (reply.kind === 'accepted' || reply.kind === 'rejected')
        throw new Error(`${category}-${id} answered a read with a decision`);
      return reply;
    },
    peek(id) {
      const resident = pool.resident(id);
      return resident instanceof Entity ? (resident as Entity<C, S, E, R>).known : undefined;
    },
  };
}

/** Null if the actor must read the stream: it has other events, nothing is to be appended, or the outcome is unknown. */
async function appendAt<C, S, E extends DomainEvent, R>(
  known: KnownState<S>,
  stream: string,
  { command, cause }: { readonly command: C; readonly cause: Cause },
  { decider, codec }: EntityKind<C, S, E, R>,
  { store, ids }: EntityContext,
): Promise<Extract<EntityReply<S, E, R>, { kind: 'accepted' }> | null> {
  const from = known === 'no-stream' ? { state: decider.initial, revision: NO_STREAM } : known;
  const decision = decider.decide(command, from.state);
  if (decision.kind === 'rejected' || decision.events.length === 0) return null;
  const { events } = decision;
  const append = events.map((event) => ({ id: ids.uuid(), ...codec.encode(event), cause }));
  try {
    const outcome = await store.append(stream, from.revision, append);
    if (outcome.kind !== 'appended') return null;
    const { revision, position } = outcome;
    return { kind: 'accepted', events, state: fold(decider, events, from.state), revision, position };
  } catch {
    // The actor reads the stream to learn the outcome, and reports a lasting fault.
    return null;
  }
}

type TooLarge = { readonly kind: 'too-large'; readonly fault: AppendTooLarge };

class Entity<C, S, E extends DomainEvent, R> implements Behavior<EntityMessage<C>, EntityReply<S, E, R>> {
  readonly maxBatch: number;
  readonly #stream: string;
  readonly #kind: EntityKind<C, S, E, R>;
  readonly #context: EntityContext;
  readonly #folded: FoldedStream<C, S, E, R>;
  #doing = 'starts';
  readonly #turns: FairTurns | null;

  constructor(stream: string, kind: EntityKind<C, S, E, R>, context: EntityContext) {
    this.#stream = stream;
    this.#kind = kind;
    this.#context = context;
    this.maxBatch = kind.maxBatch;
    this.#folded = new FoldedStream(stream, kind, context);
    this.#turns = context.store.exclusive ? null : new FairTurns(context.system.clock);
  }

  get known(): S | undefined {
    return this.#folded.phase === 'read' ? this.#folded.state : undefined;
  }

  async ready(): Promise<void> {
    await this.#turns?.gap();
  }

  doing(): string {
    return this.#doing;
  }

  restart(fault?: unknown): void {
    this.#folded.restart(fault);
  }

  /**
   * After a conflict with another writer, decides the messages again for as long as a caller waits. The writer that won needs
   * no read before its next append, so this one can lose many times in a row.
   */
  async receive(
    messages: readonly EntityMessage<C>[],
    deadlinesMs: readonly number[],
  ): Promise<(EntityReply<S, E, R> | Unavailable)[]> {
    let upToDate = this.#context.store.exclusive;
    const folded = this.#folded;
    if (folded.phase === 'unread') {
      // A state that is only assumed is confirmed by the append, or by a read before an answer without one. After a fault the
      // outcome of an append may be unknown.
      const assumed = folded.restarts === 0 && messages.some((message) => message.kind === 'command' && message.isNew);
      upToDate = !assumed;
      if (upToDate) await this.#catchUp();
    }
    for (let conflicts = 0; ; ) {
      if (this.#erased) return messages.map(() => ({ kind: 'erased' }));
      const plan = this.#plan(messages, deadlinesMs, conflicts);
      if (plan.append.length === 0) {
        if (upToDate) return plan.replies(null);
        // No append checks these answers, so their state must be read after the messages arrived.
        await this.#catchUp();
        upToDate = true;
        continue;
      }
      this.#doing = conflicts === 0 ? 'appends to its stream' : `appends to its stream after ${conflicts} conflicts`;
      const [beganMs, restarts] = [this.#context.system.clock.nowMs(), folded.restarts];
      const outcome = await this.#append(plan.append);
      switch (outcome.kind) {
        case 'too-large':
          return this.#oneByOne(messages, deadlinesMs, outcome.fault);
        case 'appended':
          this.#turns?.appended(beganMs);
          folded.appended(plan.state, outcome.revision, plan.append);
          // After a restart during the append, another writer's event may follow.
          if (restarts === folded.restarts) folded.phase = 'read';
          return plan.replies(outcome.position);
        case 'wrong-revision':
          conflicts++;
          this.#turns?.reset();
          await this.#catchUp();
          upToDate = true;
          break;
        case 'erased':
          folded.phase = 'erased';
          break;
        default:
          return unreachable(outcome);
      }
    }
  }

  async #append(events: readonly NewEvent[]): Promise<AppendOutcome | TooLarge> {
    try {
      return await this.#folded.append(events);
    } catch (fault) {
      if (fault instanceof AppendTooLarge) return { kind: 'too-large', fault };
      throw fault;
    }
  }

  /** After an append that was too large: each command alone may be small enough. */
  async #oneByOne(
    messages: readonly EntityMessage<C>[],
    deadlinesMs: readonly number[],
    fault: AppendTooLarge,
  ): Promise<(EntityReply<S, E, R> | Unavailable)[]> {
    if (messages.length === 1) return [unavailable('too-large', { call: `append to ${this.#stream}`, fault })];
    const replies: (EntityReply<S, E, R> | Unavailable)[] = [];
    for (const [index, message] of messages.entries())
      replies.push(...(await this.receive([message], deadlinesMs.slice(index, index + 1))));
    return replies;
  }

  get #erased(): boolean {
    return this.#folded.phase === 'erased';
  }

  /**
   * Decides the messages in order, each on the state that results from the ones before it. Messages past their deadline are
   * not decided: the read of the stream, or a conflict, may have taken long.
   */
  #plan(messages: readonly EntityMessage<C>[], deadlinesMs: readonly number[], conflicts: number) {
    const { decider, codec } = this.#kind;
    const append: NewEvent[] = [];
    const replies: ((position: Position | null) => EntityReply<S, E, R> | Unavailable)[] = [];
    const nowMs = this.#context.system.clock.nowMs();
    let { state } = this.#folded;
    for (const [index, message] of messages.entries()) {
      if (nowMs >= (deadlinesMs[index] ?? 0)) {
        replies.push(() =>
          conflicts === 0
            ? unavailable('deadline', { call: `read of ${this.#stream}` })
            : unavailable('contended', {
                call: `append to ${this.#stream}, which conflicted with other writers`,
                attempts: conflicts,
              }),
        );
        continue;
      }
      const before = state;
      if (message.kind === 'read') {
        const revision = this.#folded.revision + append.length;
        replies.push(() => ({ kind: 'state', state: before, revision }));
        continue;
      }
      const decision = decider.decide(message.command, before);
      if (decision.kind === 'rejected') {
        const revision = this.#folded.revision + append.length;
        replies.push(() => ({ kind: 'rejected', rejection: decision.rejection, state: before, revision }));
        continue;
      }
      if (append.length > 0 && append.length + decision.events.length > MAX_APPEND_EVENTS) {
        const call = `append to ${this.#stream} of more than ${MAX_APPEND_EVENTS} events`;
        replies.push(() => unavailable('contended', { call }));
        continue;
      }
      for (const event of decision.events) {
        state = decider.evolve(state, event);
        append.push({ id: this.#context.ids.uuid(), ...codec.encode(event), cause: message.cause });
      }
      const after = state;
      const revision = this.#folded.revision + append.length;
      const { events } = decision;
      replies.push((position) => ({
        kind: 'accepted',
        events,
        state: after,
        revision,
        position: events.length === 0 ? null : position,
      }));
    }
    return {
      append,
      state,
      replies: (position: Position | null) => replies.map((reply) => reply(position)),
    };
  }

  async #catchUp(): Promise<void> {
    this.#doing = 'reads its stream';
    await this.#folded.catchUp();
  }
}
