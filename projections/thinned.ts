import type { Cursor, Find, ReadModelStore } from '../src/ports/read-model-store.ts';

/** What to list of a collection whose documents have a text to sort by that never changes. */
export type Listing<Doc extends object, Item extends Doc> = {
  /** Fields that begin an index which ends in the one that is sorted by: whatever else thins the list out is `wanted`. */
  readonly find: Pick<Find, 'where' | 'range'> & { readonly sort: NonNullable<Find['sort']> };
  readonly wanted: (doc: Doc) => doc is Item;
  /** The value that a document is sorted by. */
  readonly placeOf: (doc: Doc) => string;
  readonly limit: number;
  readonly after: Cursor | null;
};

export type ListedPage<Item> = {
  readonly items: readonly Item[];
  /** Null on the last page only: one that holds less than was asked for, or nothing, may have others behind it. */
  readonly next: Cursor | null;
};

const DOCUMENTS_AT_ONCE = 500;
/** What one answer looks at, however few of them are wanted. The next page goes on from there. */
const MOST_DOCUMENTS = 2_000;

/**
 * A page of the documents that are wanted. How much it looks at does not depend on how many there are: where few of them
 * are wanted the page is short.
 */
export async function thinnedPage<Doc extends object, Item extends Doc>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { find, wanted, placeOf, limit, after }: Listing<Doc, Item>,
): Promise<ListedPage<Item>> {
  const items: Item[] = [];
  let cursor = after;
  for (let looked = 0, atOnce = limit; looked < MOST_DOCUMENTS; looked += atOnce, atOnce = DOCUMENTS_AT_ONCE) {
    // The thread that answers requests does something else between two reads.
    if (looked > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const page = await readModels.find(collection, {
      ...find,
      limit: atOnce,
      ...(cursor === null ? {} : { after: cursor }),
    });
    for (const [index, item] of page.items.entries()) {
      // The documents of this collection are what its projection's fold returned.
      const doc = item.doc as Doc;
      cursor = { value: placeOf(doc), id: item.id };
      if (!wanted(doc) || items.push(doc) < limit) continue;
      return { items, next: page.next === null && index === page.items.length - 1 ? null : cursor };
    }
    if (page.next === null) return { items, next: null };
  }
  return { items, next: cursor };
}
