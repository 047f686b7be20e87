import { type Position, START } from '../../eventsourcing/message.ts';
import { categoryOf, type NewEvent, type StoredEvent } from '../../ports/event-store.ts';
import { positionOf } from './event-rows.ts';

/** Kept at least; up to twice as many before the older half goes. */
const RECENT_EVENTS = 16_384;

/** A run of the log; `upTo` is past events of other categories too. */
export type LogSlice = { readonly events: readonly StoredEvent[]; readonly upTo: number };

/** An event in memory, with what every subscription asks of it worked out once for all of them. */
type Recent = { readonly event: StoredEvent; readonly category: string; readonly position: number };

/** The end of the log in memory, so that subscriptions which follow live neither read nor parse. */
export class RecentEvents {
  #events: Recent[] = [];
  #pending: Recent[] = [];
  readonly #forgotten = new Set<string>();
  /** Every event after this position is held. */
  #after: number;

  constructor(after: number) {
    this.#after = after;
  }

  /**
   * Adds the events of one append, the first of them at this position, once `commit` says that they are stored.
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

  /** Forgets the events of a stream once `commit` says that they are gone. */
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
