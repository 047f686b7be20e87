import { afterAll, beforeAll } from 'bun:test';
import { Readable } from 'node:stream';
import {
  type AllStreamSubscription,
  EventStoreDBClient,
  type JSONEventData,
  jsonEvent,
  type Position,
  type StreamSubscription,
} from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreDbPeer, type PeerOptions } from '../../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { namedServer } from '../event-store/named-server.ts';

export type Happened = { readonly type: 'Happened'; readonly data: { readonly n: number } };

/** A server and an official client of it. */
export type Scene = AsyncDisposable & {
  readonly client: EventStoreDBClient;
};

/** A peer, which tests can control. */
export type PeerScene = Scene & {
  readonly peer: EventStoreDbPeer;
  /** The peer's file of events. */
  readonly data: string;
};

/** The server of `EVENTSTORE_URL`; without it, a peer. */
export async function openScene(): Promise<Scene> {
  const url = await namedServer();
  if (url === null) return openPeer();
  const client = EventStoreDBClient.connectionString(url);
  return { client, [Symbol.asyncDispose]: () => client.dispose() };
}

/** One scene for all tests of a file. */
export function sharedScene<S extends Scene = Scene>(open: () => Promise<S>): S {
  const shared = {} as S;
  beforeAll(async () => {
    Object.assign(shared, await open());
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
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

/** A unique stream, since the server may hold those of earlier runs. */
export function newStream(prefix = 'peer'): string {
  return `${prefix}-${crypto.randomUUID()}`;
}

/** Numbered events with fresh ids. */
export function happened(...numbers: readonly number[]): JSONEventData<Happened>[] {
  return numbers.map((n) => jsonEvent<Happened>({ type: 'Happened', data: { n } }));
}

/** The number of such an event. @throws if it has none */
export function numberOf(event: { readonly data: unknown } | undefined): number {
  const data = event?.data;
  if (typeof data !== 'object' || data === null || !('n' in data) || typeof data.n !== 'number') {
    throw new Error(`there is no number in ${JSON.stringify(data)}`);
  }
  return data.n;
}

/** Appends one event and returns its position. */
export async function appendOne({ client }: Scene, stream: string, n = 0): Promise<Position> {
  const { position } = await client.appendToStream(stream, happened(n));
  if (position === undefined) throw new Error('an append returned no position');
  return position;
}

/** A message of a server to a subscription. */
export type Sent =
  | 'confirmation'
  | 'caught up'
  | 'fell behind'
  | { readonly checkpoint: Position }
  | { readonly event: Position };

/**
 * Records what the server sends to a subscription, in that order: the client's own events and callbacks overtake each
 * other.
 */
export class Recording implements AsyncDisposable {
  readonly sent: Sent[] = [];
  /** Type and text of the error that ends the subscription. */
  readonly error: Promise<readonly [type: string, text: string]>;
  readonly #subscription: AllStreamSubscription | StreamSubscription;
  #changed = (): void => {};

  constructor(subscription: AllStreamSubscription | StreamSubscription) {
    this.#subscription = subscription;
    subscription.once('pipe', (call: unknown) => {
      if (!(call instanceof Readable)) throw new Error('a subscription does not read from a call');
      call.on('data', (answer: ReadResp) => {
        this.sent.push(...sentIn(answer));
        this.#changed();
      });
    });
    this.error = new Promise((resolve) => {
      subscription.once('error', (error: Error) =>
        resolve(['type' in error ? String(error.type) : error.name, error.message]),
      );
    });
    subscription.resume();
  }

  get checkpoints(): Position[] {
    return this.sent.flatMap((sent) => (typeof sent === 'object' && 'checkpoint' in sent ? [sent.checkpoint] : []));
  }

  /** Waits for this message; returns all messages until then. */
  async until(expected: Sent): Promise<readonly Sent[]> {
    while (!this.sent.some((sent) => Bun.deepEquals(sent, expected))) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    return this.sent;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#subscription.unsubscribe();
  }
}

function sentIn(answer: ReadResp): Sent[] {
  if (answer.hasConfirmation()) return ['confirmation'];
  if (answer.hasCaughtUp()) return ['caught up'];
  if (answer.hasFellBehind()) return ['fell behind'];
  const checkpoint = answer.getCheckpoint();
  if (checkpoint !== undefined) return [{ checkpoint: positionIn(checkpoint) }];
  const event = answer.getEvent()?.getEvent();
  return event === undefined ? [] : [{ event: positionIn(event) }];
}

function positionIn(message: { getCommitPosition(): string; getPreparePosition(): string }): Position {
  return { commit: BigInt(message.getCommitPosition()), prepare: BigInt(message.getPreparePosition()) };
}

/** The client's type of the error that it rejects with. */
export async function errorType(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return 'no error';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 'type' in error ? String(error.type) : String(error);
  }
}
