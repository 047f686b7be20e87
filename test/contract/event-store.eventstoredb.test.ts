import { afterAll, beforeAll } from 'bun:test';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { namedServer } from './event-store/named-server.ts';
import { openedAt } from './event-store/remote.ts';
import { eventStoreContract } from './event-store.suite.ts';

/** The server of EVENTSTORE_URL; without it, a peer that speaks its protocol. */
const named = (process.env['EVENTSTORE_URL'] ?? '') !== '';
const directory = temporaryDirectory();
let peer: EventStoreDbPeer | undefined;
let url = '';

beforeAll(async () => {
  const real = await namedServer();
  if (real === null) peer = await EventStoreDbPeer.start({ data: directory.file('events.log') });
  url = real ?? peer?.url ?? '';
});

afterAll(async () => {
  await peer?.kill();
  directory.remove();
});

eventStoreContract(`EventStoreDB, ${named ? 'the server of EVENTSTORE_URL' : 'a peer'}`, async () => openedAt(url));
