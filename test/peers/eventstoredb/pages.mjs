import { invalidPosition } from './errors.mjs';
import { PAGE_SIZE } from './event-filter.mjs';
import { endOf } from './stored-event.mjs';

/**
 * @typedef {import('./store.mjs').Store} Store
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./event-filter.mjs').EventFilter} EventFilter
 *
 * @typedef {object} Page
 * @property {StoredEvent[]} events
 * @property {number} next where the next page begins: forwards a place to read from, backwards one to read before
 * @property {number} considered how many events were looked at
 * @property {number | null} lastPosition of the last event that was looked at
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
  return { events, next, considered: events.length, lastPosition: events.at(-1)?.position ?? null, atEnd: next > last };
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
    lastPosition: events.at(-1)?.position ?? null,
    atEnd: lowest <= first,
  };
}

/**
 * A page of the log, from a position on: metadata do not count here, only what a scavenge removed is missing.
 *
 * @param {Store} store
 * @param {number} from
 * @param {EventFilter | null} filter
 * @returns {Page}
 */
export function allForwards({ index }, from, filter) {
  const { all } = index;
  /** @type {StoredEvent[]} */
  const events = [];
  const start = index.placeOf(from);
  const window = filter?.searchWindow ?? PAGE_SIZE;
  let at = start;
  for (; at < all.length && at - start < window && events.length < PAGE_SIZE; at += 1) {
    const event = all[at];
    if (event !== undefined && (filter === null || filter.matches(event))) events.push(event);
  }
  const lastPosition = at === start ? null : (all[at - 1]?.position ?? null);
  const next = lastPosition === null ? from : lastPosition + 1;
  return { events, next, considered: at - start, lastPosition, atEnd: at === all.length };
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
  let at = start;
  for (; at >= 0 && start - at < window && events.length < PAGE_SIZE; at -= 1) {
    const event = all[at];
    if (event !== undefined && (filter === null || filter.matches(event))) events.push(event);
  }
  const lastPosition = at === start ? null : (all[at + 1]?.position ?? null);
  return { events, next: lastPosition ?? before, considered: start - at, lastPosition, atEnd: at < 0 };
}

/**
 * Where a subscriber goes on that has seen the event at a position.
 *
 * @param {Store} store
 * @param {number} position
 * @throws {import('@grpc/grpc-js').ServiceError} where no record ever began there: positions are not to be made up
 */
export function behind({ index, end }, position) {
  if (position >= end) return position;
  const at = index.placeOf(position);
  const before = index.all[at - 1];
  // Between two records is only what a scavenge removed.
  const removed = before === undefined || position >= endOf(before);
  if (!removed && index.all[at]?.position !== position) throw invalidPosition();
  return position + 1;
}
