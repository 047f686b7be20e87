import codeMessages from '@eventstore/db-client/generated/code_pb.js';
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import statusMessages from '@eventstore/db-client/generated/status_pb.js';
import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import anyMessages from 'google-protobuf/google/protobuf/any_pb.js';
import emptyMessages from 'google-protobuf/google/protobuf/empty_pb.js';
import { invalidArgument } from './errors.mjs';
import { readStreamName, readUuid, streamIdentifier, uuidMessage } from './messages.mjs';
import { readProposedEvent, sizeOf } from './proposed-events.mjs';
import { MAX_APPEND_BYTES, write } from './writing.mjs';

const { AccessDenied, AllStreamPosition, BadRequest, MaximumAppendSizeExceeded, StreamDeleted, Timeout } =
  sharedMessages;
const { BatchAppendResp } = streamMessages;
const { Code } = codeMessages;

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./commit-check.mjs').Expected} Expected
 * @typedef {import('./writing.mjs').Answer} Answer
 * @typedef {import('./store.mjs').ProposedEvent} ProposedEvent
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').BatchAppendReq} BatchRequest
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').BatchAppendReq.Options} Options
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').BatchAppendResp} BatchAnswer
 * @typedef {import('@eventstore/db-client/generated/status_pb.js').Status} StatusMessage
 * @typedef {import('@grpc/grpc-js').ServerDuplexStream<BatchRequest, BatchAnswer>} Call
 *
 * @typedef {{ id: string, stream: string, expected: Expected, events: ProposedEvent[], bytes: number,
 *   forgetDeadline: () => void }} Growing an append whose last part is still to come
 */

/**
 * Streams.BatchAppend: many appends in one long call, each in one or more parts under its correlation id and with a
 * deadline of its own. They are answered as they are done.
 *
 * @param {NodeState} node
 * @returns {(call: Call) => void}
 */
export function batchAppend(node) {
  return (call) => {
    const batch = new Batch(node, call);
    call.on('data', (/** @type {BatchRequest} */ request) => batch.take(request));
    call.on('end', () => batch.end());
    // A client that goes away takes its call with it; what it appended is appended.
    call.on('error', () => {});
  };
}

class Batch {
  #node;
  #call;
  /** @type {Map<string, Growing>} */
  #growing = new Map();
  #unanswered = 0;
  #ended = false;
  #broken = false;

  /**
   * @param {NodeState} node
   * @param {Call} call
   */
  constructor(node, call) {
    this.#node = node;
    this.#call = call;
  }

  /** @param {BatchRequest} request */
  take(request) {
    if (this.#broken) return;
    const correlationId = request.getCorrelationId();
    if (correlationId === undefined) return this.#break(invalidArgument('a correlation id is missing'));
    const id = readUuid(correlationId);
    try {
      this.#receive(id, request);
    } catch (error) {
      const growing = this.#growing.get(id);
      if (growing !== undefined) this.#forget(growing);
      this.#refuse(id, growing?.stream ?? '', badRequest(error instanceof Error ? error.message : String(error)));
    }
  }

  end() {
    this.#ended = true;
    if (this.#unanswered === 0 && !this.#broken) this.#call.end();
  }

  /**
   * @param {string} id
   * @param {BatchRequest} request
   */
  #receive(id, request) {
    const options = request.getOptions();
    if (options !== undefined && !this.#begin(id, options)) return;
    const growing = this.#growing.get(id);
    if (growing === undefined) return;
    for (const proposal of request.getProposedMessagesList()) {
      const event = readProposedEvent(proposal);
      growing.bytes += sizeOf(event);
      growing.events.push(event);
    }
    if (growing.bytes > MAX_APPEND_BYTES) {
      this.#forget(growing);
      this.#refuse(id, growing.stream, tooLarge());
      return;
    }
    if (!request.getIsFinal()) return;
    this.#forget(growing);
    void this.#write(growing);
  }

  /**
   * Returns whether there is anything to go on with.
   *
   * @param {string} id
   * @param {Options} options
   */
  #begin(id, options) {
    const stream = readStreamName(options.getStreamIdentifier());
    if (this.#node.deny(this.#call.metadata) !== null) {
      this.#refuse(id, stream, denied());
      return false;
    }
    const deadline = options.getDeadline();
    const remainingMs = deadline === undefined ? Infinity : deadline.toDate().getTime() - Date.now();
    if (remainingMs <= 0) {
      this.#refuse(id, stream, timedOut());
      return false;
    }
    const forgetDeadline = Number.isFinite(remainingMs)
      ? this.#node.timers.after(remainingMs, () => {
          if (this.#growing.delete(id)) this.#refuse(id, stream, timedOut());
        })
      : () => {};
    this.#growing.set(id, { id, stream, expected: readExpected(options), events: [], bytes: 0, forgetDeadline });
    return true;
  }

  /** @param {Growing} growing */
  #forget({ id, forgetDeadline }) {
    forgetDeadline();
    this.#growing.delete(id);
  }

  /** @param {Growing} growing */
  async #write({ id, stream, expected, events }) {
    this.#unanswered += 1;
    try {
      const outcome = await write(this.#node, { kind: 'append', stream, expected, events });
      this.#unanswered -= 1;
      this.#answer(answerTo(id, stream, expected, outcome));
    } catch (error) {
      this.#break(error);
    }
  }

  /**
   * @param {string} id
   * @param {string} stream
   * @param {StatusMessage} error
   */
  #refuse(id, stream, error) {
    this.#answer(
      new BatchAppendResp()
        .setCorrelationId(uuidMessage(id))
        .setStreamIdentifier(streamIdentifier(stream))
        .setError(error),
    );
  }

  /** @param {BatchAnswer} answer */
  #answer(answer) {
    if (this.#broken || this.#call.cancelled) return;
    this.#call.write(answer);
    if (this.#ended && this.#unanswered === 0) this.#call.end();
  }

  /** @param {unknown} error what ends the call */
  #break(error) {
    if (this.#broken) return;
    this.#broken = true;
    for (const { forgetDeadline } of this.#growing.values()) forgetDeadline();
    this.#call.emit('error', error);
  }
}

/**
 * @param {Options} options
 * @returns {Expected}
 */
function readExpected(options) {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return Number(options.getStreamPosition());
}

/**
 * @param {string} id
 * @param {string} stream
 * @param {Expected} expected
 * @param {Answer} outcome
 */
function answerTo(id, stream, expected, outcome) {
  const answer = new BatchAppendResp().setCorrelationId(uuidMessage(id)).setStreamIdentifier(streamIdentifier(stream));
  switch (outcome.kind) {
    case 'stored':
      return answer.setSuccess(success(outcome));
    case 'wrong-revision':
      return answer.setError(wrongVersion(expected, outcome.current));
    case 'deleted':
      return answer.setError(deleted(stream));
    case 'timed-out':
      return answer.setError(timedOut());
    default:
      return answer.setError(busy());
  }
}

/** @param {{ revision: number, position: number | null }} outcome */
function success({ revision, position }) {
  const message = new BatchAppendResp.Success();
  if (revision < 0) message.setNoStream(new emptyMessages.Empty());
  else message.setCurrentRevision(String(revision));
  if (position === null) return message.setNoPosition(new emptyMessages.Empty());
  const text = String(position);
  return message.setPosition(new AllStreamPosition().setCommitPosition(text).setPreparePosition(text));
}

/**
 * @param {Expected} expected
 * @param {number} current
 */
function wrongVersion(expected, current) {
  const wrong = new sharedMessages.WrongExpectedVersion();
  const empty = new emptyMessages.Empty();
  if (current < 0) wrong.setCurrentNoStream(empty);
  else wrong.setCurrentStreamRevision(String(current));
  switch (expected) {
    case 'any':
      wrong.setExpectedAny(empty);
      break;
    case 'no_stream':
      wrong.setExpectedNoStream(empty);
      break;
    case 'stream_exists':
      wrong.setExpectedStreamExists(empty);
      break;
    default:
      wrong.setExpectedStreamPosition(String(expected));
  }
  return statusOf(Code.ALREADY_EXISTS, 'WrongExpectedVersion', wrong);
}

/** @param {string} stream */
function deleted(stream) {
  const details = new StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
  return statusOf(Code.NOT_FOUND, 'StreamDeleted', details);
}

function denied() {
  return statusOf(Code.PERMISSION_DENIED, 'AccessDenied', new AccessDenied());
}

function timedOut() {
  return statusOf(Code.DEADLINE_EXCEEDED, 'Timeout', new Timeout());
}

function tooLarge() {
  const details = new MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
  return statusOf(Code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', details);
}

/** @param {string} text */
function badRequest(text) {
  return statusOf(Code.INVALID_ARGUMENT, 'BadRequest', new BadRequest().setMessage(text));
}

/** Where the server is busy it says so in words, with nothing in the details. */
function busy() {
  const any = new anyMessages.Any();
  any.pack(new emptyMessages.Empty().serializeBinary(), 'google.protobuf.Empty');
  return new statusMessages.Status().setMessage('Server Is Busy').setDetails(any);
}

/**
 * @param {import('@eventstore/db-client/generated/code_pb.js').Code} status
 * @param {string} name of the message that tells the details
 * @param {{ serializeBinary(): Uint8Array }} details
 */
function statusOf(status, name, details) {
  const any = new anyMessages.Any();
  any.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new statusMessages.Status().setCode(status).setMessage(name).setDetails(any);
}
