/** Heads kept in each of two generations. */
const CACHED_HEADS = 50_000;

/** A stream's last revision, -1 where it has none. */
export type Head = { readonly revision: number; readonly erased: boolean };

/**
 * Heads of streams used lately. Two generations, since a map from which the oldest entry is deleted for each new one
 * gets slow: when the younger is full it becomes the older, and what was not used since is forgotten.
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
