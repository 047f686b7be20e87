/**
 * What the metadata stream of a stream says, as far as the server obeys it.
 *
 * @typedef {object} StreamMetadata
 * @property {number | null} maxCount how many of the last events are there to be read
 * @property {number | null} maxAgeSeconds
 * @property {number} truncateBefore the first revision that is there to be read
 */

/** `$tb` of a stream that was deleted softly: the largest signed 64-bit integer, as numbers hold it. */
const DELETED = 2 ** 63;

/** What a soft delete writes to the metadata stream. */
export const DELETED_METADATA = Buffer.from('{"$tb":9223372036854775807}');

export const METADATA_TYPE = '$metadata';

/** @type {StreamMetadata} */
const NONE = { maxCount: null, maxAgeSeconds: null, truncateBefore: 0 };

/** Of a metadata stream itself only the last event counts. @type {StreamMetadata} */
export const OF_METADATA_STREAMS = { ...NONE, maxCount: 1 };

/** @param {string} stream */
export function metadataStreamOf(stream) {
  return `$$${stream}`;
}

/**
 * The stream that a metadata stream speaks of; null where the stream is none.
 *
 * @param {string} stream
 */
export function streamOfMetadata(stream) {
  return stream.startsWith('$$') ? stream.slice(2) : null;
}

/**
 * @param {Buffer | null} data null where nobody ever set any
 * @returns {StreamMetadata}
 */
export function parseMetadata(data) {
  const fields = data === null ? null : parseObject(data);
  if (fields === null) return NONE;
  return {
    maxCount: positive(fields['$maxCount']),
    maxAgeSeconds: positive(fields['$maxAge']),
    truncateBefore: positive(fields['$tb']) ?? 0,
  };
}

/** @param {StreamMetadata} metadata */
export function isSoftDeleted(metadata) {
  return metadata.truncateBefore >= DELETED;
}

/**
 * The same metadata with another first revision: what an append to a stream that was deleted softly writes. Null where
 * the metadata is not to be understood; it then stays as it is.
 *
 * @param {Buffer} data
 * @param {number} truncateBefore
 */
export function withTruncateBefore(data, truncateBefore) {
  const fields = parseObject(data);
  return fields === null ? null : Buffer.from(JSON.stringify({ ...fields, $tb: truncateBefore }));
}

/**
 * @param {Buffer} data
 * @returns {Record<string, unknown> | null}
 */
function parseObject(data) {
  try {
    const parsed = JSON.parse(data.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * @param {unknown} value
 * @returns {number | null}
 */
function positive(value) {
  return typeof value === 'number' && value > 0 ? value : null;
}
