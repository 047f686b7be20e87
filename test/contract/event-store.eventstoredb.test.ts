import { afterAll, beforeAll } from 'bun:test';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openedAt } from './event-store/remote.ts';
import { eventStoreContract } from './event-store.suite.ts';

/** A real server to hold the contract against; where none is named, a peer that speaks its protocol stands in. */
const realServer = process.env['EVENTSTORE_URL'];
const directory = temporaryDirectory();
let peer: EventStoreDbPeer | undefined;

beforeAll(async () => {
  if (realServer === undefined) peer = await EventStoreDbPeer.start({ data: directory.file('events.log') });
});

afterAll(async () => {
  await peer?.kill();
  directory.remove();
});

eventStoreContract(`EventStoreDB, ${realServer === undefined ? 'a peer' : 'the server of EVENTSTORE_URL'}`, async () =>
  openedAt(realServer ?? peer?.url ?? 'no server was started'),
);
