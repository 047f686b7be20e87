import { type DomainEvent, type Position, START } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { OnFatal } from './lease.ts';
import { LowWaterCheckpoint } from './low-water-checkpoint.ts';
import { Progress } from './progress.ts';
import type { Running } from './running.ts';

const LINGER_MS = 20;

export type CommandOutcome =
  /** Done, without an event that records it (the erasure of a stream). */
  | { readonly kind: 'done' }
  /** The event at this position records it. The command is not started again before that event is folded. */
  | { readonly kind: 'recorded'; readonly position: Position }
  /** Not done, or unknown: retried at the next interval, or at the time that the manager sets. */
  | { readonly kind: 'later' };

export type ProcessManagerRun<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  readonly execute: (command: Command) => Promise<CommandOutcome>;
  /** Identifies a command: only one with the same key is in progress. */
  readonly keyOf: (command: Command) => string;
  readonly maxInFlight: number;
  /** If nodes share the work: the partition of a command. Only commands of acquired partitions are started. */
  readonly partitionOf?: (command: Command) => number;
  /** Whether commands start when their events are folded, or only at the next interval. */
  readonly startAtOnce: boolean;
  readonly store: DecodedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Interval at which due commands are started, and shortest interval between two checkpoints. */
  readonly intervalMs: number;
  readonly checkpointMs: number;
  /** Called when this node can fold the log no further. */
  readonly onFatal: OnFatal;
};

export type RunningProcessManager = {
  /** Everything up to this position has been folded. */
  readonly position: () => Position;
  /**
   * Folds the log up to its present end, and so what the last holder recorded; then starts the commands of the partition.
   * The stop of the partition waits for its commands in progress.
   * @throws if the log cannot be folded that far
   */
  acquire(partition: number): Promise<Running>;
  /** Starts no more commands, waits for those in progress, stores the checkpoint. */
  stop(): Promise<void>;
};

/**
 * Folds the log into due commands and executes them. The checkpoint is a low-water mark in the event store: a crash loses no
 * command, and repeats only commands that their deciders recognise. No command starts before the log was read to its end
 * once: a later event may record that it was done.
 */
export async function runProcessManager<State, Command>(
  run: ProcessManagerRun<State, Command>,
): Promise<RunningProcessManager> {
  const runner = new Runner(run);
  await runner.checkpoint.load();
  runner.progress.set(runner.checkpoint.position);
  runner.following = runner.follow();
  const ticking = runner.tick();
  return {
    position: () => runner.progress.position,
    acquire: (partition) => runner.acquire(partition),
    async stop() {
      runner.stopping.abort();
      await Promise.all([runner.following, ticking]);
      await runner.finish();
    },
  };
}

class Runner<State, Command> {
  readonly stopping = new AbortController();
  readonly checkpoint: LowWaterCheckpoint;
  readonly progress = new Progress();
  /** Ends at the stop, or when this node can fold the log no further. */
  following: Promise<void> = Promise.resolve();
  readonly #run: ProcessManagerRun<State, Command>;
  #state: State;
  #caughtUp = false;
  /** Of the last folded event. */
  #folded: Position = START;
  /** Commands in progress, by key. */
  readonly #running = new Map<string, { readonly partition: number; readonly ended: Promise<void> }>();
  /** Commands recorded at a position that is not folded yet. */
  readonly #recordedAhead = new Map<string, Position>();
  /** Commands that wait for the next interval. */
  readonly #untilNextInterval = new Set<string>();
  readonly #partitions = new Set<number>();
  #starting = false;

  constructor(run: ProcessManagerRun<State, Command>) {
    this.#run = run;
    this.#state = run.manager.initial;
    this.checkpoint = new LowWaterCheckpoint(run.manager.name, run);
  }

  async follow(): Promise<void> {
    const { store, manager, log, onFatal } = this.#run;
    try {
      await store.follower.follow({
        reader: `process manager ${manager.name}`,
        categories: manager.categories,
        progress: this.progress,
        apply: (batch) => this.#apply(batch),
        lingerMs: LINGER_MS,
        log,
        signal: this.stopping.signal,
      });
    } catch (fault) {
      onFatal(fault);
    }
  }

  async acquire(partition: number): Promise<Running> {
    await this.#foldedUpTo(await this.#run.store.head());
    // If the runner stopped meanwhile, adding the partition starts nothing.
    this.#partitions.add(partition);
    this.#startDueSoon();
    return {
      stop: async () => {
        this.#partitions.delete(partition);
        await Promise.all(
          [...this.#running.values()].filter((running) => running.partition === partition).map(({ ended }) => ended),
        );
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
        this.#untilNextInterval.clear();
        this.#startDue();
        if (clock.nowMs() - storedAtMs < checkpointMs) continue;
        storedAtMs = clock.nowMs();
        await this.#storeCheckpoint();
      } catch (fault) {
        log.error('process manager task failed', { manager: manager.name, fault });
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
      // The next start folds again from the last stored checkpoint.
      log.error('process manager task failed', { manager: manager.name, fault });
    }
  }

  #apply({ events, upTo, caughtUp }: ReaderBatch): void {
    const { manager, startAtOnce } = this.#run;
    this.checkpoint.noteBatch(this.progress.position, events.length);
    for (const event of events) {
      // Folded before a fault in the same batch.
      if (event.position <= this.#folded) continue;
      this.#state = manager.react(this.#state, event);
      this.#folded = event.position;
    }
    this.#caughtUp ||= caughtUp;
    this.progress.set(upTo);
    if (startAtOnce) this.#startDue();
  }

  #storeCheckpoint(): Promise<void> {
    return this.checkpoint.store(this.progress.position, this.#run.manager.oldestOpen(this.#state));
  }

  #forgetFolded(): void {
    for (const [key, position] of this.#recordedAhead)
      if (position <= this.progress.position) this.#recordedAhead.delete(key);
  }

  async #foldedUpTo(position: Position): Promise<void> {
    const { progress, following, stopping } = this;
    await Promise.race([progress.reached(position), following]);
    const { manager, store } = this.#run;
    if (progress.position < position && !stopping.signal.aborted)
      throw new Error(`${manager.name} folds the log no further than ${store.positions.format(progress.position)}`);
  }

  #startDue(): void {
    this.#forgetFolded();
    const { manager, clock, maxInFlight } = this.#run;
    const ownsPartition = (partition: number): boolean => this.#partitions.has(partition);
    const busy = (key: string): boolean =>
      this.#running.has(key) || this.#recordedAhead.has(key) || this.#untilNextInterval.has(key);
    for (let more = this.#caughtUp && !this.stopping.signal.aborted; more; ) {
      const limit = maxInFlight - this.#running.size;
      if (limit <= 0) return;
      const due = manager.due(this.#state, clock.nowMs(), { limit, busy, ownsPartition });
      const started = due.filter((command) => this.#start(command, busy));
      // With `inProgress`, a started command can make another one due. Without it, one call lists all that are due.
      more = manager.inProgress !== undefined && started.length > 0;
    }
  }

  /** False if the command is in progress, or belongs to a partition of another node. */
  #start(command: Command, busy: (key: string) => boolean): boolean {
    const { manager, keyOf, partitionOf } = this.#run;
    const [key, partition] = [keyOf(command), partitionOf?.(command) ?? 0];
    if (busy(key) || (partitionOf !== undefined && !this.#partitions.has(partition))) return false;
    if (manager.inProgress !== undefined) this.#state = manager.inProgress.began(this.#state, command);
    this.#running.set(key, { partition, ended: this.#execute(command, key) });
    return true;
  }

  async #execute(command: Command, key: string): Promise<void> {
    const { manager, execute, clock, log } = this.#run;
    let outcome: CommandOutcome = { kind: 'later' };
    try {
      outcome = await execute(command);
    } catch (fault) {
      log.error('process manager task failed', { manager: manager.name, command: key, fault });
    }
    if (outcome.kind === 'done') this.#state = manager.done(this.#state, command);
    else if (manager.inProgress !== undefined) {
      const ending = { nowMs: clock.nowMs(), recorded: outcome.kind === 'recorded' };
      this.#state = manager.inProgress.ended(this.#state, command, ending);
    } else if (outcome.kind === 'later') this.#untilNextInterval.add(key);
    else if (outcome.position > this.progress.position) this.#recordedAhead.set(key, outcome.position);
    this.#running.delete(key);
    this.#startDueSoon();
  }

  /** Commands of one group commit end together: `due` is called once for all of them. */
  #startDueSoon(): void {
    if (this.#starting) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      this.#startDue();
    });
  }
}
