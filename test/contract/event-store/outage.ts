import type { EventStoreSettings, RemoteEventStore } from '../../../src/adapters/eventstoredb/event-store.ts';
import { EventStoreDbPeer } from '../../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { connected } from './remote.ts';

/** A server that a test can stop, and a store connected to it. */
export type Scene = AsyncDisposable & {
  readonly store: RemoteEventStore;
  readonly peer: () => EventStoreDbPeer;
  /** SIGKILL, and a new process on the same data at the same port. */
  readonly restart: () => Promise<void>;
};

/** Short enough for tests that wait for a second attempt. */
const SHORT_RETRY_POLICY = { deadlineMs: 10_000, attemptMs: 150 };

export async function sceneOf(settings: Partial<EventStoreSettings> = {}): Promise<Scene> {
  const directory = temporaryDirectory();
  const data = directory.file('events.log');
  let peer = await EventStoreDbPeer.start({ data });
  const store = connected(peer.url, { retryPolicy: SHORT_RETRY_POLICY, ...settings });
  return {
    store,
    peer: () => peer,
    async restart() {
      await peer.kill();
      peer = await EventStoreDbPeer.start({ data, port: peer.port });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await peer.kill();
      directory.remove();
    },
  };
}
