import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { invalidArgument, maximumAppendSizeExceeded, operationTimedOut, serverBusy, streamDeleted } from './errors.mjs';
import { readStreamName } from './messages.mjs';
import { readProposedEvent, sizeOf } from './proposed-events.mjs';
import { MAX_APPEND_BYTES, write } from './writing.mjs';

const { Empty } = sharedMessages;
const { AppendResp } = streamMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./commit-check.mjs').Expected} Expected
 * @typedef {import('./writing.mjs').Answer} Answer
 * @typedef {import('./store.mjs').ProposedEvent} ProposedEvent
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').AppendReq} AppendRequest
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').AppendResp} AppendAnswer
 * @typedef {import('@grpc/grpc-js').ServerReadableStream<AppendRequest, AppendAnswer>} Call
 */

/**
 * Streams.Append: one append in a call of its own, options first.
 *
 * @param {NodeState} node
 * @returns {(call: Call) => Promise<AppendAnswer>}
 */
export function append(node) {
  return async (call) => {
    const denial = node.deny(call.metadata);
    if (denial !== null) throw denial;
    const { stream, expected, events } = await readRequests(call);
    return answer(stream, expected, await write(node, { kind: 'append', stream, expected, events }));
  };
}

/**
 * @param {Call} call
 * @throws {import('@grpc/grpc-js').ServiceError} where they are not to be understood, or too large together
 */
async function readRequests(call) {
  /** @type {import('@eventstore/db-client/generated/streams_pb.js').AppendReq.Options | undefined} */
  let options;
  /** @type {ProposedEvent[]} */
  const events = [];
  /** @type {AsyncIterable<AppendRequest>} */
  const requests = call;
  let bytes = 0;
  for await (const request of requests) {
    const message = request.getProposedMessage();
    if (message === undefined) {
      options = request.getOptions();
      continue;
    }
    const event = readProposedEvent(message);
    bytes += sizeOf(event);
    if (bytes > MAX_APPEND_BYTES) throw maximumAppendSizeExceeded(MAX_APPEND_BYTES);
    events.push(event);
  }
  if (options === undefined) throw invalidArgument('options are missing');
  const stream = readStreamName(options.getStreamIdentifier());
  return { stream, expected: readExpected(options), events };
}

/**
 * @param {{ hasAny(): boolean, hasNoStream(): boolean, hasStreamExists(): boolean, getRevision(): string }} options
 * @returns {Expected}
 */
export function readExpected(options) {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return Number(options.getRevision());
}

/**
 * @param {string} stream
 * @param {Expected} expected
 * @param {Answer} outcome
 * @throws {import('@grpc/grpc-js').ServiceError}
 */
function answer(stream, expected, outcome) {
  switch (outcome.kind) {
    case 'stored':
      return new AppendResp().setSuccess(success(outcome));
    case 'wrong-revision':
      return new AppendResp().setWrongExpectedVersion(wrongVersion(expected, outcome.current));
    case 'deleted':
      throw streamDeleted(stream);
    case 'timed-out':
      throw operationTimedOut();
    default:
      throw serverBusy();
  }
}

/** @param {{ revision: number, position: number | null }} outcome */
function success({ revision, position }) {
  const message = new AppendResp.Success();
  if (revision < 0) message.setNoStream(new Empty());
  else message.setCurrentRevision(String(revision));
  if (position === null) return message.setNoPosition(new Empty());
  const text = String(position);
  return message.setPosition(new AppendResp.Position().setCommitPosition(text).setPreparePosition(text));
}

/**
 * @param {Expected} expected
 * @param {number} current
 */
function wrongVersion(expected, current) {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (current < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(current));
  switch (expected) {
    case 'any':
      return wrong.setExpectedAny(new Empty());
    case 'no_stream':
      return wrong.setExpectedNoStream(new Empty());
    case 'stream_exists':
      return wrong.setExpectedStreamExists(new Empty());
    default:
      return wrong.setExpectedRevision(String(expected));
  }
}
