import { type Position, START } from '../../eventsourcing/message.ts';
import { categoryOf, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';
import { positionOf } from './event-rows.ts';

/** Minimum number of cached events; at twice as many, the older half is dropped. The follower keeps more. */
const RECENT_EVENTS = 1_024;

/** A slice of the log; `upTo` also covers skipped events of other categories. */
export type LogSlice = { readonly events: readonly StoredEvent[]; readonly upTo: number };

/** A cached event, with its category and position computed once for all subscriptions. */
type Recent = { readonly event: StoredEvent; readonly category: string; readonly position: number };

/** The end of the log in memory, so that live subscriptions neither read nor parse rows. */
export class RecentEvents {
  #events: Recent[] = [];
  #pending: Recent[] = [];
  readonly #forgotten = new Set<string>();
  /** Every event after this position is cached. */
  #after: number;

  constructor(after: number) {
    this.#after = after;
  }

  /**
   * Adds the events of one append, the first at this position; they become visible at `commit`.
   * @returns the position of the last
   */
  add(stream: string, revision: number, first: number, events: readonly NewEvent[]): Position {
    const category = categoryOf(stream);
    let last = START;
    events.forEach(({ id, type, data, cause }, index) => {
      last = positionOf(first + index);
      const event = { id, type, data, cause, stream, revision: revision + index, position: last };
      this.#pending.push({ event, category, position: first + index });
    });
    return last;
  }

  commit(): void {
    for (const added of this.#pending) this.#events.push(added);
    this.#pending = [];
    if (this.#forgotten.size > 0) {
      this.#events = this.#events.filter(({ event }) => !this.#forgotten.has(event.stream));
      this.#forgotten.clear();
    }
    if (this.#events.length <= RECENT_EVENTS * 2) return;
    this.#after = this.#events.at(-RECENT_EVENTS - 1)?.position ?? this.#after;
    this.#events = this.#events.slice(-RECENT_EVENTS);
  }

  rollback(): void {
    this.#pending = [];
    this.#forgotten.clear();
  }

  covers(after: number): boolean {
    return after >= this.#after;
  }

  /** @param end the log's last position */
  slice(after: number, categories: ReadonlySet<string> | null, limit: number, end: number): LogSlice {
    const events: StoredEvent[] = [];
    let upTo = after;
    for (let index = this.#firstAfter(after); index < this.#events.length; index++) {
      if (events.length === limit) return { events, upTo };
      const { event, category, position } = this.#events[index] as Recent;
      upTo = position;
      if (categories === null || categories.has(category)) events.push(event);
    }
    return { events, upTo: Math.max(upTo, end) };
  }

  /** Removes the events of a stream at `commit`. */
  forget(stream: string): void {
    this.#forgotten.add(stream);
  }

  #firstAfter(after: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as Recent).position > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
