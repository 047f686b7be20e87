import type { Position, Recorded } from '../eventsourcing/message.ts';
import { categoryOf, type StoredEvent } from '../ports/event-store.ts';

/** A decoded event, or why it cannot be decoded; `event` is null if its stream is not of the domain. */
export type Decoded = { readonly event: Recorded | null } | { readonly fault: unknown };

/** An event of the tail. The first reader that takes it decodes it, for all. */
export type TailEntry = {
  readonly stored: StoredEvent;
  readonly category: string;
  readonly bytes: number;
  decoded: Decoded | null;
};

/** `since`: every later event of the category is among the entries. */
type Category = { since: Position; entries: TailEntry[] };

/** At most this many events and bytes (estimated); then the older half is dropped. */
const MAX_EVENTS = 16_384;
const MAX_BYTES = 33_554_432;
/** Estimated bytes of an event besides its data. */
const ENVELOPE_BYTES = 300;

/** The last events of the log by category, so that a reader finds its own without a look at the others. */
export class Tail {
  readonly #categories = new Map<string, Category>();
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #names: readonly string[] = [];
  /** All entries, in log order. */
  #entries: TailEntry[] = [];
  #bytes = 0;

  constructor(limits: { readonly maxEvents?: number; readonly maxBytes?: number } = {}) {
    this.#maxEvents = limits.maxEvents ?? MAX_EVENTS;
    this.#maxBytes = limits.maxBytes ?? MAX_BYTES;
  }

  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#entries.length, bytes: this.#bytes };
  }

  /** The same array until `open` adds one. */
  get categories(): readonly string[] {
    return this.#names;
  }

  /** From here on the tail holds events of a category, all of them after a position. */
  open(category: string, since: Position): void {
    if (this.#categories.has(category)) return;
    this.#categories.set(category, { since, entries: [] });
    this.#names = [...this.#names, category];
  }

  /** Adds the next event of the log. Returns its category; null if the tail does not hold that. */
  add(stored: StoredEvent): string | null {
    const entry = entryOf(stored);
    const category = this.#categories.get(entry.category);
    if (category === undefined) return null;
    category.entries.push(entry);
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    if (this.#entries.length > this.#maxEvents || this.#bytes > this.#maxBytes) this.#dropOlderHalf();
    return entry.category;
  }

  /** Whether every later event of these categories is here. */
  covers(categories: readonly string[], position: Position): boolean {
    return categories.every((name) => {
      const category = this.#categories.get(name);
      return category !== undefined && category.since <= position;
    });
  }

  hasAfter(categories: readonly string[], position: Position): boolean {
    return categories.some((name) => {
      const last = this.#categories.get(name)?.entries.at(-1);
      return last !== undefined && last.stored.position > position;
    });
  }

  /** The first `limit` entries of these categories after a position that the tail covers, in log order. */
  after(categories: readonly string[], position: Position, limit: number): readonly TailEntry[] {
    const found: TailEntry[][] = [];
    for (const name of categories) {
      const entries = this.#categories.get(name)?.entries ?? [];
      const first = firstAfter(entries, position);
      if (first < entries.length) found.push(entries.slice(first, first + limit));
    }
    const [only, ...others] = found;
    if (only === undefined || others.length === 0) return only ?? [];
    return found
      .flat()
      .sort((a, b) => (a.stored.position < b.stored.position ? -1 : 1))
      .slice(0, limit);
  }

  #dropOlderHalf(): void {
    const kept = Math.floor(this.#entries.length / 2);
    const dropped = this.#entries.slice(0, this.#entries.length - kept);
    this.#entries = this.#entries.slice(dropped.length);
    const counts = new Map<string, number>();
    for (const { category: name, bytes } of dropped) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      this.#bytes -= bytes;
    }
    for (const [name, count] of counts) {
      const category = this.#categories.get(name);
      if (category === undefined) continue;
      category.since = category.entries[count - 1]?.stored.position ?? category.since;
      category.entries = category.entries.slice(count);
    }
  }
}

export function entryOf(stored: StoredEvent): TailEntry {
  const bytes = ENVELOPE_BYTES + estimatedBytes(stored.data);
  return { stored, category: categoryOf(stored.stream), bytes, decoded: null };
}

function firstAfter(entries: readonly TailEntry[], position: Position): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as TailEntry).stored.position > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Of an array, the first item counts for all. */
function estimatedBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return 16 + value.length * estimatedBytes(value[0]);
  let bytes = 16;
  for (const key in value) bytes += 8 + estimatedBytes((value as Readonly<Record<string, unknown>>)[key]);
  return bytes;
}
