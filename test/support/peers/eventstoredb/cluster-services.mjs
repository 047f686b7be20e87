import { randomUUID } from 'node:crypto';
import gossipMessages from '@eventstore/db-client/generated/gossip_pb.js';
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { operationTimedOut, serverBusy } from './errors.mjs';
import { uuidMessage } from './messages.mjs';
import { leaderAt } from './writing.mjs';

const { ClusterInfo, EndPoint, MemberInfo } = gossipMessages;
const { SupportedMethod, SupportedMethods } = featureMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./faults.mjs').Operation} Operation
 * @typedef {import('./cluster.mjs').Member} Member
 * @typedef {import('@eventstore/db-client/generated/shared_pb.js').Empty} EmptyMessage
 * @typedef {import('@eventstore/db-client/generated/gossip_pb.js').ClusterInfo} ClusterMessage
 * @typedef {import('@eventstore/db-client/generated/serverfeatures_pb.js').SupportedMethods} FeaturesMessage
 */

const TICKS_PER_MS = 10_000n;

const STREAMS = 'event_store.client.streams.streams';

/** Methods by service, with what of them not every version can do. */
const METHODS = /** @type {const} */ ([
  [STREAMS, 'read', ['position', 'events']],
  [STREAMS, 'append', []],
  [STREAMS, 'delete', []],
  [STREAMS, 'tombstone', []],
  [STREAMS, 'batchappend', ['deadline_duration']],
  ['event_store.client.gossip.gossip', 'read', []],
  ['event_store.client.operations.operations', 'startscavenge', []],
  ['event_store.client.operations.operations', 'stopscavenge', []],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods', []],
]);

const STATES = {
  leader: MemberInfo.VNodeState.LEADER,
  follower: MemberInfo.VNodeState.FOLLOWER,
  'read-only-replica': MemberInfo.VNodeState.READONLYREPLICA,
  unknown: MemberInfo.VNodeState.UNKNOWN,
};

/**
 * ServerFeatures.GetSupportedMethods: clients append in batches only where the server says that it can.
 *
 * @param {NodeState} node
 * @param {{ batchAppend: boolean, serverVersion: string }} options
 * @returns {import('@grpc/grpc-js').handleUnaryCall<EmptyMessage, FeaturesMessage>}
 */
export function supportedMethods(node, { batchAppend, serverVersion }) {
  const methods = METHODS.filter(([, method]) => batchAppend || method !== 'batchappend').map(
    ([service, method, features]) =>
      new SupportedMethod()
        .setServiceName(service)
        .setMethodName(method)
        .setFeaturesList([...features]),
  );
  const answer = new SupportedMethods().setEventStoreServerVersion(serverVersion).setMethodsList(methods);
  return (_call, callback) => answerWithFaults(node, 'features', callback, () => answer);
}

/**
 * Gossip.Read: who belongs to the cluster, and who leads it.
 *
 * @param {NodeState} node
 * @returns {import('@grpc/grpc-js').handleUnaryCall<EmptyMessage, ClusterMessage>}
 */
export function gossip(node) {
  const answer = () => new ClusterInfo().setMembersList(node.cluster.members.map(memberInfo));
  return (_call, callback) => answerWithFaults(node, 'gossip', callback, answer);
}

/** @param {Member} member */
function memberInfo({ host, port, role, alive }) {
  return new MemberInfo()
    .setInstanceId(uuidMessage(randomUUID()))
    .setTimeStamp(String(BigInt(Date.now()) * TICKS_PER_MS))
    .setState(STATES[role])
    .setIsAlive(alive)
    .setHttpEndPoint(new EndPoint().setAddress(host).setPort(port));
}

/**
 * @template Answer
 * @param {NodeState} node
 * @param {Operation} operation
 * @param {import('@grpc/grpc-js').sendUnaryData<Answer>} callback
 * @param {() => Answer} answer
 */
function answerWithFaults(node, operation, callback, answer) {
  const fault = node.faults.take(operation);
  switch (fault?.kind) {
    case 'lost':
    case 'silent':
      return;
    case 'disconnect':
      node.dropConnections();
      return;
    case 'delay':
      node.timers.after(fault.ms, () => callback(null, answer()));
      return;
    case 'timeout':
      return callback(operationTimedOut());
    case 'busy':
    case 'unavailable':
      return callback(serverBusy());
    case 'not-leader':
      return callback(leaderAt(fault.host, fault.port));
    default:
      return callback(null, answer());
  }
}
