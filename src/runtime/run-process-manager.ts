import { type Position, START } from '../eventsourcing/message.ts';
import type { OpenBound } from '../eventsourcing/process-manager.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { LowWaterCheckpoint } from './low-water-checkpoint.ts';
import { ParkedCommands } from './parked-commands.ts';
import { folded, leftOutEvents } from './parking.ts';
import type { CommandOutcome, ProcessManagerRun, RunningProcessManager } from './process-manager-run.ts';
import { Progress } from './progress.ts';
import { pause, type Running, unlessAborted } from './running.ts';

export type { CommandOutcome, ProcessManagerRun, RunningProcessManager };

const LINGER_MS = 20;
const LOAD_RETRY_MS = 1_000;

/**
 * Folds the log into due commands and executes them. The checkpoint is a low-water mark in the event store: a crash loses no
 * command, and repeats only commands that their deciders recognise. Unless the manager has an `openBound`, no command starts
 * before the log was read to its end once: a later event may record that it was done.
 */
export async function runProcessManager<State, Command>(
  run: ProcessManagerRun<State, Command>,
): Promise<RunningProcessManager> {
  const runner = new Runner(run);
  await runner.load();
  const unlisten = run.parking?.onRetry(run.manager.name, () => runner.readAgain());
  runner.following = runner.follow();
  const ticking = runner.tick();
  return {
    position: () => runner.progress.position,
    acquire: (partition) => runner.acquire(partition),
    async stop() {
      runner.stopping.abort();
      unlisten?.();
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
  /** Wakes the reader that waits for room. */
  #commandEnded = (): void => {};
  readonly #parked: ParkedCommands;
  /** Ends the present subscription, to fold the log again from the checkpoint. */
  #reading = new AbortController();
  #mustReadAgain = false;

  constructor(run: ProcessManagerRun<State, Command>) {
    if (run.manager.openBound && run.partitionOf) throw new Error(`${run.manager.name}: partitions and openBound`);
    this.#run = run;
    this.#state = run.manager.initial;
    this.checkpoint = new LowWaterCheckpoint(run.manager.name, run);
    this.#parked = new ParkedCommands(run.manager.name, run);
  }

  async load(): Promise<void> {
    await this.checkpoint.begin();
    await this.#parked.load(this.checkpoint);
    this.#state = this.#run.manager.initial;
    this.#folded = START;
    this.progress.set(this.checkpoint.position);
  }

  /** Folds the log again from before the retried items. */
  readAgain(): void {
    this.#mustReadAgain = true;
    this.#caughtUp = false;
    this.#reading.abort();
  }

  async follow(): Promise<void> {
    const { onFatal } = this.#run;
    const { signal } = this.stopping;
    try {
      while (!signal.aborted) {
        if (this.#mustReadAgain) await this.#loadAgain();
        this.#reading = new AbortController();
        if (!this.#mustReadAgain) await this.#read(AbortSignal.any([signal, this.#reading.signal]));
      }
    } catch (fault) {
      onFatal(fault);
    }
  }

  #read(signal: AbortSignal): Promise<void> {
    const { store, manager, parking, log } = this.#run;
    return store.follower.follow({
      reader: `process manager ${manager.name}`,
      categories: manager.categories,
      progress: this.progress,
      apply: (batch) => this.#apply(batch),
      leftOut: parking && leftOutEvents(manager.name, { parking, positions: store.positions, log }),
      lingerMs: LINGER_MS,
      log,
      signal,
    });
  }

  async #loadAgain(): Promise<void> {
    const { manager, log } = this.#run;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    try {
      this.#mustReadAgain = false;
      await this.load();
    } catch (fault) {
      this.#mustReadAgain = true;
      log.error('process manager task failed', { manager: manager.name, fault });
      await pause(LOAD_RETRY_MS, this.stopping.signal);
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
        this.#parked.forgetOld();
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

  #apply({ events, upTo, caughtUp }: ReaderBatch): Promise<void> | void {
    const { manager, startAtOnce } = this.#run;
    this.checkpoint.noteBatch(this.progress.position, events.length);
    for (const event of events) {
      // Folded before a fault in the same batch.
      if (event.position <= this.#folded) continue;
      this.#dropBefore(event.position);
      this.#state = folded(() => manager.react(this.#state, event));
      this.#folded = event.position;
    }
    this.#dropBefore((upTo + 1) as Position);
    this.#caughtUp ||= caughtUp && !this.#mustReadAgain;
    this.progress.set(upTo);
    if (startAtOnce) this.#startDue();
    return manager.openBound && this.#untilRoom(manager.openBound);
  }

  /** The follower reads no further meanwhile. Ends at the stop, and when the log must be folded again. */
  async #untilRoom({ max, count }: OpenBound<State>): Promise<void> {
    if (count(this.#state) <= max) return;
    const over = AbortSignal.any([this.stopping.signal, this.#reading.signal]);
    while (count(this.#state) > max && !over.aborted) {
      const ended = Promise.withResolvers<void>();
      this.#commandEnded = ended.resolve;
      await unlessAborted(ended.promise, over);
    }
  }

  #dropBefore(position: Position): void {
    for (const key of this.#parked.due(position)) this.#state = this.#run.manager.drop(this.#state, key);
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
      this.#running.has(key) ||
      this.#recordedAhead.has(key) ||
      this.#untilNextInterval.has(key) ||
      (manager.inProgress === undefined && this.#parked.pauses(key));
    const early = manager.openBound !== undefined && !this.#mustReadAgain;
    for (let more = (this.#caughtUp || early) && !this.stopping.signal.aborted; more; ) {
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
    let outcome: CommandOutcome;
    try {
      outcome = await execute(command);
    } catch (fault) {
      log.error('process manager task failed', { manager: manager.name, command: key, fault });
      outcome = { kind: 'failed', fault };
    }
    const parked = outcome.kind === 'failed' && (await this.#isParked(key, outcome.fault));
    if (outcome.kind === 'done' || outcome.kind === 'recorded') this.#parked.succeeded(key);
    if (parked) this.#untilNextInterval.add(key);
    else if (outcome.kind === 'done') this.#state = manager.done(this.#state, command);
    else if (manager.inProgress !== undefined) {
      const ending = { nowMs: clock.nowMs(), recorded: outcome.kind === 'recorded' };
      this.#state = manager.inProgress.ended(this.#state, command, ending);
    } else if (outcome.kind !== 'recorded') this.#untilNextInterval.add(key);
    else if (outcome.position > this.progress.position) this.#recordedAhead.set(key, outcome.position);
    this.#running.delete(key);
    this.#startDueSoon();
    this.#commandEnded();
  }

  /** Parks a command that fails for ever. */
  async #isParked(key: string, fault: unknown): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const [after, upTo] = [this.checkpoint.position, this.progress.position];
    if (!(await this.#parked.failed(key, fault, { after, upTo }))) return false;
    // An event that was folded meanwhile may have opened the command again.
    if (this.progress.position === upTo) this.#state = this.#run.manager.drop(this.#state, key);
    else this.readAgain();
    return true;
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
