import { afterEach, beforeEach, expect } from 'bun:test';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { Find, ReadModelStore, StoredDocument } from '../../../src/ports/read-model-store.ts';
import type { TestDocument } from './definition.ts';

export type OpenedReadModelStore = {
  readonly store: ReadModelStore;
  /** Reopens the store on the same data. */
  reopen(): Promise<ReadModelStore>;
  /** Another store on the same data, as in another process. */
  openAgain(): Promise<ReadModelStore>;
  /** Closes everything and removes the data. */
  close(): Promise<void>;
};

/** Printed in test titles; `SEED=… bun test` repeats a run. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

export const BOOKINGS = 'bookings.v1.b1';
export const INDEXES = [['city', 'price'], ['price']];

/** Prices in the order 6 and 7 (none), 1, 2, 5, 3, 4. */
export const CITIES: readonly TestDocument[] = [
  { id: '1', doc: { city: 'Hanoi', price: 10, size: 1 } },
  { id: '2', doc: { city: 'Hanoi', price: 12.5, size: 2 } },
  { id: '3', doc: { city: 'Hue', price: 30, size: 1 } },
  { id: '4', doc: { city: 'Hanoi', price: 40, size: 2 } },
  { id: '5', doc: { city: 'Saigon', price: 20, size: 2 } },
  { id: '6', doc: { city: null, price: null } },
  { id: '7', doc: {} },
];

/** Shared by the contract's tests; `store` and `opened` belong to the running test. */
export type Scene = {
  opened: OpenedReadModelStore;
  store: ReadModelStore;
  /** Inserts documents, all at one position. */
  given(documents: readonly TestDocument[], position?: Position): Promise<void>;
  /** The ids that a query finds, in order, separated by spaces. */
  found(query: Omit<Find, 'limit'>): Promise<string>;
};

/** Opens an empty store with the collection BOOKINGS before each test of the surrounding `describe`. */
export function eachInScene(open: () => Promise<OpenedReadModelStore>): Scene {
  let opened: OpenedReadModelStore;
  beforeEach(async () => {
    opened = await open();
    await opened.store.ensure(BOOKINGS, INDEXES);
  });
  afterEach(() => opened.close());
  return {
    get opened() {
      return opened;
    },
    get store() {
      return opened.store;
    },
    async given(documents, position = at(1)) {
      const writes = documents.map(({ id, doc }) => ({ id, doc, position, loaded: null }));
      expect(await opened.store.commit(BOOKINGS, writes, position)).toEqual({ missed: [] });
    },
    async found(query) {
      return idsOf((await opened.store.find(BOOKINGS, { ...query, limit: 1_000 })).items);
    },
  };
}

/** The n-th position of a log, from 0. */
export function at(n: number): Position {
  return (n + 1) as Position;
}

export function idsOf(documents: readonly { readonly id: string }[]): string {
  return documents.map(({ id }) => id).join(' ');
}

export async function scanned(store: ReadModelStore, collection: string): Promise<readonly StoredDocument[]> {
  return Array.fromAsync(store.scan(collection));
}
