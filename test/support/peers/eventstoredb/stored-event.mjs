/**
 * What an event is once it is stored.
 *
 * @typedef {object} StoredEvent
 * @property {string} id a UUID in its textual form
 * @property {string} stream
 * @property {number} revision place in the stream, from 0; `TOMBSTONE_REVISION` where it closes the stream
 * @property {number} position place in the log: a byte offset, so that positions leave gaps between them
 * @property {string} type
 * @property {boolean} json whether `data` was declared as JSON; nobody checks that it is
 * @property {number} createdAtMs
 * @property {Buffer} data
 * @property {Buffer} metadata
 */

/** The revision of a tombstone as numbers hold it; on the wire it is the largest signed 64-bit integer. */
export const TOMBSTONE_REVISION = Number.MAX_SAFE_INTEGER;

export const TOMBSTONE_TYPE = '$streamDeleted';

/**
 * Stream and type of the record that a log begins with, as the real server writes one whenever a node becomes leader. It
 * counts among the events that a page looks at, and no read returns it. No event begins at position 0 because of it.
 */
export const EPOCH_STREAM = '$epoch-information';

/** Bytes that the log spends on each record beside what it holds. */
const RECORD_OVERHEAD = 64;

const LARGEST_INT64 = '9223372036854775807';

/**
 * A revision as messages carry it.
 *
 * @param {number} revision
 */
export function revisionText(revision) {
  return revision === TOMBSTONE_REVISION ? LARGEST_INT64 : String(revision);
}

/**
 * The position behind an event: that of the next one.
 *
 * @param {StoredEvent} event
 */
export function endOf({ position, stream, type, data, metadata }) {
  return position + RECORD_OVERHEAD + stream.length + type.length + data.length + metadata.length;
}
