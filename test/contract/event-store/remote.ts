import {
  connectEventStore,
  type EventStoreSettings,
  type RemoteEventStore,
} from '../../../src/adapters/eventstoredb/event-store.ts';
import { readEventStoreUrl } from '../../../src/adapters/eventstoredb/server-url.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { EventStore, RemoteLog } from '../../../src/ports/event-store.ts';
import { collectedLog } from '../../support/log.ts';
import { reopening } from '../reopening.ts';
import { KEPT_EVENTS, type OpenedStore } from './scene.ts';

/** Connects as the service does; logs are discarded unless the test passes a log. */
export function connected(url: string, settings: Partial<EventStoreSettings> = {}): RemoteEventStore {
  const read = readEventStoreUrl(url);
  if (read.kind === 'fault') throw new Error(`EVENTSTORE_URL ${read.rule}`);
  return connectEventStore(read.server, { log: collectedLog(), electionMs: 0, ...settings });
}

/** Whether the server answers the read by which a node checks that. */
export function isAnswering(store: RemoteLog): Promise<boolean> {
  return store.readAfter(START, []).then(
    () => true,
    () => false,
  );
}

/** A store for the contract suite, on a server that outlives it. */
export function openedAt(url: string): OpenedStore {
  const open = (): EventStore => connected(url, { keptEvents: KEPT_EVENTS });
  return reopening<EventStore>(open(), open);
}
