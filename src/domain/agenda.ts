import { PersistentMap } from './persistent-map.ts';

/** So much may always have been taken away and be passed over. */
const FEW = 64;

/** What stands on an agenda: one thing by its key, at a place. Places are compared with `<`, all of one type. */
export type Entry = { readonly key: string; readonly place: number | string };

type Heap<E> = {
  readonly top: E;
  readonly rank: number;
  /** How many entries it has, those included that were taken away. */
  readonly size: number;
  readonly left: Heap<E> | null;
  readonly right: Heap<E> | null;
};

/**
 * An immutable list of things to do, first place first: adding, taking away and looking at the first few cost the
 * logarithm of its size, so that a process manager with many thousands of open things can be asked after every event.
 * (A leftist heap, after Crane; what was taken away is passed over until it comes to the top, or until it is most of
 * the heap: behind one thing that is never done, others come and go without end.)
 */
export class Agenda<E extends Entry> {
  readonly #entries: PersistentMap<E>;
  readonly #heap: Heap<E> | null;

  constructor(entries: PersistentMap<E> = new PersistentMap(), heap: Heap<E> | null = null) {
    this.#entries = entries;
    this.#heap = heap;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): E | undefined {
    return this.#entries.get(key);
  }

  /** What has the first place. */
  get first(): E | undefined {
    return this.#heap?.top;
  }

  /** With an entry, in the place of an earlier one of its key. */
  with(entry: E): Agenda<E> {
    const heap = merged(this.#heap, alone(entry));
    return new Agenda(this.#entries.with(entry.key, entry), heap).#cleared();
  }

  without(key: string): Agenda<E> {
    if (this.get(key) === undefined) return this;
    return new Agenda(this.#entries.without(key), this.#heap).#cleared();
  }

  /** Everything on it, in no particular order. */
  *values(): IterableIterator<E> {
    for (const [, entry] of this.#entries.entries()) yield entry;
  }

  /** Everything on it, first place first; those of one place in no particular order. */
  *inOrder(): IterableIterator<E> {
    for (let heap = this.#heap; heap !== null; heap = merged(heap.left, heap.right)) {
      if (this.#holds(heap.top)) yield heap.top;
    }
  }

  #holds(entry: E): boolean {
    return this.get(entry.key) === entry;
  }

  /** Without what was taken away and has come to the top, or outnumbers the rest. */
  #cleared(): Agenda<E> {
    let heap = this.#heap;
    while (heap !== null && !this.#holds(heap.top)) heap = merged(heap.left, heap.right);
    if (sizeOf(heap) > 2 * this.size + FEW) heap = this.#heapOfAll();
    return heap === this.#heap ? this : new Agenda(this.#entries, heap);
  }

  #heapOfAll(): Heap<E> | null {
    let heap: Heap<E> | null = null;
    for (const entry of this.values()) heap = merged(heap, alone(entry));
    return heap;
  }
}

function alone<E extends Entry>(entry: E): Heap<E> {
  return { top: entry, rank: 1, size: 1, left: null, right: null };
}

function merged<E extends Entry>(one: Heap<E> | null, other: Heap<E> | null): Heap<E> | null {
  if (one === null) return other;
  if (other === null) return one;
  const [upper, lower] = other.top.place < one.top.place ? [other, one] : [one, other];
  const below = merged(upper.right, lower);
  const [left, right] = rankOf(below) > rankOf(upper.left) ? [below, upper.left] : [upper.left, below];
  return { top: upper.top, rank: rankOf(right) + 1, size: upper.size + lower.size, left, right };
}

/** How far the nearest end of a heap is: kept short on the right, which is where `merged` goes down. */
function rankOf(heap: Heap<Entry> | null): number {
  return heap?.rank ?? 0;
}

function sizeOf(heap: Heap<Entry> | null): number {
  return heap?.size ?? 0;
}
