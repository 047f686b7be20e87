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
 * @template Request, Answer
 * @typedef {import('@grpc/grpc-js').ServerUnaryCall<Request, Answer>} UnaryCall
 */

/**
 * Streams.Delete: nothing of the stream is to be read any more, until somebody appends to it again.
 *
 * @param {NodeState} node
 * @returns {(call: UnaryCall<DeleteRequest, DeleteAnswer>) => Promise<DeleteAnswer>}
 */
export function deleteStream(node) {
  return async ({ metadata, request }) => {
    const position = await end(node, 'delete', metadata, request.getOptions());
    if (position === null) return new DeleteResp().setNoPosition(new Empty());
    const text = String(position);
    return new DeleteResp().setPosition(new DeleteResp.Position().setCommitPosition(text).setPreparePosition(text));
  };
}

/**
 * Streams.Tombstone: the stream is closed for good.
 *
 * @param {NodeState} node
 * @returns {(call: UnaryCall<TombstoneRequest, TombstoneAnswer>) => Promise<TombstoneAnswer>}
 */
export function tombstoneStream(node) {
  return async ({ metadata, request }) => {
    const position = await end(node, 'tombstone', metadata, request.getOptions());
    if (position === null) return new TombstoneResp().setNoPosition(new Empty());
    const text = String(position);
    return new TombstoneResp().setPosition(
      new TombstoneResp.Position().setCommitPosition(text).setPreparePosition(text),
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
