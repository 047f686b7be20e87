/**
 * What goes wrong with the next calls:
 *
 * - `delay`: the answer comes `ms` later than it would
 * - `lost`: the call is never answered and has no effect
 * - `silent`: the call has its effect and is never answered
 * - `timeout`: the call has its effect and is answered with a time-out, as where a commit is not replicated in time
 * - `busy`: the call has no effect and is answered with "Server Is Too Busy"
 * - `unavailable`: the call has no effect and ends with UNAVAILABLE, as behind a proxy whose server is down
 * - `not-leader`: the call has no effect and is sent to the leader at `host` and `port`, or to nobody
 * - `disconnect`: the call has its effect, and then the connection breaks
 *
 * @typedef {'append' | 'delete' | 'read' | 'subscribe' | 'gossip' | 'features'} Operation
 *
 * @typedef {{ kind: 'delay', ms: number }
 *   | { kind: 'lost' } | { kind: 'silent' } | { kind: 'timeout' } | { kind: 'busy' } | { kind: 'unavailable' }
 *   | { kind: 'not-leader', host?: string, port?: number }
 *   | { kind: 'disconnect' }} Fault
 *
 * @typedef {{ on: Operation, fault: Fault, times: number, stream: string | null }} Planned
 */

export class Faults {
  /** @type {Planned[]} */
  #planned = [];

  /** @param {Planned} planned the next so many calls of an operation, of one stream where it is named */
  plan(planned) {
    this.#planned.push({ ...planned });
  }

  clear() {
    this.#planned = [];
  }

  /**
   * The fault of this call, which is used up by it.
   *
   * @param {Operation} operation
   * @param {string | null} stream
   * @returns {Fault | null}
   */
  take(operation, stream = null) {
    const planned = this.#planned.find(
      (candidate) => candidate.on === operation && (candidate.stream === null || candidate.stream === stream),
    );
    if (planned === undefined) return null;
    planned.times -= 1;
    if (planned.times <= 0) this.#planned = this.#planned.filter((candidate) => candidate !== planned);
    return planned.fault;
  }
}
