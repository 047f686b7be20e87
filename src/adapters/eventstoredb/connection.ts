import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { EventStoreServer } from './server-url.ts';

/** gRPC status UNIMPLEMENTED. */
const UNIMPLEMENTED = 12;

export type AppendStream = ReturnType<StreamsClient['batchAppend']>;

/**
 * The database client with features that its public API lacks: an append stream whose answers this adapter awaits
 * itself, a `close` that ends the connection, and no unhandled rejections. A subclass, since these need protected
 * members (docs/decisions/0025).
 */
export class Connection extends EventStoreDBClient {
  #channel: ReturnType<EventStoreDBClient['getChannel']> | null = null;
  #closed = false;

  /** Connects at the first call. @throws if the file of certificates cannot be read */
  static to({ endpoints, discover, tls, caFile, credentials }: EventStoreServer): Connection {
    const channel = { insecure: !tls, ...(caFile === null ? {} : { rootCertificate: readFileSync(caFile) }) };
    const user = credentials ?? undefined;
    const [first] = endpoints;
    if (first === undefined) throw new TypeError('a server has at least one endpoint');
    const connection = discover
      ? new Connection({ endpoints: [...endpoints] }, channel, user)
      : new Connection({ endpoint: first }, channel, user);
    connection.#guard();
    return connection;
  }

  /** Opens an append stream to the leader. */
  openAppends(): Promise<AppendStream> {
    const open = this.GRPCStreamCreator(StreamsClient, 'batchAppend', (client) =>
      client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })),
    );
    return open();
  }

  /** The current channel; a different object after a reconnection. Connects if there is none. */
  channel(): Promise<object> {
    return this.getChannel();
  }

  /**
   * The version that the connected server reports, uncached: the client caches the first answer, even a failure. Null
   * if the server does not implement the call.
   */
  serverVersion(): Promise<string | null> {
    return this.execute(
      ServerFeaturesClient,
      'serverVersion',
      (client) =>
        new Promise<string | null>((resolve, reject) => {
          client.getSupportedMethods(new Empty(), ...this.callArguments({}), (error, methods) => {
            if (error === null) return resolve(methods.getEventStoreServerVersion());
            const code: number = error.code;
            if (code === UNIMPLEMENTED) resolve(null);
            else reject(error);
          });
        }),
    );
  }

  /** Ends every stream and the connection. Nothing connects again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.dispose();
    const channel = await this.#channel?.catch(() => null);
    channel?.close();
  }

  #guard(): void {
    const { getChannel, handleError } = this;
    this.getChannel = () => {
      if (this.#closed) return Promise.reject(new Error('the event store is closed'));
      this.#channel = getChannel();
      return this.#channel;
    };
    // The client does not await this call: if discovery failed inside, the unhandled rejection would end the process.
    this.handleError = (client, error) => handleError(client, error).catch(() => undefined);
  }
}
