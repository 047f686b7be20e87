import { randomUUID } from 'node:crypto';
import operationMessages from '@eventstore/db-client/generated/operations_pb.js';
import { scavengeNotFound } from './errors.mjs';

const { ScavengeResp } = operationMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('@eventstore/db-client/generated/operations_pb.js').StartScavengeReq} StartRequest
 * @typedef {import('@eventstore/db-client/generated/operations_pb.js').StopScavengeReq} StopRequest
 * @typedef {import('@eventstore/db-client/generated/operations_pb.js').ScavengeResp} ScavengeAnswer
 */

/**
 * Operations.StartScavenge: it is done when it is answered.
 *
 * @param {NodeState} node
 * @returns {import('@grpc/grpc-js').handleUnaryCall<StartRequest, ScavengeAnswer>}
 */
export function startScavenge(node) {
  return ({ metadata }, callback) => {
    const denial = node.deny(metadata);
    if (denial !== null) return callback(denial);
    node.store.scavenge();
    callback(
      null,
      new ScavengeResp().setScavengeId(randomUUID()).setScavengeResult(ScavengeResp.ScavengeResult.STARTED),
    );
  };
}

/**
 * Operations.StopScavenge: there is never one to stop.
 *
 * @param {NodeState} node
 * @returns {import('@grpc/grpc-js').handleUnaryCall<StopRequest, ScavengeAnswer>}
 */
export function stopScavenge(node) {
  return ({ metadata, request }, callback) => {
    const denial = node.deny(metadata);
    callback(denial ?? scavengeNotFound(request.getOptions()?.getScavengeId() ?? ''));
  };
}
