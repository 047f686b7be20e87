import { TOMBSTONE_REVISION } from './stored-event.mjs';

/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./event-index.mjs').EventIndex} EventIndex
 */

/**
 * What a scavenge leaves: of a tombstoned stream the tombstone, of any other what its metadata let be read, and always
 * its last event, which tells where the stream goes on.
 *
 * @param {EventIndex} index
 * @param {number} nowMs
 * @returns {StoredEvent[]}
 */
export function scavenged(index, nowMs) {
  /** @type {Map<string, number>} */
  const first = new Map();
  const firstKept = (/** @type {string} */ stream) => {
    let revision = first.get(stream);
    if (revision === undefined) {
      revision = Math.min(index.firstReadableRevision(stream, nowMs), index.lastRevision(stream));
      first.set(stream, revision);
    }
    return revision;
  };
  return index.all.filter(({ stream, revision }) => {
    if (revision === TOMBSTONE_REVISION) return true;
    return !index.isTombstoned(stream) && revision >= firstKept(stream);
  });
}
