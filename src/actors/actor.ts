import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ActorLimits } from './limits.ts';
import { type Envelope, Mailbox } from './mailbox.ts';

/** Why an ask got no reply from the actor itself. All of them mean: nothing more will happen, ask again later. */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly reason: 'mailbox-full' | 'deadline' | 'contended' | 'stopping' | 'fault';
};

export function unavailable(reason: Unavailable['reason']): Unavailable {
  return { kind: 'unavailable', reason };
}

/** What an actor does. `receive` gets one batch at a time, in order, and owes a reply to each message. */
export type Behavior<Message, Reply> = {
  /** The most messages handed over at once; 1 where each needs a turn of its own. */
  readonly maxBatch: number;
  receive(messages: readonly Message[], deadlinesMs: readonly number[]): Promise<readonly (Reply | Unavailable)[]>;
  /** Forget everything: a fault may have left anything behind. The truth is elsewhere. */
  restart(): void;
};

export type ActorContext = { readonly clock: Clock; readonly log: Log; readonly limits: ActorLimits };

/**
 * A queue and one turn at a time. A fault in a turn answers that turn's asks, restarts the behavior and pauses with
 * back-off; the messages behind it stay in the mailbox and are handled after the pause.
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

  /** True when no message waits and none is being handled: only then may it be passivated. */
  get idle(): boolean {
    return this.#running === null && this.#mailbox.size === 0;
  }

  /** Puts an envelope into the mailbox; a full one answers at once. */
  tell(envelope: Envelope<Message, Reply | Unavailable>): void {
    if (!this.#mailbox.offer(envelope)) return envelope.reply(unavailable('mailbox-full'));
    this.#running ??= this.#run();
  }

  /** Resolves when the mailbox is empty. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // The asks of one turn of the event loop gather in the mailbox before the first batch is taken.
    await Promise.resolve();
    while (this.#mailbox.size > 0) await this.#turn(this.#mailbox.take(this.behavior.maxBatch));
    this.#running = null;
  }

  async #turn(batch: readonly Envelope<Message, Reply | Unavailable>[]): Promise<void> {
    const nowMs = this.#context.clock.nowMs();
    const live = batch.filter((envelope) => nowMs < envelope.deadlineMs || envelope.reply(unavailable('deadline')));
    if (live.length === 0) return;
    try {
      const replies = await this.behavior.receive(
        live.map((envelope) => envelope.message),
        live.map((envelope) => envelope.deadlineMs),
      );
      this.#faultsInARow = 0;
      for (let index = 0; index < live.length; index++) live[index]?.reply(replies[index] ?? unavailable('fault'));
    } catch (fault) {
      await this.#recover(fault, live);
    }
  }

  async #recover(fault: unknown, live: readonly Envelope<Message, Reply | Unavailable>[]): Promise<void> {
    const { log, limits } = this.#context;
    this.behavior.restart();
    const pauseMs = Math.min(limits.restartMs * 2 ** this.#faultsInARow, limits.longestRestartMs);
    this.#faultsInARow++;
    log.error('actor restarted after a fault', { actor: this.name, faultsInARow: this.#faultsInARow, pauseMs, fault });
    for (const envelope of live) envelope.reply(unavailable('fault'));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
