import { OrderedMap } from './ordered-map.ts';

/** Compared with `<`; the lowest one comes first. All priorities of a queue are of one type. */
type Priority = number | string;

/** `order` counts insertions, so that values of one priority stay in the order in which they were inserted. */
type Item<V> = { readonly priority: Priority; readonly order: number; readonly value: V };

/**
 * An immutable priority queue with one value per key: a value is replaced or removed by its key, and the next one read, in
 * O(log n). Values of one priority are in insertion order; a replaced value counts as inserted again.
 */
export class PriorityQueue<V> {
  readonly #byKey: OrderedMap<string, Item<V>>;
  readonly #byPriority: OrderedMap<Item<V>, Item<V>>;
  readonly #inserted: number;

  constructor(
    byKey: OrderedMap<string, Item<V>> = new OrderedMap(),
    byPriority: OrderedMap<Item<V>, Item<V>> = new OrderedMap<Item<V>, Item<V>>(byPriorityAndOrder),
    inserted = 0,
  ) {
    this.#byKey = byKey;
    this.#byPriority = byPriority;
    this.#inserted = inserted;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): V | undefined {
    return this.#byKey.get(key)?.value;
  }

  get first(): V | undefined {
    return this.#byPriority.first?.value;
  }

  /** The queue with `value` in place of an earlier one of its key. */
  with(key: string, priority: Priority, value: V): PriorityQueue<V> {
    const before = this.#byKey.get(key);
    const others = before === undefined ? this.#byPriority : this.#byPriority.without(before);
    const item = { priority, order: this.#inserted, value };
    return new PriorityQueue(this.#byKey.with(key, item), others.with(item, item), this.#inserted + 1);
  }

  without(key: string): PriorityQueue<V> {
    const before = this.#byKey.get(key);
    if (before === undefined) return this;
    return new PriorityQueue(this.#byKey.without(key), this.#byPriority.without(before), this.#inserted);
  }

  /** By rising priority. */
  *values(): IterableIterator<V> {
    for (const { value } of this.#byPriority.values()) yield value;
  }
}

function byPriorityAndOrder(left: Item<unknown>, right: Item<unknown>): number {
  if (left.priority === right.priority) return left.order - right.order;
  return left.priority < right.priority ? -1 : 1;
}
