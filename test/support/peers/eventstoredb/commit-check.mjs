/**
 * @typedef {import('./event-index.mjs').EventIndex} EventIndex
 * @typedef {number | 'any' | 'no_stream' | 'stream_exists'} Expected a revision or what else is expected of a stream
 *
 * @typedef {{ kind: 'accepted', current: number, softDeleted: boolean }
 *   | { kind: 'idempotent', revision: number }
 *   | { kind: 'wrong-revision', current: number }
 *   | { kind: 'deleted' }} Verdict `current` is -1 for no stream
 */

/**
 * Whether events with these ids may be appended. They are idempotent where all of them are stored already: from the
 * expected revision on, or, where none is expected, anywhere in the stream. Nothing but their ids is compared.
 *
 * @param {EventIndex} index
 * @param {string} stream
 * @param {Expected} expected
 * @param {readonly string[]} ids
 * @returns {Verdict}
 */
export function checkCommit(index, stream, expected, ids) {
  if (index.isTombstoned(stream)) return { kind: 'deleted' };
  const current = index.lastRevision(stream);
  const softDeleted = index.isSoftDeleted(stream);
  if (expected === 'stream_exists') {
    if (softDeleted) return { kind: 'deleted' };
    // Metadata alone make a stream exist.
    if (current < 0 && index.rawMetadataOf(stream) === null) return { kind: 'wrong-revision', current };
  }
  if (expected === 'any' || expected === 'stream_exists') return checkAnywhere(index, stream, ids, softDeleted);
  const revision = expected === 'no_stream' ? -1 : expected;
  if (revision > current) return { kind: 'wrong-revision', current };
  if (revision === current) return { kind: 'accepted', current, softDeleted };

  const foreign = ids.findIndex((id, at) => index.eventAt(stream, revision + 1 + at)?.id !== id);
  if (foreign === -1 && ids.length > 0) return { kind: 'idempotent', revision: revision + ids.length };
  // An append that expects no stream reopens a deleted one.
  if (foreign === 0 && expected === 'no_stream' && softDeleted) return { kind: 'accepted', current, softDeleted };
  return { kind: 'wrong-revision', current };
}

/**
 * @param {EventIndex} index
 * @param {string} stream
 * @param {readonly string[]} ids
 * @param {boolean} softDeleted
 * @returns {Verdict}
 */
function checkAnywhere(index, stream, ids, softDeleted) {
  const current = index.lastRevision(stream);
  const stored = ids.map((id) => index.eventOfId(id)).map((event) => (event?.stream === stream ? event : undefined));
  if (stored[0] === undefined) return { kind: 'accepted', current, softDeleted };
  if (stored.includes(undefined)) return { kind: 'wrong-revision', current };
  return { kind: 'idempotent', revision: stored.at(-1)?.revision ?? current };
}
