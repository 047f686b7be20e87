import { EventStoreDBClient, type JSONEventData, jsonEvent } from '@eventstore/db-client';
import { EventStoreDbPeer, type PeerOptions } from '../../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { namedServer } from '../event-store/named-server.ts';

export type Happened = { readonly type: 'Happened'; readonly data: { readonly n: number } };

/** A server with an official client of it. */
export type Scene = AsyncDisposable & {
  readonly client: EventStoreDBClient;
};

/** The same with a server that obeys: only ever our own. */
export type PeerScene = Scene & {
  readonly peer: EventStoreDbPeer;
  /** The file that keeps the peer's events. */
  readonly data: string;
};

/** What holds of EventStoreDB is tried against the real one where `EVENTSTORE_URL` names it. */
export async function openScene(): Promise<Scene> {
  const url = await namedServer();
  if (url === null) return openPeer();
  const client = EventStoreDBClient.connectionString(url);
  return { client, [Symbol.asyncDispose]: () => client.dispose() };
}

export async function openPeer(options: Omit<PeerOptions, 'data'> = {}): Promise<PeerScene> {
  const directory = temporaryDirectory();
  const data = directory.file('events.log');
  const peer = await EventStoreDbPeer.start({ data, ...options });
  const client = EventStoreDBClient.connectionString(peer.url);
  return {
    client,
    peer,
    data,
    async [Symbol.asyncDispose]() {
      await client.dispose();
      await peer.kill();
      directory.remove();
    },
  };
}

/** A stream that nobody else uses, also on a server that keeps those of earlier runs. */
export function newStream(prefix = 'peer'): string {
  return `${prefix}-${crypto.randomUUID()}`;
}

/** Events that carry their numbers, each with an id of its own. */
export function happened(...numbers: readonly number[]): JSONEventData<Happened>[] {
  return numbers.map((n) => jsonEvent<Happened>({ type: 'Happened', data: { n } }));
}

/** The number that an event of ours carries. @throws where it carries none */
export function numberOf(event: { readonly data: unknown } | undefined): number {
  const data = event?.data;
  if (typeof data !== 'object' || data === null || !('n' in data) || typeof data.n !== 'number') {
    throw new Error(`there is no number in ${JSON.stringify(data)}`);
  }
  return data.n;
}

/** The type of the error that it ends with, as the client tells them apart. */
export async function errorType(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return 'no error';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 'type' in error ? String(error.type) : String(error);
  }
}
