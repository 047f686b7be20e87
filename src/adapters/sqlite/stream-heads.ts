/** Maximum number of heads in each of two generations. */
const CACHED_HEADS = 50_000;

/** A stream's last revision; -1 if it has none. */
export type Head = { readonly revision: number; readonly erased: boolean };

/**
 * A cache of stream heads with two generations, because a map that deletes its oldest entry at each insertion gets
 * slow. When the younger generation is full, it becomes the older one, and the previous older one is dropped.
 */
export class StreamHeads {
  #younger = new Map<string, Head>();
  #older = new Map<string, Head>();

  get(stream: string): Head | undefined {
    return this.#younger.get(stream) ?? this.#older.get(stream);
  }

  set(stream: string, head: Head): Head {
    if (this.#younger.size >= CACHED_HEADS) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(stream, head);
    return head;
  }

  clear(): void {
    this.#younger = new Map();
    this.#older = new Map();
  }
}
