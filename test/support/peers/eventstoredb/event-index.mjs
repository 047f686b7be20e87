import { TOMBSTONE_REVISION } from './stored-event.mjs';
import {
  isSoftDeleted,
  metadataStreamOf,
  OF_METADATA_STREAMS,
  parseMetadata,
  streamOfMetadata,
} from './stream-metadata.mjs';

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./stream-metadata.mjs').StreamMetadata} StreamMetadata
 * @typedef {{ firstRevision: number, events: StoredEvent[] }} Entry a stream's events, without a gap, from the first one
 *   that no scavenge removed
 */

/** Everything that is stored, in memory: by stream, by event id, and in the order of the log. */
export class EventIndex {
  /** In the order of their positions. @type {StoredEvent[]} */
  all = [];
  /** @type {Map<string, Entry>} */
  #streams = new Map();
  /** By stream. @type {Map<string, StoredEvent>} */
  #tombstones = new Map();
  /** The last event of each id. @type {Map<string, StoredEvent>} */
  #byId = new Map();
  /** @type {Map<string, StreamMetadata>} */
  #metadata = new Map();

  /** @param {StoredEvent} event */
  add(event) {
    this.all.push(event);
    this.#byId.set(event.id, event);
    if (event.revision === TOMBSTONE_REVISION) {
      this.#tombstones.set(event.stream, event);
      return;
    }
    const entry = this.#streams.get(event.stream);
    if (entry === undefined) this.#streams.set(event.stream, { firstRevision: event.revision, events: [event] });
    else entry.events.push(event);
    const described = streamOfMetadata(event.stream);
    if (described !== null) this.#metadata.delete(described);
  }

  /** Closed for good, with its metadata stream. @param {string} stream */
  isTombstoned(stream) {
    return this.#tombstones.has(stream) || this.#tombstones.has(streamOfMetadata(stream) ?? '');
  }

  /** The event that closed the stream for good. @param {string} stream */
  tombstoneOf(stream) {
    return this.#tombstones.get(stream);
  }

  /** @param {string} stream */
  isSoftDeleted(stream) {
    return isSoftDeleted(this.metadataOf(stream));
  }

  /** The revision of the last event, whether or not it is there to be read; -1 where there never was one. @param {string} stream */
  lastRevision(stream) {
    const entry = this.#streams.get(stream);
    return entry === undefined ? -1 : entry.firstRevision + entry.events.length - 1;
  }

  /** Whether or not it is there to be read. @param {string} stream @param {number} revision */
  eventAt(stream, revision) {
    const entry = this.#streams.get(stream);
    return entry?.events[revision - entry.firstRevision];
  }

  /**
   * What is stored of a stream from a revision on, at most so many, whether or not it is there to be read.
   *
   * @param {string} stream
   * @param {number} revision
   * @param {number} count
   */
  eventsFrom(stream, revision, count) {
    const entry = this.#streams.get(stream);
    if (entry === undefined) return [];
    const start = Math.max(0, revision - entry.firstRevision);
    return entry.events.slice(start, start + count);
  }

  /** @param {string} id */
  eventOfId(id) {
    return this.#byId.get(id);
  }

  /** The bytes of the last metadata; null where there are none. @param {string} stream */
  rawMetadataOf(stream) {
    const described = metadataStreamOf(stream);
    return this.eventAt(described, this.lastRevision(described))?.data ?? null;
  }

  /**
   * @param {string} stream
   * @returns {StreamMetadata}
   */
  metadataOf(stream) {
    if (streamOfMetadata(stream) !== null) return OF_METADATA_STREAMS;
    let metadata = this.#metadata.get(stream);
    if (metadata === undefined) {
      metadata = parseMetadata(this.rawMetadataOf(stream));
      this.#metadata.set(stream, metadata);
    }
    return metadata;
  }

  /**
   * The first revision that a read of the stream may return.
   *
   * @param {string} stream
   * @param {number} nowMs
   */
  firstReadableRevision(stream, nowMs) {
    const { maxCount, maxAgeSeconds, truncateBefore } = this.metadataOf(stream);
    const last = this.lastRevision(stream);
    let first = Math.max(truncateBefore, this.#streams.get(stream)?.firstRevision ?? 0);
    if (maxCount !== null) first = Math.max(first, last - maxCount + 1);
    if (maxAgeSeconds === null) return first;
    const oldestMs = nowMs - maxAgeSeconds * 1000;
    while (first <= last && (this.eventAt(stream, first)?.createdAtMs ?? 0) < oldestMs) first += 1;
    return first;
  }

  /** Where in `all` the first event at or behind a position stands. @param {number} position */
  placeOf(position) {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.all[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
