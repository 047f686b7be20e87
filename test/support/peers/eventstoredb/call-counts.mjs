/**
 * @typedef {'appends' | 'reads' | 'subscriptions' | 'deletes'} CountedCall
 * @typedef {Readonly<Record<CountedCall, Readonly<Record<string, number>>>>} Counts calls by the category of their
 *   stream: the part of its name before the first `-`, or `$all`
 */

/** Counts the calls that a node received, those with an injected fault included. */
export class CallCounts {
  /** @type {Record<CountedCall, Record<string, number>>} */
  #counts = { appends: {}, reads: {}, subscriptions: {}, deletes: {} };

  /**
   * @param {CountedCall} call
   * @param {string | null} stream null: the log of all streams
   */
  count(call, stream) {
    const category = stream === null ? '$all' : stream.replace(/-.*$/s, '');
    const counts = this.#counts[call];
    counts[category] = (counts[category] ?? 0) + 1;
  }

  /** @returns {Counts} */
  get counts() {
    return structuredClone(this.#counts);
  }
}
