import type { DomainEvent, Position } from '../eventsourcing/message.ts';
import type { ProcessManager } from '../eventsourcing/process-manager.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { OnFatal } from './lease.ts';
import type { ManagerParking } from './parked-commands.ts';
import type { Running } from './running.ts';

export type CommandOutcome =
  /** Done, without an event that records it (the erasure of a stream). */
  | { readonly kind: 'done' }
  /** The event at this position records it. The command is not started again before that event is folded. */
  | { readonly kind: 'recorded'; readonly position: Position }
  /** Not done, or unknown: retried at the next interval, or at the time that the manager sets. */
  | { readonly kind: 'later' }
  /** Not done, because of a fault: retried, and parked if it fails for ever. */
  | { readonly kind: 'failed'; readonly fault: unknown };

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
  /** True if what earlier commands stored is lost: then the log is folded from its start, whatever the checkpoint says. */
  readonly startsOver?: () => Promise<boolean>;
  readonly store: DecodedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly parking?: ManagerParking | undefined;
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
