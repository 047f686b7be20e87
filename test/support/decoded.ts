import { decodeEvent } from '../../src/domain/codecs.ts';
import type { DecodedEventStore, EventStore } from '../../src/ports/event-store.ts';
import { decodedStore } from '../../src/runtime/decoded-store.ts';

/** A store as the runtime reads it. Tests of unknown events pass their own registry. */
export function decoded(store: EventStore): DecodedEventStore {
  return decodedStore(store, { decode: decodeEvent, unknownEvents: { note: () => {} } });
}
