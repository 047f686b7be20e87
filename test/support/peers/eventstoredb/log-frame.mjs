import { createHash } from 'node:crypto';

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {Omit<StoredEvent, 'data' | 'metadata'> & { dataLength: number, metadataLength: number }} Header
 */

const PREFIX_LENGTH = 4 + 8;
const CHECKSUM_LENGTH = 8;

/**
 * Events that were appended together, as one frame of the file: its length, a checksum, the length of the headers, the
 * headers as JSON, then data and metadata of each event. A frame is there as a whole or not at all, and so are they.
 *
 * @param {readonly StoredEvent[]} events
 */
export function encodeFrame(events) {
  const headers = Buffer.from(
    JSON.stringify(
      events.map(({ data, metadata, ...rest }) => ({
        ...rest,
        dataLength: data.length,
        metadataLength: metadata.length,
      })),
    ),
  );
  const headersLength = Buffer.alloc(4);
  headersLength.writeUInt32LE(headers.length);
  const body = Buffer.concat([headersLength, headers, ...events.flatMap(({ data, metadata }) => [data, metadata])]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, checksum(body), body]);
}

/**
 * Reads the frame at `offset`.
 *
 * @param {Buffer} file
 * @param {number} offset
 * @returns {{ events: StoredEvent[], end: number } | 'torn'} `torn` where the file ends within it, or where it is the
 *   last one and its bytes are not those that were written
 * @throws {Error} where bytes in the middle of the file are not those that were written
 */
export function decodeFrame(file, offset) {
  if (file.length - offset < PREFIX_LENGTH) return 'torn';
  const end = offset + PREFIX_LENGTH + file.readUInt32LE(offset);
  if (file.length < end) return 'torn';
  const body = file.subarray(offset + PREFIX_LENGTH, end);
  if (!checksum(body).equals(file.subarray(offset + 4, offset + PREFIX_LENGTH))) {
    if (end === file.length) return 'torn';
    throw new Error(`the frame at byte ${offset} is damaged`);
  }
  return { events: decodeBody(body), end };
}

/** @param {Buffer} body */
function decodeBody(body) {
  let at = 4 + body.readUInt32LE(0);
  /** @type {Header[]} */
  const headers = JSON.parse(body.toString('utf8', 4, at));
  const take = (/** @type {number} */ length) => body.subarray(at, (at += length));
  return headers.map(({ dataLength, metadataLength, ...rest }) => ({
    ...rest,
    data: take(dataLength),
    metadata: take(metadataLength),
  }));
}

/** @param {Buffer} bytes */
function checksum(bytes) {
  return createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_LENGTH);
}
