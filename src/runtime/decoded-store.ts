import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Recorded } from '../eventsourcing/message.ts';
import type { DecodedEventStore, EventStore, StoredEvent } from '../ports/event-store.ts';
import { type FollowerOptions, openFollower } from './follower.ts';

/** A store whose readers get UnknownEvent instead of an event that this release cannot decode: none of them skips one. */
export function decodedStore(store: EventStore, decoding: FollowerOptions): DecodedEventStore {
  const follower = openFollower(store, decoding);
  return {
    exclusive: store.exclusive,
    positions: store.positions,
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
    subscribe: (options) => store.subscribe(options),
    readLog: (range) => store.readLog(range),
    head: () => store.head(),
    check: (checkpoint) => store.check(checkpoint),
    follower,
    erase: (stream) => store.erase(stream),
    async close() {
      await follower.close();
      await store.close();
    },
  };
}

/** @throws UnknownEvent */
function decodeAll(events: readonly StoredEvent[], { decode, unknownEvents }: FollowerOptions): readonly Recorded[] {
  try {
    return events.map(decode).filter((event) => event !== null);
  } catch (fault) {
    if (fault instanceof UnknownEvent) unknownEvents.note(fault);
    throw fault;
  }
}
