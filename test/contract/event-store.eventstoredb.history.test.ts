import { test } from 'bun:test';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { checkHistories, type HistoryPlace } from './event-store/history.ts';
import { connected } from './event-store/remote.ts';

/** Each run has its own server, since a history begins with an empty log. */
const RUNS = 15;

test(
  'after any history with kills of the server, streams and log equal those of a simple model',
  () => checkHistories(place, RUNS),
  60_000,
);

async function place(): Promise<HistoryPlace> {
  const directory = temporaryDirectory();
  const data = directory.file('events.log');
  let peer = await EventStoreDbPeer.start({ data });
  const { port, url } = peer;
  let store = connected(url);
  return {
    store,
    async reopen() {
      await store.close();
      await peer.kill();
      peer = await EventStoreDbPeer.start({ data, port });
      store = connected(url);
      return store;
    },
    settle: () => peer.scavenge(),
    async [Symbol.asyncDispose]() {
      await store.close();
      await peer.kill();
      directory.remove();
    },
  };
}
