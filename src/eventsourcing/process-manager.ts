import type { DomainEvent, Position, Recorded } from './message.ts';

/** What can be begun now. What a manager lists although it is busy is not begun, and takes the place of another. */
export type Room = {
  /** So many commands are wanted at most. */
  readonly limit: number;
  /** True for a command (by its key) that is under way or was done a moment ago. */
  readonly busy: (key: string) => boolean;
  /** Where work is divided among nodes: true for the parts of it that are this node's. */
  readonly holds: (part: number) => boolean;
};

/** Room for so many commands while nothing is under way, and all of the work is here. */
export function roomFor(limit: number): Room {
  return { limit, busy: () => false, holds: () => true };
}

/**
 * A pure fold from events into commands that are owed. It keeps only what is still open, so its checkpoint is a
 * low-water mark: the position before the oldest open item. After a crash it folds again from there, and repeats at
 * most commands whose deciders make the repetition harmless (docs/decisions/0006).
 */
export type ProcessManager<State, E extends DomainEvent, Command> = {
  readonly name: string;
  readonly categories: readonly string[];
  readonly initial: State;
  react(state: State, event: Recorded<E>): State;
  /** The commands owed at `nowMs` (ms since the epoch), oldest first, at most `room.limit`. */
  due(state: State, nowMs: number, room: Room): readonly Command[];
  /**
   * The state while a command is under way, and after it ended at `nowMs`: with an event that is still to be folded, or with
   * nothing `recorded`. A manager that has both lists nothing in `due` that is under way, and so is asked for what is due
   * until nothing is; it says itself when what came to nothing is due again. One that has neither goes by `busy`.
   */
  began?(state: State, command: Command): State;
  ended?(state: State, command: Command, ending: { readonly nowMs: number; readonly recorded: boolean }): State;
  /** The state after a command was carried out where no event says so (the erasure of a stream). */
  done(state: State, command: Command): State;
  /** The position of the oldest event that is still needed, or null if nothing is open. */
  oldestOpen(state: State): Position | null;
};
