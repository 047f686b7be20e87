/**
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadReq.Options.FilterOptions} FilterOptions
 *
 * @typedef {object} EventFilter
 * @property {(event: StoredEvent) => boolean} matches
 * @property {number} searchWindow maximum number of events that are examined for a page
 * @property {number} checkpointInterval number of examined events after which a subscriber receives a checkpoint
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
  const prefixes = expression.getPrefixList().map(byCulture);
  return (event) => prefixes.some((prefix) => byCulture(text(event)).startsWith(prefix));
}

/**
 * The server compares prefixes by its culture: characters that count for nothing there, a soft hyphen among them, are
 * passed over, and composed characters are as good as those they are composed of.
 *
 * @param {string} text
 */
function byCulture(text) {
  return text.normalize('NFC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}
