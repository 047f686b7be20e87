import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { EventStoreServer } from './server-url.ts';

export type AppendStream = ReturnType<StreamsClient['batchAppend']>;

/**
 * The client of the database, with what its public face lacks: a stream of appends whose answers we wait for ourselves,
 * an end that closes the connection, and no fault that nobody can catch. A subclass, since these are its protected
 * members (docs/decisions/0025).
 */
export class Connection extends EventStoreDBClient {
  #channel: ReturnType<EventStoreDBClient['getChannel']> | null = null;
  #closed = false;

  /** Connects at the first call. @throws where the file of certificates cannot be read */
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

  /** A new stream of appends to the leader. */
  openAppends(): Promise<AppendStream> {
    const open = this.GRPCStreamCreator(StreamsClient, 'batchAppend', (client) =>
      client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })),
    );
    return open();
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
    // The client calls this without waiting: where discovery fails inside, nobody would catch it, and the process would end.
    this.handleError = (client, error) => handleError(client, error).catch(() => undefined);
  }
}
