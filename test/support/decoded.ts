import { decodeEvent } from '../../src/domain/codecs.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import type { DecodedEventStore, EventStore, FollowedFeed } from '../../src/ports/event-store.ts';
import type { ReaderBatch } from '../../src/ports/log-follower.ts';
import { decodedStore } from '../../src/runtime/decoded-store.ts';
import { Progress } from '../../src/runtime/progress.ts';
import { faultOf } from './fault.ts';
import { collectedLog } from './log.ts';

/** A store as the runtime reads it. Tests of unknown events pass their own registry. */
export function decoded(store: EventStore): DecodedEventStore {
  return decodedStore(store, { decode: decodeEvent, unknownEvents: { note: () => {} } });
}

/** What a reader applies before it stops at a fault. */
export async function followed({ follower }: FollowedFeed, categories: readonly string[]) {
  const events: Recorded[] = [];
  const apply = (batch: ReaderBatch): void => void events.push(...batch.events);
  const [progress, log, { signal }] = [new Progress(), collectedLog(), new AbortController()];
  const fault = await faultOf(() => follower.follow({ reader: 'a reader', categories, progress, apply, log, signal }));
  return { events, fault };
}
