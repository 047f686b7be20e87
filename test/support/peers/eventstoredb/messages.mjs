import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import streamMessages from '@eventstore/db-client/generated/streams_pb.js';
import { revisionText } from './stored-event.mjs';

const { StreamIdentifier, UUID } = sharedMessages;
const { ReadResp } = streamMessages;

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('@eventstore/db-client/generated/shared_pb.js').UUID} UuidMessage
 * @typedef {import('@eventstore/db-client/generated/shared_pb.js').StreamIdentifier} IdentifierMessage
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadResp} ReadAnswer
 */

/** Messages count time in steps of 100 ns. */
const TICKS_PER_MS = 10_000n;

/** @param {string} id */
export function uuidMessage(id) {
  return new UUID().setString(id);
}

/**
 * A UUID in its textual form, however it was sent.
 *
 * @param {UuidMessage | undefined} message
 * @throws {Error} where it is missing
 */
export function readUuid(message) {
  const structured = message?.getStructured();
  if (message === undefined) throw new Error('a UUID is missing');
  if (structured === undefined) return message.getString().toLowerCase();
  const hex = hexOf(structured.getMostSignificantBits()) + hexOf(structured.getLeastSignificantBits());
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

/** @param {string} stream */
export function streamIdentifier(stream) {
  return new StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'));
}

/**
 * The stream's name.
 *
 * @param {IdentifierMessage | undefined} identifier
 * @throws {Error} where it is missing
 */
export function readStreamName(identifier) {
  if (identifier === undefined) throw new Error('a stream identifier is missing');
  return Buffer.from(identifier.getStreamName_asU8()).toString('utf8');
}

/** @param {StoredEvent} event */
export function eventAnswer(event) {
  const position = String(event.position);
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidMessage(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(revisionText(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  const metadata = recorded.getMetadataMap();
  metadata.set('type', event.type);
  metadata.set('content-type', event.json ? 'application/json' : 'application/octet-stream');
  metadata.set('created', String(BigInt(event.createdAtMs) * TICKS_PER_MS));
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
}

/** @param {string} stream */
export function streamNotFoundAnswer(stream) {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));
}

/** @param {{ commit: bigint, prepare: bigint }} position */
export function checkpointAnswer({ commit, prepare }) {
  const checkpoint = new ReadResp.Checkpoint();
  return new ReadResp().setCheckpoint(checkpoint.setCommitPosition(String(commit)).setPreparePosition(String(prepare)));
}

/** @param {string} subscriptionId */
export function confirmationAnswer(subscriptionId) {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(subscriptionId));
}

export function caughtUpAnswer() {
  return new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
}

export function fellBehindAnswer() {
  return new ReadResp().setFellBehind(new ReadResp.FellBehind());
}

/** @param {string} bits a signed 64-bit integer */
function hexOf(bits) {
  return BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
}
