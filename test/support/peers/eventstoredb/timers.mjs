/**
 * The only clock and the only timers of the server. They run everything that a fault delays or a deadline starts.
 */
export class Timers {
  #aheadMs = 0;

  nowMs() {
    return Date.now() + this.#aheadMs;
  }

  /** Moves the server's time, by which it tells the age of events. @param {number} byMs */
  advance(byMs) {
    this.#aheadMs += byMs;
  }

  /**
   * Returns what calls it off.
   *
   * @param {number} delayMs
   * @param {() => void} callback
   */
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }
}
