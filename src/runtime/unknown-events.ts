import { type DecodeEvent, UnknownEvent } from '../eventsourcing/codec.ts';
import type { Recorded } from '../eventsourcing/message.ts';
import type {
  DecodedBatch,
  DecodedEventStore,
  DecodedFeed,
  EventFeed,
  EventStore,
  LogBatch,
  StoredEvent,
} from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';

/**
 * Why this node cannot read the log: events of a newer release (docs/decisions/0029), damaged events, and readers that a
 * fault stopped.
 */
export type UnknownEvents = {
  /** Logs each type once. */
  note(fault: UnknownEvent): void;
  /** Stored types, with their versions. */
  types(): readonly string[];
  /** A fault ended a reader's subscription. Logs a change of the reason. */
  readerStopped(reader: string, fault: unknown): void;
  readerWorks(reader: string): void;
  /** The reason by stopped reader. */
  stoppedReaders(): ReadonlyMap<string, string>;
};

export function createUnknownEvents(log: Log): UnknownEvents {
  const met = new Set<string>();
  const stopped = new Map<string, string>();
  return {
    note({ type, message: reason, fault }) {
      if (met.has(type)) return;
      met.add(type);
      if (fault === null) log.error('event of a newer release: readers stop before it', { type, reason });
      else log.error('event cannot be decoded: readers stop before it', { type, reason });
    },
    types: () => [...met],
    readerStopped(reader, fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      if (stopped.get(reader) === reason) return;
      stopped.set(reader, reason);
      log.error('reader of the log stopped by a fault', { reader, reason });
    },
    readerWorks(reader) {
      if (stopped.delete(reader)) log.info('reader of the log works again', { reader });
    },
    stoppedReaders: () => stopped,
  };
}

/** Receives the faults of reading the log. */
export type ReadFaults = Pick<UnknownEvents, 'note'> & Partial<Pick<UnknownEvents, 'readerStopped' | 'readerWorks'>>;

type Decoding = { readonly decode: DecodeEvent; readonly unknownEvents: ReadFaults };

/** A store whose readers get UnknownEvent instead of an event that this release cannot decode: none of them skips one. */
export function decodedStore(store: EventStore, decoding: Decoding): DecodedEventStore {
  return {
    exclusive: store.exclusive,
    append: (stream, expectedRevision, events) => store.append(stream, expectedRevision, events),
    async read(stream, fromRevision, maxCount) {
      const read = await store.read(stream, fromRevision, maxCount);
      return read.kind === 'events' ? { ...read, decoded: decodeAll(read.events, decoding) } : read;
    },
    async last(stream) {
      const last = await store.last(stream);
      if (last !== null) decodeAll([last], decoding);
      return last;
    },
    ...decodedFeed(store, decoding),
    erase: (stream) => store.erase(stream),
    close: () => store.close(),
  };
}

/** Events before one that cannot be decoded are yielded first, so that every reader stops at the same position. */
export function decodedFeed(feed: EventFeed, decoding: Decoding): DecodedFeed {
  const { unknownEvents } = decoding;
  return {
    async *subscribe(options) {
      const { reader = 'unnamed' } = options;
      try {
        for await (const batch of feed.subscribe(options)) {
          unknownEvents.readerWorks?.(reader);
          yield* decodedBatches(batch, decoding);
        }
      } catch (fault) {
        // An unknown event is noted by its type.
        if (!(fault instanceof UnknownEvent)) unknownEvents.readerStopped?.(reader, fault);
        throw fault;
      }
    },
    positions: feed.positions,
    head: () => feed.head(),
    check: (checkpoint) => feed.check(checkpoint),
  };
}

/** @throws UnknownEvent, after the batch of the events before it */
function* decodedBatches(batch: LogBatch, { decode, unknownEvents }: Decoding): Generator<DecodedBatch> {
  const decoded: Recorded[] = [];
  for (const [index, event] of batch.events.entries()) {
    try {
      const recorded = decode(event);
      if (recorded !== null) decoded.push(recorded);
    } catch (fault) {
      const events = batch.events.slice(0, index);
      const last = events.at(-1);
      if (last !== undefined) yield { events, decoded, upTo: last.position, caughtUp: false };
      if (fault instanceof UnknownEvent) unknownEvents.note(fault);
      throw fault;
    }
  }
  yield { ...batch, decoded };
}

/** @throws UnknownEvent */
function decodeAll(events: readonly StoredEvent[], { decode, unknownEvents }: Decoding): readonly Recorded[] {
  try {
    return events.map(decode).filter((event) => event !== null);
  } catch (fault) {
    if (fault instanceof UnknownEvent) unknownEvents.note(fault);
    throw fault;
  }
}
