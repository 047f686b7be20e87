import type { DomainEvent, Position, Recorded } from './message.ts';

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
  /** The commands owed at `nowMs` (ms since the epoch), oldest first, at most `limit`. */
  due(state: State, nowMs: number, limit: number): readonly Command[];
  /** The state after a command was carried out where no event says so (the erasure of a stream). */
  done(state: State, command: Command): State;
  /** The position of the oldest event that is still needed, or null if nothing is open. */
  oldestOpen(state: State): Position | null;
};
