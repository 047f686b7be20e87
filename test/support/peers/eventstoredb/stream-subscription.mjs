import { streamDeleted } from './errors.mjs';
import { PAGE_SIZE } from './event-filter.mjs';
import { eventAnswer, fellBehindAnswer } from './messages.mjs';
import { LIVE_BUFFER } from './outgoing.mjs';
import { streamForwards } from './pages.mjs';

/**
 * @typedef {import('./store.mjs').Store} Store
 * @typedef {import('./outgoing.mjs').Outgoing} Outgoing
 * @typedef {import('./read-options.mjs').OfStream} OfStream
 * @typedef {import('./subscribe.mjs').LiveState} LiveState
 */

/** A subscription to one stream. */
export class StreamSubscription {
  startsLive = false;
  #store;
  #stream;
  #outgoing;
  /** The first revision that the subscriber asks for. */
  #first;
  /** The revision to read on from. */
  #next;

  /**
   * @param {Store} store
   * @param {OfStream} source
   * @param {Outgoing} outgoing
   */
  constructor(store, { stream, from }, outgoing) {
    this.#store = store;
    this.#stream = stream;
    this.#outgoing = outgoing;
    this.#first = from === 'start' ? 0 : from === 'end' ? store.index.lastRevision(stream) + 1 : from + 1;
    this.#next = this.#first;
    this.#refuseClosed();
  }

  /**
   * Sends the next page of the stream and returns whether it reached the end.
   *
   * @throws {import('@grpc/grpc-js').ServiceError} where the stream is tombstoned
   */
  async sendPage() {
    this.#refuseClosed();
    const page = streamForwards(this.#store, this.#stream, this.#next);
    this.#next = page.next;
    for (const event of page.events) {
      if (this.#outgoing.over) return false;
      await this.#outgoing.send(eventAnswer(event));
    }
    const { index } = this.#store;
    const atEnd = this.#next > index.lastRevision(this.#stream) || index.isSoftDeleted(this.#stream);
    // Metadata that hides revisions to come, as that of a deleted stream does, hides no live events.
    if (atEnd) this.#next = Math.max(this.#first, index.lastRevision(this.#stream) + 1);
    return atEnd;
  }

  /**
   * @returns {Promise<LiveState>}
   * @throws {import('@grpc/grpc-js').ServiceError} after the event that tombstoned the stream
   */
  async sendLive() {
    const { index } = this.#store;
    // Metadata removes no live events.
    const events = index.eventsFrom(this.#stream, this.#next, PAGE_SIZE);
    if (events.length === 0) {
      const tombstone = index.tombstoneOf(this.#stream);
      if (tombstone !== undefined) await this.#outgoing.send(eventAnswer(tombstone));
      this.#refuseClosed();
      return 'waiting';
    }
    for (const event of events) {
      if (this.#outgoing.over) return 'waiting';
      this.#next = event.revision + 1;
      if ((await this.#outgoing.send(eventAnswer(event))) === 'at once' || !this.#fellBehind()) continue;
      await this.#outgoing.send(fellBehindAnswer());
      return 'behind';
    }
    return 'live';
  }

  /** Whether more live events wait than the server keeps for one subscriber. */
  #fellBehind() {
    return this.#store.index.lastRevision(this.#stream) + 1 - this.#next > LIVE_BUFFER;
  }

  #refuseClosed() {
    if (this.#store.index.isTombstoned(this.#stream)) throw streamDeleted(this.#stream);
  }
}
