/**
 * A cache of at least `size` and at most twice as many entries, in two generations, because a map that deletes its oldest
 * entry at each insertion gets slow. When the younger generation is full, it replaces the older one.
 */
export class GenerationCache<K, V> {
  readonly #size: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    return this.#younger.get(key) ?? this.#older.get(key);
  }

  /** @returns the value */
  set(key: K, value: V): V {
    if (this.#younger.size >= this.#size) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
    return value;
  }

  clear(): void {
    this.#younger = new Map();
    this.#older = new Map();
  }
}
