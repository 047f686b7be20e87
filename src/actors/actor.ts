import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { causeOf, StoreUnavailable, type UnavailableCause } from '../ports/store-unavailable.ts';
import type { ActorLimits } from './limits.ts';
import { type Envelope, Mailbox } from './mailbox.ts';

/** Why the actor did not reply to an ask. The caller may ask again later, unless its command is `too-large` for the store. */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly reason: 'mailbox-full' | 'deadline' | 'contended' | 'stopping' | 'too-large' | 'fault';
  readonly cause: UnavailableCause;
};

export function unavailable(reason: Unavailable['reason'], cause: UnavailableCause): Unavailable {
  return { kind: 'unavailable', reason, cause };
}

/** What an actor does. `receive` gets one batch at a time, in order, and replies to each message. */
export type Behavior<Message, Reply> = {
  /** Maximum number of messages per turn. */
  readonly maxBatch: number;
  receive(messages: readonly Message[], deadlinesMs: readonly number[]): Promise<readonly (Reply | Unavailable)[]>;
  /** Drops the cached state that the fault may have corrupted. Without a fault: it may be out of date. */
  restart(fault?: unknown): void;
  /** Resolves when the next turn may start. */
  ready?(): Promise<void>;
  /** The current step of the turn, for messages: `appends to its stream`. */
  doing?(): string;
};

export type ActorContext = { readonly clock: Clock; readonly log: Log; readonly limits: ActorLimits };

/**
 * Handles its mailbox one turn at a time. After a fault it answers the asks of the turn, restarts its behavior and pauses
 * with back-off; waiting messages stay in the mailbox.
 */
export class Actor<Message, Reply> {
  readonly name: string;
  readonly behavior: Behavior<Message, Reply>;
  readonly #mailbox: Mailbox<Message, Reply | Unavailable>;
  readonly #context: ActorContext;
  #running: Promise<void> | null = null;
  #faultsInARow = 0;

  constructor(name: string, behavior: Behavior<Message, Reply>, context: ActorContext) {
    this.name = name;
    this.behavior = behavior;
    this.#context = context;
    this.#mailbox = new Mailbox(context.limits.mailbox);
  }

  /** True when no message waits or is being handled: only then may the actor be passivated. */
  get idle(): boolean {
    return this.#running === null && this.#mailbox.size === 0;
  }

  /** Adds an envelope to the mailbox. If the mailbox is full, answers `mailbox-full` at once. */
  tell(envelope: Envelope<Message, Reply | Unavailable>): void {
    if (!this.#mailbox.offer(envelope)) {
      const call = `ask of ${this.name}, whose mailbox is full with ${this.#mailbox.size} messages`;
      return envelope.reply(unavailable('mailbox-full', { call }));
    }
    this.#running ??= this.#run();
  }

  /** The answer to an ask after its deadline. */
  late(envelope: Envelope<Message, Reply | Unavailable>): Unavailable {
    const doing = this.behavior.doing?.() ?? 'runs a turn';
    return this.#late(envelope, this.#mailbox.has(envelope) ? `${doing} for earlier messages` : doing);
  }

  /** Resolves when the mailbox is empty. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Wait for one turn of the event loop, so that asks of the same turn come in one batch.
    await Promise.resolve();
    while (this.#mailbox.size > 0) {
      await this.behavior.ready?.();
      await this.#turn(this.#mailbox.take(this.behavior.maxBatch));
    }
    this.#running = null;
  }

  async #turn(batch: readonly Envelope<Message, Reply | Unavailable>[]): Promise<void> {
    const nowMs = this.#context.clock.nowMs();
    const live = batch.filter(
      (envelope) =>
        nowMs < envelope.deadlineMs || envelope.reply(this.#late(envelope, 'was handling earlier messages')),
    );
    if (live.length === 0) return;
    try {
      const replies = await this.behavior.receive(
        live.map((envelope) => envelope.message),
        live.map((envelope) => envelope.deadlineMs),
      );
      this.#faultsInARow = 0;
      for (let index = 0; index < live.length; index++) {
        live[index]?.reply(
          replies[index] ?? unavailable('fault', { call: `ask of ${this.name}, which gave no reply` }),
        );
      }
    } catch (fault) {
      await this.#recover(fault, live);
    }
  }

  #late({ sentMs, deadlineMs }: Envelope<Message, Reply>, doing: string): Unavailable {
    return unavailable('deadline', {
      call: `ask of ${this.name}, which ${doing}`,
      deadline: { name: 'ask', ms: deadlineMs - sentMs },
      tookMs: this.#context.clock.nowMs() - sentMs,
    });
  }

  async #recover(fault: unknown, live: readonly Envelope<Message, Reply | Unavailable>[]): Promise<void> {
    const { log, limits } = this.#context;
    this.behavior.restart(fault);
    const pauseMs = Math.min(limits.restartMs * 2 ** this.#faultsInARow, limits.longestRestartMs);
    this.#faultsInARow++;
    // A failed request logs the fault of an engine; any other fault is a bug.
    if (!(fault instanceof StoreUnavailable)) {
      const facts = { actor: this.name, faultsInARow: this.#faultsInARow, pauseMs, fault };
      log.error('actor restarted after a fault', facts);
    }
    const cause = causeOf(fault, `ask of ${this.name}`);
    for (const envelope of live) envelope.reply(unavailable('fault', cause));
    await pause(pauseMs);
  }
}
