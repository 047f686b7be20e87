import { randomUUID } from 'node:crypto';
import { invalidArgument, streamDeleted } from './errors.mjs';
import { PAGE_SIZE } from './event-filter.mjs';
import { caughtUpAnswer, checkpointAnswer, confirmationAnswer, eventAnswer, fellBehindAnswer } from './messages.mjs';
import { allForwards, behind, streamForwards } from './pages.mjs';

/**
 * @typedef {import('./node-state.mjs').NodeState} NodeState
 * @typedef {import('./store.mjs').Store} Store
 * @typedef {import('./pages.mjs').Page} Page
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./outgoing.mjs').Outgoing} Outgoing
 * @typedef {import('./read-options.mjs').ReadOptions['source']} Source
 * @typedef {import('./event-filter.mjs').EventFilter} EventFilter
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 */

/**
 * Sends everything behind the place that the subscriber has seen, page by page, then what comes, event by event. A
 * subscriber that does not take what comes fast enough is told that it fell behind, and catches up page by page again.
 *
 * @param {NodeState} node
 * @param {Source} source
 * @param {Outgoing} outgoing
 * @throws {ServiceError} where the place is none, and when the stream is closed
 */
export async function subscribe(node, source, outgoing) {
  const filter = source.stream === null ? source.filter : null;
  if (filter?.checkpointInterval === 0) throw invalidArgument('the checkpoint interval must be greater than 0');
  const subscription = new Subscription(node.store, source, outgoing, filter);
  const drop = (/** @type {ServiceError} */ error) => outgoing.fail(error);
  const wake = () => outgoing.notifyChange();
  node.subscriptions.add(drop);
  node.store.onChange.add(wake);
  try {
    await subscription.run();
  } finally {
    node.subscriptions.delete(drop);
    node.store.onChange.delete(wake);
  }
}

class Subscription {
  #store;
  #source;
  #outgoing;
  #filter;
  /** A revision or a position, from which to read on. */
  #next;
  #live = false;
  /** Events that were looked at since the last checkpoint. */
  #considered = 0;

  /**
   * @param {Store} store
   * @param {Source} source
   * @param {Outgoing} outgoing
   * @param {EventFilter | null} filter
   */
  constructor(store, source, outgoing, filter) {
    this.#store = store;
    this.#source = source;
    this.#outgoing = outgoing;
    this.#filter = filter;
    this.#next = firstPlace(store, source);
  }

  async run() {
    this.#refuseClosed();
    await this.#outgoing.send(confirmationAnswer(randomUUID()));
    while (!this.#outgoing.over) {
      this.#refuseClosed();
      if (!this.#live) {
        await this.#catchUp();
        // Others come in between the pages.
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const events = this.#comingEvents();
      if (events.length === 0) await this.#outgoing.change();
      else await this.#sendLive(events);
    }
  }

  async #catchUp() {
    const page = this.#page();
    this.#next = page.next;
    for (const event of page.events) {
      if (this.#outgoing.over) return;
      await this.#outgoing.send(eventAnswer(event));
    }
    this.#considered += page.considered;
    if (page.atEnd && this.#isAtEnd()) {
      this.#live = true;
      this.#next = endOfSource(this.#store, this.#source);
      await this.#outgoing.send(caughtUpAnswer());
      return;
    }
    if (this.#filter !== null && page.lastPosition !== null && this.#considered >= this.#filter.checkpointInterval) {
      this.#considered %= this.#filter.checkpointInterval;
      await this.#outgoing.send(checkpointAnswer(page.lastPosition));
    }
  }

  /** @param {readonly StoredEvent[]} events */
  async #sendLive(events) {
    for (const event of events) {
      if (this.#outgoing.over) return;
      this.#next = (this.#source.stream === null ? event.position : event.revision) + 1;
      const answers = this.#answers(event);
      for (const answer of answers) {
        if ((await this.#outgoing.send(answer)) === 'at once' || !this.#fellBehind()) continue;
        this.#live = false;
        await this.#outgoing.send(fellBehindAnswer());
        return;
      }
    }
  }

  /** @param {StoredEvent} event */
  #answers(event) {
    if (this.#filter === null) return [eventAnswer(event)];
    const answers = this.#filter.matches(event) ? [eventAnswer(event)] : [];
    this.#considered += 1;
    if (this.#considered < this.#filter.checkpointInterval) return answers;
    this.#considered = 0;
    return [...answers, checkpointAnswer(event.position)];
  }

  /** @returns {Page} */
  #page() {
    const { stream } = this.#source;
    if (stream === null) return allForwards(this.#store, this.#next, this.#filter);
    return streamForwards(this.#store, stream, this.#next);
  }

  /** What came since, as it came: of live events no metadata take any away. */
  #comingEvents() {
    const { stream } = this.#source;
    const { index } = this.#store;
    if (stream !== null) return index.eventsFrom(stream, this.#next, PAGE_SIZE);
    const place = index.placeOf(this.#next);
    return index.all.slice(place, place + PAGE_SIZE);
  }

  /** Whether everything was sent, also what came while the last page was. */
  #isAtEnd() {
    const { stream } = this.#source;
    const { index } = this.#store;
    if (stream === null) return index.placeOf(this.#next) === index.all.length;
    return this.#next > index.lastRevision(stream) || index.isSoftDeleted(stream);
  }

  /** Whether more came than the server keeps for one subscriber. */
  #fellBehind() {
    const { stream } = this.#source;
    const { index } = this.#store;
    if (stream !== null) return endOfSource(this.#store, this.#source) - this.#next > LIVE_BUFFER;
    let kept = 0;
    for (let at = index.placeOf(this.#next); at < index.all.length && kept <= LIVE_BUFFER; at += 1) {
      const event = index.all[at];
      if (event !== undefined && (this.#filter === null || this.#filter.matches(event))) kept += 1;
    }
    return kept > LIVE_BUFFER;
  }

  #refuseClosed() {
    const { stream } = this.#source;
    if (stream !== null && this.#store.index.isTombstoned(stream)) throw streamDeleted(stream);
  }
}

/** How many events that come live the server keeps for a subscriber that does not take them. */
const LIVE_BUFFER = PAGE_SIZE;

/**
 * @param {Store} store
 * @param {Source} source
 */
function firstPlace(store, source) {
  const { stream, from } = source;
  if (from === 'start') return 0;
  if (from === 'end') return endOfSource(store, source);
  return stream === null ? behind(store, from) : from + 1;
}

/**
 * Where what comes next will stand.
 *
 * @param {Store} store
 * @param {Source} source
 */
function endOfSource(store, { stream }) {
  return stream === null ? store.end : store.index.lastRevision(stream) + 1;
}
