import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { readExpected } from './append.mjs';
import { invalidArgument, operationTimedOut, serverBusy, streamDeleted, wrongExpectedVersion } from './errors.mjs';
import { readStreamName } from './messages.mjs';
import { write } from './writing.mjs';

const { Empty } = sharedMessages;
const { DeleteResp, TombstoneResp } = streamMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').DeleteReq} DeleteRequest
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').DeleteResp} DeleteAnswer
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').TombstoneReq} TombstoneRequest
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').TombstoneResp} TombstoneAnswer
 * @typedef {import('@grpc/grpc-js').Metadata} Metadata
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 */

/**
 * Streams.Delete: nothing of the stream is to be read any more, until somebody appends to it again.
 *
 * @param {NodeState} node
 * @returns {import('@grpc/grpc-js').handleUnaryCall<DeleteRequest, DeleteAnswer>}
 */
export function deleteStream(node) {
  return ({ metadata, request }, callback) => {
    end(node, 'delete', metadata, request.getOptions()).then(
      (position) => {
        const answer = new DeleteResp();
        if (position === null) return callback(null, answer.setNoPosition(new Empty()));
        const text = String(position);
        return callback(
          null,
          answer.setPosition(new DeleteResp.Position().setCommitPosition(text).setPreparePosition(text)),
        );
      },
      (/** @type {ServiceError} */ error) => callback(error),
    );
  };
}

/**
 * Streams.Tombstone: the stream is closed for good.
 *
 * @param {NodeState} node
 * @returns {import('@grpc/grpc-js').handleUnaryCall<TombstoneRequest, TombstoneAnswer>}
 */
export function tombstoneStream(node) {
  return ({ metadata, request }, callback) => {
    end(node, 'tombstone', metadata, request.getOptions()).then(
      (position) => {
        const answer = new TombstoneResp();
        if (position === null) return callback(null, answer.setNoPosition(new Empty()));
        const text = String(position);
        return callback(
          null,
          answer.setPosition(new TombstoneResp.Position().setCommitPosition(text).setPreparePosition(text)),
        );
      },
      (/** @type {ServiceError} */ error) => callback(error),
    );
  };
}

/**
 * The position of the event that ends the stream.
 *
 * @param {NodeState} node
 * @param {'delete' | 'tombstone'} kind
 * @param {Metadata} metadata
 * @param {ReturnType<DeleteRequest['getOptions']> | ReturnType<TombstoneRequest['getOptions']>} options
 * @throws {ServiceError}
 */
async function end(node, kind, metadata, options) {
  const denial = node.deny(metadata);
  if (denial !== null) throw denial;
  if (options === undefined) throw invalidArgument('options are missing');
  const stream = readStreamName(options.getStreamIdentifier());
  const expected = readExpected(options);
  const outcome = await write(node, { kind, stream, expected });
  switch (outcome.kind) {
    case 'stored':
      return outcome.position;
    case 'wrong-revision':
      throw wrongExpectedVersion('Delete', stream, expected, outcome.current);
    case 'deleted':
      throw streamDeleted(stream);
    case 'timed-out':
      throw operationTimedOut();
    default:
      throw serverBusy();
  }
}
