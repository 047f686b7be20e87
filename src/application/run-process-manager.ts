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
import type { GiveUp } from './under-lease.ts';

const RETRY_MS = 200;
const LINGER_MS = 20;

/** What became of a command. */
export type CarriedOut =
  /** For good, and no event says so (the erasure of a stream). */
  | { readonly kind: 'done' }
  /** The event at this position says so: until it is folded, the command is not begun again. */
  | { readonly kind: 'recorded'; readonly position: Position }
  /** Not yet, or not known: it is looked at again at the next interval. */
  | { readonly kind: 'later' };

export type ProcessManagerRun<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  readonly carryOut: (command: Command) => Promise<CarriedOut>;
  /** Names a command: of the same name only one is under way. */
  readonly keyOf: (command: Command) => string;
  /** What a command must not keep others from: `maxPerLane` of one lane are under way at most. */
  readonly laneOf?: (command: Command) => string;
  readonly maxInFlight: number;
  readonly maxPerLane?: number;
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
  readonly #running = new Map<string, { readonly lane: string; readonly ended: Promise<void> }>();
  /** What was recorded at a position that is not folded yet. */
  readonly #settling = new Map<string, Position>();
  /** What is not to be begun again before the next interval. */
  readonly #resting = new Set<string>();
  readonly #perLane = new Map<string, number>();
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
          if (prompt) this.#begin();
        }
      } catch (fault) {
        if (fault instanceof UnknownEvent) {
          log.error('process manager stands still', { manager: manager.name, after: this.position, fault });
          return giveUp(fault);
        }
        log.error('process manager stopped by a fault', { manager: manager.name, retryMs: RETRY_MS, fault });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
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

  #begin(): void {
    const { manager, clock, keyOf, laneOf, maxInFlight, maxPerLane = maxInFlight } = this.#run;
    if (!this.#caughtUp || this.stopping.signal.aborted || this.#running.size >= maxInFlight) return;
    const busy = (key: string): boolean => this.#running.has(key) || this.#settling.has(key) || this.#resting.has(key);
    const free = (lane: string): number => maxPerLane - (this.#perLane.get(lane) ?? 0);
    const limit = maxInFlight - this.#running.size;
    for (const command of manager.due(this.#state, clock.nowMs(), { limit, busy, free })) {
      const [key, lane] = [keyOf(command), laneOf?.(command) ?? ''];
      if (!busy(key) && free(lane) > 0) this.#start(command, key, lane);
    }
  }

  #start(command: Command, key: string, lane: string): void {
    this.#perLane.set(lane, (this.#perLane.get(lane) ?? 0) + 1);
    this.#running.set(key, { lane, ended: this.#carryOut(command, key, lane) });
  }

  async #carryOut(command: Command, key: string, lane: string): Promise<void> {
    const { manager, carryOut, log } = this.#run;
    let outcome: CarriedOut = { kind: 'later' };
    try {
      outcome = await carryOut(command);
    } catch (fault) {
      log.error('process manager could not do what is owed', { manager: manager.name, command: key, fault });
    }
    if (outcome.kind === 'done') this.#state = manager.done(this.#state, command);
    else if (outcome.kind === 'later') this.#resting.add(key);
    else if (outcome.position > this.position) this.#settling.set(key, outcome.position);
    this.#running.delete(key);
    const others = (this.#perLane.get(lane) ?? 1) - 1;
    if (others === 0) this.#perLane.delete(lane);
    else this.#perLane.set(lane, others);
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
