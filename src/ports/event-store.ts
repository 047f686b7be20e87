import type { Cause, Position, PositionForm, Recorded } from '../eventsourcing/message.ts';
import { AppendTooLarge } from './append-too-large.ts';

import type { LogFollower } from './log-follower.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/** The expected revision of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** At most this many events and bytes (of data and metadata together) in one append: the narrower of the two engines. */
export const MAX_APPEND_EVENTS = 1_000;
export const MAX_APPEND_BYTES = 1_048_576;

/** @throws RangeError if the expected revision or the number of events is out of bounds; AppendTooLarge for too many */
export function assertAppend(expectedRevision: number, events: readonly NewEvent[]): void {
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM)
    throw new RangeError(`an append expects a revision, or ${NO_STREAM} for none, not ${expectedRevision}`);
  if (events.length === 0) throw new RangeError('an append takes an event or more, not 0');
  if (events.length > MAX_APPEND_EVENTS)
    throw new AppendTooLarge(`an append takes at most ${MAX_APPEND_EVENTS} events, not ${events.length}`);
}

export type NewEvent = {
  /** A uuid, fresh for each decision. Reused only when the same bytes are appended again. */
  readonly id: string;
  readonly type: string;
  /** Plain JSON. A stored event whose data is not a JSON object holds its bytes (Uint8Array): codecs refuse them. */
  readonly data: object;
  readonly cause: Cause;
};

export type StoredEvent = NewEvent & {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
};

export type AppendOutcome =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position }
  /** Another writer was first; `actual` is the stream's last revision, -1 if it has none. */
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'erased' };

export type StreamRead =
  | {
      readonly kind: 'events';
      readonly events: readonly StoredEvent[];
      /**
       * The last revision of the range, skipped events included: the expected revision of the next append, if the range
       * had no end. One below the first requested revision if the range is empty.
       */
      readonly upTo: number;
    }
  | { readonly kind: 'no-stream' }
  | { readonly kind: 'erased' };

/** Consecutive events of the log. `upTo` includes skipped events, so that a checkpoint advances over them. */
export type LogBatch = {
  readonly events: readonly StoredEvent[];
  readonly upTo: Position;
  /**
   * True when `upTo` was the end of the log at the time of reading. A subscription says so when it reaches the end; in the
   * batches after that, false means that it is not known.
   */
  readonly caughtUp: boolean;
};

export type LogDirection = 'forwards' | 'backwards';

/** Which part of the log to read: after a position, or backwards from before it or from the end. */
export type LogRange = {
  readonly direction: LogDirection;
  readonly from: Position | 'end';
  readonly categories: readonly string[];
  /** Of events of all categories, so that the cost of a page is bounded: 1 to MAX_LOG_PAGE. */
  readonly limit: number;
};

/** Maximum number of events that a page of the log is chosen from. */
export const MAX_LOG_PAGE = 1_000;

/** Events of the categories, in the order of reading; there may be none. `next` is the `from` of the next page; null at the end. */
export type LogPage = { readonly events: readonly StoredEvent[]; readonly next: Position | null };

/** @throws RangeError */
export function assertLogRange({ limit }: LogRange): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LOG_PAGE)
    throw new RangeError(`a page of the log is chosen from 1 to ${MAX_LOG_PAGE} events, not ${limit}`);
}

/** An event and its place in the log. */
export type EventPlace = { readonly id: string; readonly position: Position };

/** A reader has applied everything up to `position`; `lastEvent` is the last event that it applied. */
export type Checkpoint = { readonly position: Position; readonly lastEvent: EventPlace | null };

export type CheckpointCheck =
  | { readonly kind: 'in-log' }
  /** No log of this engine has such a position. */
  | { readonly kind: 'no-position' }
  /**
   * The log ends before the checkpoint, or holds another event there: it was replaced, for example by an older copy. A newly
   * elected leader can also be behind for a moment.
   */
  | { readonly kind: 'beyond-end' | 'not-in-log'; readonly reason: string };

/** A reader cannot resume: its checkpoint does not belong to this log. */
export class CheckpointNotInLog extends StoreUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super('read models', message, options);
    this.name = 'CheckpointNotInLog';
  }
}

/**
 * The log of all streams, the only source of truth. Contract: one stream per append; event ids are compared only from the
 * expected revision on (appending the same events there again succeeds and adds nothing); positions increase strictly in
 * log order. An append that returned is durable. Faults (disk, network) are thrown: the outcome is unknown then, and the
 * stream must be read before the next decision.
 *
 * An engine that other programs write to skips their events in every read and subscription. These events count in revisions
 * and positions, so revisions have gaps; an append expects the revision of the last event, skipped or not.
 */
export interface EventStore {
  /** True when this process is the only writer: a cached state that includes its own appends is current then. */
  readonly exclusive: boolean;
  readonly positions: PositionForm;
  /** @throws AppendTooLarge at once if the events exceed a limit of the port or the engine; RangeError, see `assertAppend` */
  append(stream: string, expectedRevision: number, events: readonly NewEvent[]): Promise<AppendOutcome>;
  /** Current events of a stream from a revision on, oldest first, at most `maxCount` (1 or more). */
  read(stream: string, fromRevision?: number, maxCount?: number): Promise<StreamRead>;
  /** The last event of a stream; null if it has none or was erased. Skipped events may follow it. */
  last(stream: string): Promise<StoredEvent | null>;
  /**
   * The log after a position, in order and without gaps, and then as it grows, until `signal` aborts; an abort is not an
   * error. A batch without events says that the end of the log is reached, even if it is empty. With `categories`, only events of streams named `{category}-…`. Without, every stream named like that, which on a
   * shared server may belong to another installation.
   * @throws CheckpointNotInLog if `after` lies beyond the end of the log
   */
  subscribe(options: {
    readonly after: Position;
    readonly categories?: readonly string[];
    readonly maxBatch?: number;
    /** Shortest time between two batches while following live, so that a busy log comes in few batches. */
    readonly lingerMs?: number;
    /** Name of the reader for logs and readiness, such as `projection bookings`. */
    readonly reader?: string;
    readonly signal: AbortSignal;
  }): AsyncIterable<LogBatch>;
  /** One page of the log, for people who look at it. Until an engine has cleaned up, it may hold events of erased streams. */
  readLog(range: LogRange): Promise<LogPage>;
  /** The position of the last event of the log, `START` if it is empty. */
  head(): Promise<Position>;
  /**
   * Whether a checkpoint belongs to this log: its position is in the log, and its last event is still at its position. An
   * event that was deleted since is not compared.
   */
  check(checkpoint: Checkpoint): Promise<CheckpointCheck>;
  /**
   * Deletes a stream for ever (a tombstone): nothing can be read from it or appended to it again. Until an engine has cleaned
   * up, subscriptions may still yield its events. A reader of such streams ends with an event of another stream, which is
   * stored before the erasure.
   * @throws StoreUnavailable if the engine cannot confirm the deletion yet: a repetition completes it
   */
  erase(stream: string): Promise<void>;
  close(): Promise<void>;
}

/** A log that is on another machine, where a subscription can die without a sign. */
export type RemoteLog = {
  /**
   * Reads the log once after a position, up to a limit of events; of these, the batch holds the events of the categories.
   * @throws CheckpointNotInLog if the log ends before the position
   */
  readAfter(position: Position, categories: readonly string[]): Promise<LogBatch>;
};

/** The log for readers that only follow it. */
export type EventFeed = Pick<EventStore, 'positions' | 'subscribe' | 'head' | 'check'>;

/** A feed whose readers share one subscription. `subscribe` opens another one, of stored events. */
export type FollowedFeed = EventFeed & { readonly follower: LogFollower };

/** A read and its events in the present version of the domain; `decoded` is empty for a stream that is not of the domain. */
export type DecodedRead =
  | (Extract<StreamRead, { kind: 'events' }> & { readonly decoded: readonly Recorded[] })
  | Exclude<StreamRead, { kind: 'events' }>;

/**
 * The event store with decoded events, and the follower that its readers share. `read` and `last` throw UnknownEvent for an
 * event that this release cannot decode. `subscribe` yields stored events.
 */
export type DecodedEventStore = Omit<EventStore, 'read'> &
  FollowedFeed & { read(...range: Parameters<EventStore['read']>): Promise<DecodedRead> };

/** The events of a stream up to a revision. Skipped events leave gaps: the index of an event is not its revision. */
export function eventsUpTo<E extends { readonly revision: number }>(revision: number, events: readonly E[]): E[] {
  return events.filter((event) => event.revision <= revision);
}

/** The category of a stream: what stands before the first `-`. */
export function categoryOf(stream: string): string {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
}
