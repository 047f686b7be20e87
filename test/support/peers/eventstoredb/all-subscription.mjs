import { notRecordBoundary } from './errors.mjs';
import { PAGE_SIZE } from './event-filter.mjs';
import { BEFORE_LOG, isAfter, positionOf, unsigned } from './log-position.mjs';
import { checkpointAnswer, eventAnswer, fellBehindAnswer } from './messages.mjs';
import { LIVE_BUFFER } from './outgoing.mjs';
import { allForwards, isRecordBoundary } from './pages.mjs';
import { endOf } from './stored-event.mjs';

/**
 * @typedef {import('./store.mjs').Store} Store
 * @typedef {import('./stored-event.mjs').StoredEvent} StoredEvent
 * @typedef {import('./outgoing.mjs').Outgoing} Outgoing
 * @typedef {import('./read-options.mjs').OfAll} OfAll
 * @typedef {import('./log-position.mjs').LogPosition} LogPosition
 * @typedef {import('./subscribe.mjs').LiveState} LiveState
 */

/**
 * A subscription to `$all`. The server subscribes to live events first and reads the log behind the start position
 * afterwards, so both overlap; what is not after the position last sent is skipped. Source: the measured behaviour of
 * 24.2.0 and 24.10.4, and `Enumerator.AllSubscriptionFiltered` of the server.
 */
export class AllSubscription {
  startsLive;
  #store;
  #outgoing;
  #filter;
  /** Of the event or checkpoint that was sent last; at first the position that the subscriber resumes from. */
  #last;
  /** Where the next page of the log begins. @type {LogPosition} */
  #page;
  /** Events that pages looked at since the last checkpoint. */
  #readSinceCheckpoint = 0;
  /** Where the next live event begins. */
  #live;
  /** Live events since the last live checkpoint. */
  #liveSinceCheckpoint = 0;
  /** As the subscriber compares them: unsigned. @type {ReturnType<typeof unsigned> | null} */
  #lastCheckpoint = null;

  /**
   * @param {Store} store
   * @param {OfAll} source
   * @param {Outgoing} outgoing
   */
  constructor(store, { from, filter }, outgoing) {
    this.#store = store;
    this.#outgoing = outgoing;
    this.#filter = filter;
    const end = store.lastPosition;
    this.#last = from === 'start' ? BEFORE_LOG : from === 'end' ? end : from;
    this.startsLive = !isAfter(end, this.#last);
    this.#page = pageFrom(this.#last);
    this.#live = store.end;
  }

  /**
   * Sends the next page of the log and returns whether it reached the end.
   *
   * @throws {import('@grpc/grpc-js').ServiceError} where no record begins at the start position
   */
  async sendPage() {
    const current = this.#page;
    if (!isRecordBoundary(this.#store, current.commit)) throw notRecordBoundary();
    const page = allForwards(this.#store, current.commit, this.#filter);
    if (page.considered > 0) this.#page = { commit: page.next, prepare: 0 };
    for (const event of page.events) {
      if (this.#outgoing.over) return false;
      // A page includes the position that it begins at.
      if (!isAfter(positionOf(event), this.#last)) continue;
      await this.#outgoing.send(eventAnswer(event));
      this.#last = positionOf(event);
    }
    this.#readSinceCheckpoint += page.considered;
    if (page.atEnd) {
      await this.#sendCheckpoint();
      return true;
    }
    if (this.#filter !== null && this.#readSinceCheckpoint >= this.#filter.checkpointInterval) {
      this.#readSinceCheckpoint %= this.#filter.checkpointInterval;
      // The start of this page, not its end: the real server's catch-up checkpoints are one page late.
      if (isAfter(current, this.#last)) this.#last = current;
      await this.#sendCheckpoint();
    }
    return false;
  }

  /** @returns {Promise<LiveState>} */
  async sendLive() {
    const { index } = this.#store;
    const place = index.placeOf(this.#live);
    const events = index.all.slice(place, place + PAGE_SIZE);
    if (events.length === 0) return 'waiting';
    for (const event of events) {
      if (this.#outgoing.over) return 'waiting';
      this.#live = endOf(event);
      if ((await this.#sendLiveEvent(event)) === 'at once' || !this.#fellBehind()) continue;
      await this.#fallBehind();
      return 'behind';
    }
    return 'live';
  }

  /** @param {StoredEvent} event */
  async #sendLiveEvent(event) {
    const position = positionOf(event);
    let sent = /** @type {'at once' | 'later'} */ ('at once');
    if (isAfter(position, this.#last) && this.#matches(event)) {
      this.#last = position;
      sent = await this.#outgoing.send(eventAnswer(event));
    }
    if (this.#filter === null) return sent;
    this.#liveSinceCheckpoint += 1;
    if (this.#liveSinceCheckpoint < this.#filter.checkpointInterval) return sent;
    this.#liveSinceCheckpoint = 0;
    if (isAfter(this.#last, position)) return sent;
    this.#last = position;
    return (await this.#sendCheckpoint()) === 'later' ? 'later' : sent;
  }

  async #fallBehind() {
    await this.#outgoing.send(fellBehindAnswer());
    await this.#sendCheckpoint();
    this.#page = pageFrom(this.#last);
    this.#readSinceCheckpoint = 0;
  }

  /** Sends the position last sent as checkpoint, unless it is not above the last checkpoint. */
  async #sendCheckpoint() {
    if (this.#filter === null) return 'at once';
    const checkpoint = unsigned(this.#last);
    if (this.#lastCheckpoint !== null && !isAfter(checkpoint, this.#lastCheckpoint)) return 'at once';
    this.#lastCheckpoint = checkpoint;
    return this.#outgoing.send(checkpointAnswer(checkpoint));
  }

  /** Whether more live events wait than the server keeps for one subscriber. */
  #fellBehind() {
    const { index } = this.#store;
    let kept = 0;
    for (let at = index.placeOf(this.#live); at < index.all.length && kept <= LIVE_BUFFER; at += 1) {
      const event = index.all[at];
      if (event !== undefined && this.#matches(event)) kept += 1;
    }
    return kept > LIVE_BUFFER;
  }

  /** @param {StoredEvent} event */
  #matches(event) {
    return this.#filter === null || this.#filter.matches(event);
  }
}

/** @param {LogPosition} last */
function pageFrom(last) {
  return last === BEFORE_LOG ? { commit: 0, prepare: 0 } : last;
}
