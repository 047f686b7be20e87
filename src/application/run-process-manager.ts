import { recorded } from '../domain/codecs.ts';
import { codec } from '../eventsourcing/codec.ts';
import { type DomainEvent, type Position, START } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventStore, NO_STREAM } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';

/** Owed commands carried out in one round; the rest wait for the next one, an interval later. */
const COMMANDS_A_ROUND = 2_000;
const RETRY_MS = 200;
const LINGER_MS = 20;

/** This type is the storage format. */
type CheckpointEvent = { readonly type: 'CheckpointStored'; readonly data: { readonly position: Position } };
export const checkpointCodec = codec<CheckpointEvent>('checkpoint', { CheckpointStored: [] });

export type ProcessManagerRun<State, Command> = {
  readonly manager: ProcessManager<State, DomainEvent, Command>;
  /** Carries a command out. True where it is done for good and no event will say so. */
  readonly carryOut: (command: Command) => Promise<boolean>;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How often owed commands are looked for, and how often at most the checkpoint is stored. */
  readonly intervalMs: number;
  readonly checkpointMs: number;
};

export type RunningProcessManager = {
  /** Everything up to here has been folded. */
  readonly position: () => Position;
  stop(): Promise<void>;
};

/**
 * Folds the log into what is owed and sees that it is done. The checkpoint is a low-water mark in the event store itself:
 * a crash forgets nothing, and repeats at most commands that their deciders recognise.
 */
export async function runProcessManager<State, Command>(
  run: ProcessManagerRun<State, Command>,
): Promise<RunningProcessManager> {
  const work = new Work(run);
  await work.resume();
  const loops = [work.follow(), work.tick()];
  return {
    position: () => work.position,
    async stop() {
      work.stopping.abort();
      await Promise.all(loops);
      await work.storeCheckpoint();
    },
  };
}

class Work<State, Command> {
  readonly stopping = new AbortController();
  position: Position = START;
  readonly #run: ProcessManagerRun<State, Command>;
  readonly #stream: string;
  #state: State;
  #checkpoint: Position = START;
  #checkpointRevision = NO_STREAM;
  #checkpointAtMs = 0;
  /** Positions between batches, oldest first: the places a checkpoint can be set at. */
  #boundaries: Position[] = [];

  constructor(run: ProcessManagerRun<State, Command>) {
    this.#run = run;
    this.#state = run.manager.initial;
    this.#stream = `${checkpointCodec.category}-${run.manager.name}`;
  }

  async resume(): Promise<void> {
    await this.#loadCheckpoint();
    this.position = this.#checkpoint;
  }

  async #loadCheckpoint(): Promise<void> {
    const last = await this.#run.store.last(this.#stream);
    if (last === null) return;
    this.#checkpoint = checkpointCodec.decode(last).data.position;
    this.#checkpointRevision = last.revision;
  }

  async follow(): Promise<void> {
    const { store, manager, log } = this.#run;
    const { signal } = this.stopping;
    const { categories } = manager;
    while (!signal.aborted) {
      try {
        for await (const batch of store.subscribe({ after: this.position, categories, lingerMs: LINGER_MS, signal })) {
          this.#boundaries.push(this.position);
          for (const event of batch.events) this.#state = manager.react(this.#state, recorded(event));
          this.position = batch.upTo;
        }
      } catch (fault) {
        log.error('process manager stopped by a fault', { manager: manager.name, retryMs: RETRY_MS, fault });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async tick(): Promise<void> {
    const { clock, intervalMs, checkpointMs, manager, log } = this.#run;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await clock.until(clock.nowMs() + intervalMs, signal);
      try {
        if (!signal.aborted) await this.#carryOutOwed();
        if (clock.nowMs() - this.#checkpointAtMs >= checkpointMs) await this.storeCheckpoint();
      } catch (fault) {
        log.error('process manager could not do what is owed', { manager: manager.name, fault });
      }
    }
  }

  async #carryOutOwed(): Promise<void> {
    const { manager, clock, carryOut } = this.#run;
    const owed = manager.due(this.#state, clock.nowMs(), COMMANDS_A_ROUND);
    for (const command of owed) {
      if (this.stopping.signal.aborted) return;
      if (await carryOut(command)) this.#state = manager.done(this.#state, command);
    }
  }

  /** Stored before the oldest open item, so that a restart folds it again. */
  async storeCheckpoint(): Promise<void> {
    const { manager, store, ids, clock } = this.#run;
    this.#checkpointAtMs = clock.nowMs();
    const position = this.#lowWater();
    if (position <= this.#checkpoint) return;
    const event = checkpointCodec.encode({ type: 'CheckpointStored', data: { position } });
    const at = new Date(clock.nowMs()).toISOString();
    const cause = { correlationId: ids.uuid(), causationId: null, by: manager.name, at };
    const outcome = await store.append(this.#stream, this.#checkpointRevision, [{ id: ids.uuid(), ...event, cause }]);
    if (outcome.kind === 'appended') {
      this.#checkpoint = position;
      this.#checkpointRevision = outcome.revision;
    } else {
      await this.#loadCheckpoint();
    }
  }

  #lowWater(): Position {
    const open = this.#run.manager.oldestOpen(this.#state);
    if (open === null) {
      this.#boundaries = [];
      return this.position;
    }
    const later = this.#boundaries.findIndex((boundary) => boundary >= open);
    const kept = later < 0 ? this.#boundaries.length - 1 : later - 1;
    this.#boundaries = this.#boundaries.slice(Math.max(0, kept));
    return this.#boundaries[0] ?? this.#checkpoint;
  }
}
