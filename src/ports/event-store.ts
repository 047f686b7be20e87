import type { Cause, Position } from '../eventsourcing/message.ts';

/** The expected revision of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** At most this many events and bytes (of data and metadata together) in one append: the narrower of the two engines. */
export const MAX_APPEND_EVENTS = 1_000;
export const MAX_APPEND_BYTES = 1_048_576;

/** @throws RangeError where an append is none that the port knows */
export function assertAppend(expectedRevision: number, events: readonly NewEvent[]): void {
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < NO_STREAM)
    throw new RangeError(`an append expects a revision, or ${NO_STREAM} for none, not ${expectedRevision}`);
  if (events.length === 0 || events.length > MAX_APPEND_EVENTS)
    throw new RangeError(`an append takes 1 to ${MAX_APPEND_EVENTS} events, not ${events.length}`);
}

export type NewEvent = {
  /** A uuid, fresh for each decision. Used again only when the very same bytes are appended again. */
  readonly id: string;
  readonly type: string;
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
  /** Another writer was first; `actual` is the stream's last revision, -1 where it has none. */
  | { readonly kind: 'wrong-revision'; readonly actual: number }
  | { readonly kind: 'erased' };

export type StreamRead =
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[] }
  | { readonly kind: 'no-stream' }
  | { readonly kind: 'erased' };

/** A run of the log. `upTo` is past skipped events too, so that a checkpoint advances over them. */
export type LogBatch = {
  readonly events: readonly StoredEvent[];
  readonly upTo: Position;
  /** True when nothing was behind `upTo` at the moment of reading. */
  readonly caughtUp: boolean;
};

/**
 * The log of all streams, the service's only truth. Contract: one stream per append; event ids are compared only from
 * the expected revision on (an append of the very same events there succeeds again and adds nothing); positions grow
 * strictly in log order. An append that returned is durable. Faults (disk, network) are thrown: then the outcome is
 * unknown, and the stream must be read before anything is decided again.
 */
export interface EventStore {
  /** True when this process is the only writer, so that state which saw its own appends is current. */
  readonly exclusive: boolean;
  /** @throws RangeError, see `assertAppend` */
  append(stream: string, expectedRevision: number, events: readonly NewEvent[]): Promise<AppendOutcome>;
  /** Events of a stream from a revision on, oldest first, read at their latest; at most `maxCount` (1 or more) of them. */
  read(stream: string, fromRevision?: number, maxCount?: number): Promise<StreamRead>;
  /** The last event of a stream, null where it has none or was erased. */
  last(stream: string): Promise<StoredEvent | null>;
  /**
   * The log after a position, in order, without gaps, and then on as it grows, until `signal` aborts. With
   * `categories` only events of streams named `{category}-…`. Ends without error when aborted.
   */
  subscribe(options: {
    readonly after: Position;
    readonly categories?: readonly string[];
    readonly maxBatch?: number;
    /** While following live: gather at least for so long between two batches, so that a busy log comes in few of them. */
    readonly lingerMs?: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<LogBatch>;
  /** The position of the last event of the log, `START` where it is empty. */
  head(): Promise<Position>;
  /**
   * Deletes a stream for ever (a tombstone): it cannot be read, and nothing can be appended to it again. An engine may go
   * on telling its events to subscribers until it has cleaned up, so nobody follows streams that are erased.
   * @throws StoreUnavailable where the engine cannot say yet that it is done: asking again completes it
   */
  erase(stream: string): Promise<void>;
  close(): Promise<void>;
}

/** The log as those see it who only follow it. */
export type EventFeed = Pick<EventStore, 'subscribe' | 'head'>;

/** The category of a stream: what stands before the first `-`. */
export function categoryOf(stream: string): string {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
}
