import type { Cursor, Find, ReadModelStore } from '../src/ports/read-model-store.ts';

/** A filtered list of a collection's documents, sorted by a text field that never changes. */
type PageQuery<Doc extends object, Item extends Doc> = {
  /** Served by an index: its `where` fields come first in the index, its sort field last. */
  readonly find: Pick<Find, 'where' | 'range' | 'merge'> & { readonly sort: NonNullable<Find['sort']> };
  /** Every filter that no index serves. */
  readonly matches: (doc: Doc) => doc is Item;
  /** The value of the sort field. */
  readonly sortValueOf: (doc: Doc) => string;
  readonly limit: number;
  readonly after: Cursor | null;
};

export type FilteredPage<Item> = {
  readonly items: readonly Item[];
  /** Null on the last page only. A page with fewer than `limit` items, or none, can have a next page. */
  readonly next: Cursor | null;
};

const BATCH_SIZE = 500;
/** Maximum number of documents scanned for one page. The next page continues there. */
const MAX_SCANNED = 2_000;

/**
 * A page of the documents that match. The scan is bounded, whatever the size of the collection, so a page can be short
 * although more documents match.
 */
export async function filteredPage<Doc extends object, Item extends Doc>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { find, matches, sortValueOf, limit, after }: PageQuery<Doc, Item>,
): Promise<FilteredPage<Item>> {
  const items: Item[] = [];
  let cursor = after;
  for (let scanned = 0, batch = limit; scanned < MAX_SCANNED; scanned += batch, batch = BATCH_SIZE) {
    // Let the event loop answer other requests between two reads.
    if (scanned > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const page = await readModels.find(collection, {
      ...find,
      limit: batch,
      ...(cursor === null ? {} : { after: cursor }),
    });
    for (const [index, item] of page.items.entries()) {
      // Only the projection's fold writes documents to this collection.
      const doc = item.doc as Doc;
      cursor = { value: sortValueOf(doc), id: item.id };
      if (!matches(doc) || items.push(doc) < limit) continue;
      return { items, next: page.next === null && index === page.items.length - 1 ? null : cursor };
    }
    if (page.next === null) return { items, next: null };
  }
  return { items, next: cursor };
}
