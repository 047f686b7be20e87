/**
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadReq} ReadRequest
 * @typedef {import('@eventstore/db-client/generated/streams_pb.js').ReadResp} ReadAnswer
 * @typedef {import('@grpc/grpc-js').ServerWritableStream<ReadRequest, ReadAnswer>} ReadCall
 */

/** How many live events the server keeps for a subscriber that does not read them. */
export const LIVE_BUFFER = 32;

/** The answers of one read, no faster than its reader takes them. */
export class Outgoing {
  #call;
  /** @type {ReturnType<import('./latency.mjs').Latency['line']> | null} */
  #line = null;
  #over = false;
  #muted = false;
  /** @type {() => void} */
  #drained = () => {};
  /** @type {() => void} */
  #changed = () => {};

  /** @param {ReadCall} call */
  constructor(call) {
    this.#call = call;
    const over = () => {
      this.#over = true;
      this.#drained();
      this.#changed();
    };
    call.on('cancelled', over);
    call.on('close', over);
    // A reader that goes away breaks nothing.
    call.on('error', over);
    call.on('drain', () => this.#drained());
  }

  /** Everything takes this way from now on. @param {ReturnType<import('./latency.mjs').Latency['line']>} line */
  slowBy(line) {
    this.#line = line;
  }

  /** The connection that the answers go to. */
  get connection() {
    return this.#call.getPeer();
  }

  /** Drops everything from now on, without a sign. */
  mute() {
    this.#muted = true;
  }

  /** Whether nobody reads any more. */
  get over() {
    return this.#over;
  }

  /**
   * Resolves when the reader can take more, and says whether that was at once.
   *
   * @param {ReadAnswer} answer
   * @returns {Promise<'at once' | 'later'>}
   */
  async send(answer) {
    if (this.#muted) return 'at once';
    if (this.#line?.slow()) {
      this.#line.send(() => {
        if (!this.#over) this.#call.write(answer);
      });
      return 'at once';
    }
    if (this.#over || this.#call.write(answer)) return 'at once';
    await new Promise((resolve) => {
      this.#drained = () => resolve(undefined);
    });
    return 'later';
  }

  /** Resolves when `notifyChange` is called, or when nobody reads any more. */
  change() {
    return new Promise((resolve) => {
      if (this.#over) resolve(undefined);
      else this.#changed = () => resolve(undefined);
    });
  }

  notifyChange() {
    this.#changed();
  }

  end() {
    if (!this.#over) this.#call.end();
  }

  /** @param {unknown} error what ends the call: a status and its text where it has them */
  fail(error) {
    if (!this.#over) this.#call.emit('error', error);
  }
}
