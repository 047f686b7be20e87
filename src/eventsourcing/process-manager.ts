import type { DomainEvent, Position, Recorded } from './message.ts';

/** The category of the streams that hold the checkpoints of process managers. */
export const CHECKPOINT_CATEGORY = 'checkpoint';

/** Which commands can start. A busy command is not started; a manager should not list it, since it uses up the limit. */
export type Room = {
  /** Maximum number of commands. */
  readonly limit: number;
  /** True for the key of a command that is in progress, that waits for the next interval, or whose event is not folded yet. */
  readonly busy: (key: string) => boolean;
  /** If nodes share the work: true for the partitions of this node. */
  readonly ownsPartition: (partition: number) => boolean;
};

/** Maximum number of open commands; `count` counts them. */
export type OpenBound<State> = { readonly max: number; readonly count: (state: State) => number };

/** The first position among open items; null without any. */
export function oldestPosition(items: Iterable<{ readonly position: Position }>): Position | null {
  let oldest: Position | null = null;
  for (const { position } of items) if (oldest === null || position < oldest) oldest = position;
  return oldest;
}

/**
 * A pure fold from events into due commands. Its state holds only open items, so its checkpoint is a low-water mark: a
 * position before the oldest open item. After a crash it folds again from there, and repeats only commands whose deciders
 * recognise a repetition (docs/decisions/0006).
 */
export type ProcessManager<State, E extends DomainEvent, Command> = {
  readonly name: string;
  readonly categories: readonly string[];
  readonly initial: State;
  react(state: State, event: Recorded<E>): State;
  /** The commands due at `nowMs` (ms since the epoch), oldest first, at most `room.limit`. */
  due(state: State, nowMs: number, room: Room): readonly Command[];
  /**
   * Keeps the commands in progress in the state: `due` omits them, and the manager sets the time of a retry. Without it, the
   * runner knows them: `due` omits the commands for which `room.busy` is true, and a retry waits for the next interval.
   */
  readonly inProgress?: {
    /** The state after a command started. */
    began(state: State, command: Command): State;
    /** The state after a command ended at `nowMs`. `recorded`: an event that is not folded yet records its outcome. */
    ended(state: State, command: Command, ending: { readonly nowMs: number; readonly recorded: boolean }): State;
  };
  /**
   * For a manager whose commands no event closes. They start before the log was read to its end, and while more than `max` are
   * open no further batch is folded: the first start on a long log needs no memory for all of it. Not with partitions: one is
   * acquired once the log was read to its end.
   */
  readonly openBound?: OpenBound<State>;
  /** The state after a command that no event records (the erasure of a stream). */
  done(state: State, command: Command): State;
  /** The state without the work of the command with this key, which is left out (docs/decisions/0058). */
  drop(state: State, key: string): State;
  /** The position of the oldest event that is still needed; null if nothing is open. */
  oldestOpen(state: State): Position | null;
};
