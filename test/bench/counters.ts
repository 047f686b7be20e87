import { createRequire } from 'node:module';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import type { BatchAppendReq, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { ClientReadableStream } from '@grpc/grpc-js';

/**
 * `bun --preload counters.ts server.ts` counts in the server's process what it asks of EventStoreDB and MongoDB, and
 * serves the counters on a port of its own. It replaces methods of the drivers, so it works with every server and with
 * older checkouts, whose drivers it takes from the checkout of `server.ts`. Worker threads are not counted: none has a
 * connection to a shared engine.
 */
export type Counters = {
  /** Of all threads. */
  readonly cpuMs: number;
  readonly memoryMb: number;
  /** Open subscriptions to the event store. */
  readonly subscriptions: number;
  /** Calls since the process started, by kind. */
  readonly calls: Readonly<Record<string, number>>;
};

/** Called with the arguments and the result of a call. */
type Note = (given: readonly unknown[], result: unknown) => void;

const calls: Record<string, number> = {};
let subscriptions = 0;

const { EVENTSTORE_URL = '', MONGODB_URL = '' } = process.env;
const driver = createRequire(Bun.main);
if (EVENTSTORE_URL !== '') countEventStore();
if (MONGODB_URL !== '') countMongoDb();
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    const { user, system } = process.cpuUsage();
    const memoryMb = process.memoryUsage.rss() / 1_048_576;
    return Response.json({ cpuMs: (user + system) / 1_000, memoryMb, subscriptions, calls } satisfies Counters);
  },
});
// The server ends although this one listens.
server.unref();
process.stdout.write(`${JSON.stringify({ counters: server.port })}\n`);

function countEventStore(): void {
  const generated = '@eventstore/db-client/generated';
  const streams = driver(`${generated}/streams_grpc_pb`).StreamsClient.prototype;
  observe(streams, 'read', ([request], answer) => {
    const options = (request as ReadReq).getOptions();
    const received = answer as ClientReadableStream<ReadResp>;
    if (options?.hasSubscription() === true) countSubscription(received);
    else if (options?.hasAll() === true) count('reads of $all');
    else countOf('stream reads', options?.getStream()?.getStreamIdentifier());
  });
  observe(streams, 'batchAppend', (_, answer) =>
    observe(answer as object, 'write', ([request]) =>
      countOf('appends', (request as BatchAppendReq).getOptions()?.getStreamIdentifier()),
    ),
  );
  observe(streams, 'append', () => count('appends'));
  for (const method of ['delete', 'tombstone']) observe(streams, method, () => count('other calls'));
  const features = driver(`${generated}/serverfeatures_grpc_pb`).ServerFeaturesClient.prototype;
  observe(features, 'getSupportedMethods', () => count('other calls'));
  const gossip = driver(`${generated}/gossip_grpc_pb`).GossipClient.prototype;
  observe(gossip, 'read', () => count('other calls'));
}

function countSubscription(received: ClientReadableStream<ReadResp>): void {
  count('subscriptions opened');
  subscriptions++;
  received.once('status', () => subscriptions--);
  // A listener for `data` would start the flow of the stream.
  observe(received, 'push', ([message]) => {
    if (message !== null && (message as ReadResp).hasEvent()) count('events received');
  });
}

function countMongoDb(): void {
  const connections = driver('mongodb/lib/cmap/connection.js').Connection.prototype;
  observe(connections, 'command', ([, command]) => count(`MongoDB ${Object.keys(command as object)[0]}`));
}

/** Calls `note` after each call of a method. */
function observe(target: object, method: string, note: Note): void {
  const original = Reflect.get(target, method) as (...given: unknown[]) => unknown;
  Reflect.set(target, method, function (this: unknown, ...given: unknown[]) {
    const result = original.apply(this, given);
    note(given, result);
    return result;
  });
}

/** Counts a call, also by the category of its stream. */
function countOf(kind: string, stream: StreamIdentifier | undefined): void {
  const name = Buffer.from(stream?.getStreamName_asU8() ?? []).toString();
  count(kind);
  count(`${kind}: ${name.replace(process.env['WAYMARK_STREAM_PREFIX'] ?? '', '').replace(/-.*/, '')}`);
}

function count(kind: string): void {
  calls[kind] = (calls[kind] ?? 0) + 1;
}
