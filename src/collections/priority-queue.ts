import { OrderedMap } from './ordered-map.ts';

/** `priority` is compared with `<`, is of one type throughout a queue, and the lowest one comes first. */
export type Prioritized = { readonly key: string; readonly priority: number | string };

/** `order` counts insertions, so that entries of one priority stay in the order in which they were inserted. */
type Item<E> = { readonly entry: E; readonly order: number };

/**
 * An immutable priority queue with one entry per key: an entry is replaced or removed by its key, and the next one read,
 * in O(log n). Entries of one priority are in insertion order; a replaced entry counts as inserted again.
 */
export class PriorityQueue<E extends Prioritized> {
  readonly #byKey: OrderedMap<string, Item<E>>;
  readonly #byPriority: OrderedMap<Item<E>, Item<E>>;
  readonly #inserted: number;

  constructor(
    byKey: OrderedMap<string, Item<E>> = new OrderedMap(),
    byPriority: OrderedMap<Item<E>, Item<E>> = new OrderedMap<Item<E>, Item<E>>(byPriorityAndOrder),
    inserted = 0,
  ) {
    this.#byKey = byKey;
    this.#byPriority = byPriority;
    this.#inserted = inserted;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): E | undefined {
    return this.#byKey.get(key)?.entry;
  }

  get first(): E | undefined {
    return this.#byPriority.first?.entry;
  }

  /** The queue with `entry` in place of an earlier one of its key. */
  with(entry: E): PriorityQueue<E> {
    const before = this.#byKey.get(entry.key);
    const others = before === undefined ? this.#byPriority : this.#byPriority.without(before);
    const item = { entry, order: this.#inserted };
    return new PriorityQueue(this.#byKey.with(entry.key, item), others.with(item, item), this.#inserted + 1);
  }

  without(key: string): PriorityQueue<E> {
    const before = this.#byKey.get(key);
    if (before === undefined) return this;
    return new PriorityQueue(this.#byKey.without(key), this.#byPriority.without(before), this.#inserted);
  }

  /** By rising priority. */
  *values(): IterableIterator<E> {
    for (const { entry } of this.#byPriority.values()) yield entry;
  }
}

function byPriorityAndOrder(left: Item<Prioritized>, right: Item<Prioritized>): number {
  const one = left.entry.priority;
  const other = right.entry.priority;
  return one === other ? left.order - right.order : one < other ? -1 : 1;
}
