/**
 * A server that speaks EventStoreDB's gRPC protocol, for tests: `README.md` beside it says what of it, and how. Says in
 * one line of JSON where it listens, as soon as it does.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import operationsService from '@eventstore/db-client/generated/operations_grpc_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { accessFor } from './access.mjs';
import { append } from './append.mjs';
import { batchAppend } from './batch-append.mjs';
import { CallCounts } from './call-counts.mjs';
import { Cluster } from './cluster.mjs';
import { gossip, supportedMethods } from './cluster-services.mjs';
import { obey } from './control.mjs';
import { deleteStream, tombstoneStream } from './delete.mjs';
import { Faults } from './faults.mjs';
import { Latency } from './latency.mjs';
import { startScavenge, stopScavenge } from './operations-service.mjs';
import { readArguments, USAGE } from './options.mjs';
import { read } from './read.mjs';
import { Store } from './store.mjs';
import { Timers } from './timers.mjs';

/**
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 */

/** Events may be larger than what gRPC takes by default, since a batch of them comes in one message. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** @param {Options} options */
function start(options) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const timers = new Timers();
  const store = new Store(options.data, { durable: options.durable, nowMs: () => timers.nowMs() });
  const latency = new Latency(timers);
  const listener = createServer({ noDelay: true });

  listener.listen(options.port, options.host, () => {
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('the server listens nowhere');
    const { port } = address;
    /** @type {NodeState} */
    const node = {
      store,
      timers,
      calls: new CallCounts(),
      faults: new Faults(),
      latency,
      writes: latency.line(),
      cluster: new Cluster({ host: options.host, port }),
      deny: accessFor(options.account),
      subscriptions: new Set(),
      dropConnections: () => {
        for (const socket of sockets) socket.destroy();
      },
    };
    const server = serve(node, options);
    const connections = server.createConnectionInjector(credentials(options));
    listener.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Clients may break their connections as they like.
      socket.on('error', () => {});
      connections.injectConnection(socket);
    });
    const stop = () => {
      listener.close();
      server.forceShutdown();
      node.dropConnections();
      process.exitCode = 0;
      process.stdin.destroy();
    };
    process.once('SIGTERM', stop);
    if (options.control) obey(node, process.stdin, say, stop);
    say({ host: options.host, port });
  });
}

/**
 * @param {NodeState} node
 * @param {Options} options
 */
function serve(node, options) {
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  server.addService(streamsService.StreamsService, {
    read: read(node),
    append: unary(append(node)),
    batchAppend: batchAppend(node),
    delete: unary(deleteStream(node)),
    tombstone: unary(tombstoneStream(node)),
  });
  server.addService(gossipService.GossipService, { read: gossip(node) });
  server.addService(featuresService.ServerFeaturesService, { getSupportedMethods: supportedMethods(node, options) });
  server.addService(operationsService.OperationsService, {
    startScavenge: startScavenge(node),
    stopScavenge: stopScavenge(node),
  });
  return server;
}

/**
 * A method that answers once, as gRPC calls it.
 *
 * @template Call, Answer
 * @param {(call: Call) => Promise<Answer>} answer
 * @returns {(call: Call, callback: import('@grpc/grpc-js').sendUnaryData<Answer>) => void}
 */
function unary(answer) {
  return (call, callback) => void reply(answer(call), callback);
}

/**
 * @template Answer
 * @param {Promise<Answer>} answer
 * @param {import('@grpc/grpc-js').sendUnaryData<Answer>} callback
 */
async function reply(answer, callback) {
  /** @type {Answer} */
  let message;
  try {
    message = await answer;
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  callback(null, message);
}

/** @param {Options} options */
function credentials({ tls }) {
  if (tls === null) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(null, [
    { cert_chain: readFileSync(tls.cert), private_key: readFileSync(tls.key) },
  ]);
}

/** @param {object} line */
function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

try {
  start(readArguments(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nusage: ${USAGE}\n`);
  process.exitCode = 2;
}
