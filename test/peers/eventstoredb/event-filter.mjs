/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadReq.Options.FilterOptions} FilterOptions
 *
 * @typedef {object} EventFilter
 * @property {(event: StoredEvent) => boolean} matches
 * @property {number} searchWindow how many events are looked at before the next page
 * @property {number} checkpointInterval after how many events that were looked at a subscriber is told how far it is
 */

/** How many events a page holds, and how many are looked at for one where the client does not say. */
export const PAGE_SIZE = 32;

/**
 * @param {FilterOptions} options
 * @returns {EventFilter}
 * @throws {Error} where it filters by nothing, or by an expression that is none
 */
export function readFilter(options) {
  const searchWindow = options.hasMax() ? options.getMax() : PAGE_SIZE;
  if (searchWindow === 0) throw new Error('the search window must be greater than 0');
  const checkpointInterval = searchWindow * options.getCheckpointintervalmultiplier();
  return { matches: readPredicate(options), searchWindow, checkpointInterval };
}

/**
 * @param {FilterOptions} options
 * @returns {(event: StoredEvent) => boolean}
 */
function readPredicate(options) {
  const byStream = options.getStreamIdentifier();
  const expression = byStream ?? options.getEventType();
  if (expression === undefined) throw new Error('a filter must name a stream or an event type');
  const text = (/** @type {StoredEvent} */ event) => (byStream === undefined ? event.type : event.stream);
  if (expression.getRegex() !== '') {
    const pattern = new RegExp(expression.getRegex());
    return (event) => pattern.test(text(event));
  }
  const prefixes = expression.getPrefixList();
  return (event) => prefixes.some((prefix) => text(event).startsWith(prefix));
}
