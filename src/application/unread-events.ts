import { unknownEvent } from '../domain/codecs.ts';
import type { UnknownEvent } from '../eventsourcing/codec.ts';
import type { EventFeed, EventStore, LogBatch, StoredEvent } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';

/** What a newer release wrote, and this one met and cannot read (docs/decisions/0029). */
export type UnreadEvents = {
  /** Told in the log once for each type. */
  note(fault: UnknownEvent): void;
  /** As they are stored, with their version. */
  types(): readonly string[];
};

export function createUnreadEvents(log: Log): UnreadEvents {
  const met = new Set<string>();
  return {
    note({ type, message: reason }) {
      if (met.has(type)) return;
      met.add(type);
      log.error('event of a newer release: what needs it stands still on this node', { type, reason });
    },
    types: () => [...met],
  };
}

/**
 * The store, which notes what this release cannot read, and throws it as UnknownEvent to whoever would have folded it:
 * nothing is skipped, and nobody decides on half of a stream.
 */
export function readableStore(store: EventStore, unread: Pick<UnreadEvents, 'note'>): EventStore {
  const { subscribe } = readableFeed(store, unread);
  return {
    exclusive: store.exclusive,
    append: (stream, expectedRevision, events) => store.append(stream, expectedRevision, events),
    async read(stream, fromRevision, maxCount) {
      const read = await store.read(stream, fromRevision, maxCount);
      if (read.kind === 'events') assertKnown(read, unread);
      return read;
    },
    async last(stream) {
      const last = await store.last(stream);
      if (last !== null) assertKnown({ events: [last] }, unread);
      return last;
    },
    subscribe,
    head: () => store.head(),
    erase: (stream) => store.erase(stream),
    close: () => store.close(),
  };
}

/** The same of the log: what stands before such an event is told first, so that all stand still at the same place. */
export function readableFeed(feed: EventFeed, unread: Pick<UnreadEvents, 'note'>): EventFeed {
  return {
    async *subscribe(options) {
      for await (const batch of feed.subscribe(options)) {
        const known = knownPart(batch);
        if (known === batch) {
          yield batch;
          continue;
        }
        if (known !== null) yield known;
        assertKnown(batch, unread);
      }
    },
    head: () => feed.head(),
  };
}

/** The batch itself where all of it is known; null where its first event is not. */
function knownPart(batch: LogBatch): LogBatch | null {
  const first = batch.events.findIndex((event) => unknownEvent(event) !== null);
  if (first < 0) return batch;
  const events = batch.events.slice(0, first);
  const last = events.at(-1);
  return last === undefined ? null : { events, upTo: last.position, caughtUp: false };
}

function assertKnown(
  { events }: { readonly events: readonly StoredEvent[] },
  { note }: Pick<UnreadEvents, 'note'>,
): void {
  for (const event of events) {
    const fault = unknownEvent(event);
    if (fault === null) continue;
    note(fault);
    throw fault;
  }
}
