import type { Position, Recorded } from '../eventsourcing/message.ts';
import type { Log } from './log.ts';

/** The end of a batch. */
export type BatchEnd = {
  readonly upTo: Position;
  /** True when `upTo` was the end of the log at the time of reading. */
  readonly caughtUp: boolean;
};

/** Consecutive events of a reader's categories. Everything up to `after` is applied; then, everything up to `upTo`. */
export type ReaderBatch = BatchEnd & { readonly events: readonly Recorded[]; readonly after: Position };

/** Up to where a reader has applied the log. */
export interface ReaderProgress {
  readonly position: Position;
  set(position: Position): void;
  /** From here on, the position is that of `source` where that is later. Null: it stays where it is until the next `set`. */
  follow(source: ReaderProgress | null): void;
}

/** A stored event without its data; `type` has the version. */
export type EventRef = Pick<Recorded, 'id' | 'stream' | 'revision' | 'position' | 'type'>;

/** The events that a reader leaves out (docs/decisions/0058). */
export type LeftOutEvents = {
  /** Reads them from the store. Called before the reader reads the log, again after every fault. */
  load(): Promise<void>;
  has(id: string): boolean;
  /**
   * Leaves an event out from now on, if it is to blame for the fault; else false. Everything up to `after` is applied.
   * @throws ParkingFull, StoreUnavailable
   */
  add(event: EventRef, fault: unknown, after: Position): Promise<boolean>;
};

/** What a reader asks of the follower. */
export type LogReading = {
  /** Name for logs and readiness, such as `projection bookings.v7.b1`. */
  readonly reader: string;
  readonly categories: readonly string[];
  /** The follower advances it. While no event of the reader's categories waits, it is the follower's position. */
  readonly progress: ReaderProgress;
  /** Where to read on, at the start and after a fault; if left out, at the position of `progress`. */
  readonly resumeAt?: () => Promise<Position>;
  /**
   * Applies a batch. After a fault the follower may call it again with a part of the same events, so events that were applied
   * already must change nothing.
   */
  readonly apply: (batch: ReaderBatch) => Promise<void> | void;
  /** Without it, the reader stops at an event that it cannot apply, and tries again. */
  readonly leftOut?: LeftOutEvents | undefined;
  /** Where to end: no later event is applied. Such a reader never joins the shared subscription. */
  readonly until?: Position;
  /**
   * Whether the reader, while it is behind, shares one reading of the log with others at about the same place. It waits for the
   * slowest of them, and gets larger batches than `maxBatch`.
   */
  readonly inOnePass?: boolean;
  /** Maximum number of events in a batch; default 1,000. */
  readonly maxBatch?: number;
  /** Shortest time between two batches, so that a busy log comes in few batches; default 0. */
  readonly lingerMs?: number;
  /** Interval at which `apply` gets a later position without events, to store a checkpoint; never if left out. */
  readonly quietMs?: number;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** The log for all readers of a thread, over one subscription to the engine (docs/decisions/0054). */
export type LogFollower = {
  /**
   * Applies the log to a reader, in order and without gaps, and retries after faults. Resolves once `signal` aborts or `until`
   * is reached.
   * @throws UnknownEvent at an event that this release cannot decode, with everything before it applied
   */
  follow(reading: LogReading): Promise<void>;
  /** Everything up to this position was received; `START` before the first reader has caught up. */
  position(): Position;
  /** True once the position is received; false if it is not within `timeoutMs`. */
  waitFor(position: Position, timeoutMs?: number): Promise<boolean>;
  /**
   * For a reader elsewhere that has applied everything up to a position: the follower's position, if it knows that no event of
   * these categories lies in between; else the same position.
   */
  quietUpTo(categories: readonly string[], position: Position): Position;
  /** Calls back after each advance of the position. */
  onAdvance(listener: () => void): void;
  /** The categories that the shared subscription receives; another array once these change. */
  categories(): readonly string[];
  /**
   * Advances to a position. The caller has read the log: no event of these categories lies between. Ignored if they are no
   * longer those of the subscription.
   */
  passed(position: Position, categories: readonly string[]): void;
  /** Replaces the shared subscription, which may have died without a fault. No reader misses or repeats an event. */
  reopen(): void;
};
