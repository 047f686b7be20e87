import { requiredMetadataMissing } from './errors.mjs';
import { readUuid } from './messages.mjs';

/**
 * @typedef {import('./store.mjs').ProposedEvent} ProposedEvent
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').AppendReq.ProposedMessage} AppendMessage
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').BatchAppendReq.ProposedMessage} BatchMessage
 */

/**
 * @param {AppendMessage | BatchMessage} message
 * @returns {ProposedEvent}
 * @throws {import('@grpc/grpc-js').ServiceError} where its type or content type is missing
 */
export function readProposedEvent(message) {
  const metadata = message.getMetadataMap();
  const type = metadata.get('type');
  if (type === undefined || type === '') throw requiredMetadataMissing('type');
  const contentType = metadata.get('content-type');
  if (contentType === undefined) throw requiredMetadataMissing('content-type');
  return {
    id: readUuid(message.getId()),
    type,
    json: contentType === 'application/json',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
}

/** Bytes of an event as the limit of an append counts them. @param {ProposedEvent} event */
export function sizeOf({ type, data, metadata }) {
  return data.length + metadata.length + type.length * 2;
}
