import { PAGE_SIZE } from './event-filter.mjs';
import { EPOCH_STREAM, endOf } from './stored-event.mjs';

/**
 * @typedef {import('./store.mjs').Store} Store
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./event-filter.mjs').EventFilter} EventFilter
 *
 * @typedef {object} Page
 * @property {StoredEvent[]} events
 * @property {number} next where the next page begins: forwards a place to read from, backwards one to read before
 * @property {number} considered how many events were looked at
 * @property {boolean} atEnd
 */

/**
 * A page of a stream, from a revision on.
 *
 * @param {Store} store
 * @param {string} stream
 * @param {number} from
 * @returns {Page}
 */
export function streamForwards(store, stream, from) {
  const { index } = store;
  const last = index.lastRevision(stream);
  const first = Math.max(from, index.firstReadableRevision(stream, store.nowMs()));
  const events = index.eventsFrom(stream, first, PAGE_SIZE);
  const next = first + events.length;
  return { events, next, considered: events.length, atEnd: next > last };
}

/**
 * A page of a stream, the revision before `before` first.
 *
 * @param {Store} store
 * @param {string} stream
 * @param {number} before
 * @returns {Page}
 */
export function streamBackwards(store, stream, before) {
  const { index } = store;
  const first = index.firstReadableRevision(stream, store.nowMs());
  const last = Math.min(before - 1, index.lastRevision(stream));
  const lowest = Math.max(first, last - PAGE_SIZE + 1);
  const events = index.eventsFrom(stream, lowest, last - lowest + 1).toReversed();
  return {
    events,
    next: lowest,
    considered: events.length,
    atEnd: lowest <= first,
  };
}

/**
 * A page of the log, from a position on: metadata does not count here, only what a scavenge removed is missing.
 *
 * @param {Store} store
 * @param {number} from
 * @param {EventFilter | null} filter
 * @returns {Page} at the end only where it had room for more: a page that just fits is followed by an empty one
 */
export function allForwards({ index }, from, filter) {
  const { all } = index;
  /** @type {StoredEvent[]} */
  const events = [];
  const start = index.placeOf(from);
  const window = filter?.searchWindow ?? PAGE_SIZE;
  let next = from;
  let at = start;
  for (; at < all.length && at - start < window && events.length < PAGE_SIZE; at += 1) {
    const event = all[at];
    if (event === undefined) continue;
    next = endOf(event);
    if (isVisible(event, filter)) events.push(event);
  }
  const hasRoom = at - start < window && events.length < PAGE_SIZE;
  return { events, next, considered: at - start, atEnd: hasRoom && at === all.length };
}

/**
 * A page of the log, the last position before `before` first.
 *
 * @param {Store} store
 * @param {number} before
 * @param {EventFilter | null} filter
 * @returns {Page}
 */
export function allBackwards({ index }, before, filter) {
  const { all } = index;
  /** @type {StoredEvent[]} */
  const events = [];
  const start = index.placeOf(before) - 1;
  const window = filter?.searchWindow ?? PAGE_SIZE;
  let next = before;
  let at = start;
  for (; at >= 0 && start - at < window && events.length < PAGE_SIZE; at -= 1) {
    const event = all[at];
    if (event === undefined) continue;
    next = event.position;
    if (isVisible(event, filter)) events.push(event);
  }
  return { events, next, considered: start - at, atEnd: at < 0 };
}

/**
 * Whether a record begins at a position, or may have begun there before a scavenge removed it. Positions at or beyond
 * the end of the log are read as the end.
 *
 * @param {Store} store
 * @param {number} position
 */
export function isRecordBoundary({ index, end }, position) {
  if (position >= end) return true;
  const at = index.placeOf(position);
  const before = index.all[at - 1];
  return index.all[at]?.position === position || before === undefined || position >= endOf(before);
}

/**
 * @param {StoredEvent} event
 * @param {EventFilter | null} filter
 */
function isVisible(event, filter) {
  return event.stream !== EPOCH_STREAM && (filter === null || filter.matches(event));
}
