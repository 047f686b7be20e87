import { test } from 'bun:test';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type HistoryPlace, historiesAreTold } from './event-store/history.ts';
import { connected } from './event-store/remote.ts';

/** Each has a server of its own, since a history begins with an empty log: no server that others use will do. */
const RUNS = 15;

test(
  'whatever happened, also while the server was killed, streams and log tell it as the simplest model does',
  () => historiesAreTold(place, RUNS),
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
