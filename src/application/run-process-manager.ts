import { recorded } from '../domain/codecs.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { DomainEvent, Position } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { LowWaterCheckpoint } from './low-water-checkpoint.ts';
import type { Begun, GiveUp } from './under-lease.ts';

const RETRY_MS = 200;
const LINGER_MS = 20;

/** What became of a command. */
export type CarriedOut =
  /** For good, and no event says so (the erasure of a stream). */
  | { readonly kind: 'done' }
  /** The event at this position says so: until it is folded, the command is not begun again. */
  | { readonly kind: 'recorded'; readonly position: Position }
  /** Not yet, or not known: it is looked at again at the next interval, or when the manager says. */
  | { readonly kind: 'later' };

export type ProcessManagerRun<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  readonly carryOut: (command: Command) => Promise<CarriedOut>;
  /** Names a command: of the same name only one is under way. */
  readonly keyOf: (command: Command) => string;
  readonly maxInFlight: number;
  /** Where nodes share the work: the part that a command belongs to. Only what belongs to a part that was taken is begun. */
  readonly partOf?: (command: Command) => number;
  /** Whether events are acted on as they are folded, or only at the next interval. */
  readonly prompt: boolean;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How often owed commands are looked for, and how often at most the checkpoint is stored. */
  readonly intervalMs: number;
  readonly checkpointMs: number;
  /** Told where the log cannot be folded on this node any further. */
  readonly giveUp: GiveUp;
};

export type RunningProcessManager = {
  /** Everything up to here has been folded. */
  readonly position: () => Position;
  /**
   * Begins what belongs to a part, once all is folded that was stored by now: nothing that somebody else did before is done
   * again. Stopped, it waits for what is under way of the part.
   * @throws where the log cannot be folded so far
   */
  takePart(part: number): Promise<Begun>;
  /** Begins nothing more, waits for what is under way, stores the checkpoint. */
  stop(): Promise<void>;
};

/**
 * Folds the log into what is owed and sees that it is done. The checkpoint is a low-water mark in the event store itself:
 * a crash forgets nothing, and repeats at most commands that their deciders recognise. Nothing is carried out before
 * the log was read to its end once: what looks owed may have been done long ago.
 */
export async function runProcessManager<State, Command>(
  run: ProcessManagerRun<State, Command>,
): Promise<RunningProcessManager> {
  const work = new Work(run);
  await work.checkpoint.load();
  work.position = work.checkpoint.position;
  const loops = [work.follow(), work.tick()];
  return {
    position: () => work.position,
    takePart: (part) => work.takePart(part),
    async stop() {
      work.stopping.abort();
      await Promise.all(loops);
      await work.finish();
    },
  };
}

class Work<State, Command> {
  readonly stopping = new AbortController();
  readonly checkpoint: LowWaterCheckpoint;
  position: Position;
  readonly #run: ProcessManagerRun<State, Command>;
  #state: State;
  #caughtUp = false;
  /** What is under way, by its key. */
  readonly #running = new Map<string, { readonly part: number; readonly ended: Promise<void> }>();
  /** What was recorded at a position that is not folded yet. */
  readonly #settling = new Map<string, Position>();
  /** What is not to be begun again before the next interval. */
  readonly #resting = new Set<string>();
  readonly #parts = new Set<number>();
  /** Told when the log was folded further, or will not be any more. */
  readonly #watching = new Set<() => void>();
  #standing = false;
  #beginning = false;

  constructor(run: ProcessManagerRun<State, Command>) {
    this.#run = run;
    this.#state = run.manager.initial;
    this.checkpoint = new LowWaterCheckpoint(run.manager.name, run);
    this.position = this.checkpoint.position;
  }

  async follow(): Promise<void> {
    const { store, manager, log, prompt, giveUp } = this.#run;
    const { signal } = this.stopping;
    const { categories } = manager;
    while (!signal.aborted) {
      try {
        for await (const batch of store.subscribe({ after: this.position, categories, lingerMs: LINGER_MS, signal })) {
          this.checkpoint.noteBatch(this.position, batch.events.length);
          for (const event of batch.events) this.#state = manager.react(this.#state, recorded(event));
          this.position = batch.upTo;
          this.#caughtUp ||= batch.caughtUp;
          this.#settle();
          this.#tellWatching();
          if (prompt) this.#begin();
        }
      } catch (fault) {
        if (fault instanceof UnknownEvent) {
          this.#standing = true;
          this.#tellWatching();
          log.error('process manager stands still', { manager: manager.name, after: this.position, fault });
          return giveUp(fault);
        }
        log.error('process manager stopped by a fault', { manager: manager.name, retryMs: RETRY_MS, fault });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#tellWatching();
  }

  async takePart(part: number): Promise<Begun> {
    await this.#foldedUpTo(await this.#run.store.head());
    // Where it stops meanwhile, nothing is begun any more.
    this.#parts.add(part);
    this.#beginSoon();
    return {
      stop: async () => {
        this.#parts.delete(part);
        await Promise.all([...this.#running.values()].filter((its) => its.part === part).map(({ ended }) => ended));
      },
    };
  }

  async tick(): Promise<void> {
    const { clock, intervalMs, checkpointMs, manager, log } = this.#run;
    const { signal } = this.stopping;
    let storedAtMs = 0;
    while (!signal.aborted) {
      await clock.until(clock.nowMs() + intervalMs, signal);
      try {
        this.#resting.clear();
        this.#begin();
        if (clock.nowMs() - storedAtMs < checkpointMs) continue;
        storedAtMs = clock.nowMs();
        await this.#storeCheckpoint();
      } catch (fault) {
        log.error('process manager could not do what is owed', { manager: manager.name, fault });
      }
    }
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    const { manager, log } = this.#run;
    try {
      await this.#storeCheckpoint();
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault;
      // The next start folds again what lies behind the last one that was stored.
      log.error('process manager could not do what is owed', { manager: manager.name, fault });
    }
  }

  #storeCheckpoint(): Promise<void> {
    return this.checkpoint.store(this.position, this.#run.manager.oldestOpen(this.#state));
  }

  #settle(): void {
    for (const [key, position] of this.#settling) if (position <= this.position) this.#settling.delete(key);
  }

  async #foldedUpTo(position: Position): Promise<void> {
    while (this.position < position && !this.stopping.signal.aborted) {
      if (this.#standing) throw new Error(`${this.#run.manager.name} folds the log no further than ${this.position}`);
      await new Promise<void>((resolve) => this.#watching.add(resolve));
    }
  }

  #tellWatching(): void {
    for (const told of this.#watching) told();
    this.#watching.clear();
  }

  #begin(): void {
    const { manager, clock, maxInFlight } = this.#run;
    const holds = (part: number): boolean => this.#parts.has(part);
    const busy = (key: string): boolean => this.#running.has(key) || this.#settling.has(key) || this.#resting.has(key);
    for (let more = this.#caughtUp && !this.stopping.signal.aborted; more; ) {
      const limit = maxInFlight - this.#running.size;
      if (limit <= 0) return;
      const due = manager.due(this.#state, clock.nowMs(), { limit, busy, holds });
      const begun = due.filter((command) => this.#start(command, busy));
      // Others list again what was begun, and are asked when something has ended.
      more = manager.began !== undefined && begun.length > 0;
    }
  }

  /** False where the command is under way, or is not to be begun here. */
  #start(command: Command, busy: (key: string) => boolean): boolean {
    const { manager, keyOf, partOf } = this.#run;
    const [key, part] = [keyOf(command), partOf?.(command) ?? 0];
    if (busy(key) || (partOf !== undefined && !this.#parts.has(part))) return false;
    if (manager.began !== undefined) this.#state = manager.began(this.#state, command);
    this.#running.set(key, { part, ended: this.#carryOut(command, key) });
    return true;
  }

  async #carryOut(command: Command, key: string): Promise<void> {
    const { manager, carryOut, clock, log } = this.#run;
    let outcome: CarriedOut = { kind: 'later' };
    try {
      outcome = await carryOut(command);
    } catch (fault) {
      log.error('process manager could not do what is owed', { manager: manager.name, command: key, fault });
    }
    if (outcome.kind === 'done') this.#state = manager.done(this.#state, command);
    else if (manager.ended !== undefined) {
      const ending = { nowMs: clock.nowMs(), recorded: outcome.kind === 'recorded' };
      this.#state = manager.ended(this.#state, command, ending);
    } else if (outcome.kind === 'later') this.#resting.add(key);
    else if (outcome.position > this.position) this.#settling.set(key, outcome.position);
    this.#running.delete(key);
    this.#beginSoon();
  }

  /** Commands end together, with the group commit that they waited for: what comes next is looked for once. */
  #beginSoon(): void {
    if (this.#beginning) return;
    this.#beginning = true;
    setImmediate(() => {
      this.#beginning = false;
      this.#begin();
    });
  }
}
