import type { DomainEvent, Position, Recorded } from './message.ts';

/** Which commands can start. A busy command that a manager lists does not start, and takes the place of another. */
export type Room = {
  /** Maximum number of commands. */
  readonly limit: number;
  /** True for the key of a command that is in progress or was recorded a moment ago. */
  readonly busy: (key: string) => boolean;
  /** Where nodes share the work: true for the partitions of this node. */
  readonly holds: (part: number) => boolean;
};

/** Room for `limit` commands, with none in progress and all partitions on this node. */
export function roomFor(limit: number): Room {
  return { limit, busy: () => false, holds: () => true };
}

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
   * The state after a command started, and after it ended at `nowMs`: `recorded` by an event that is not folded yet, or not.
   * A manager with both does not list commands in progress in `due`, is asked until nothing is due, and decides itself when
   * a failed command is due again. A manager without them uses `busy`.
   */
  began?(state: State, command: Command): State;
  ended?(state: State, command: Command, ending: { readonly nowMs: number; readonly recorded: boolean }): State;
  /** The state after a command that no event records (the erasure of a stream). */
  done(state: State, command: Command): State;
  /** The position of the oldest event that is still needed; null where nothing is open. */
  oldestOpen(state: State): Position | null;
};
