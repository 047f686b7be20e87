import type { Cursor, Find, ReadModelStore } from '../src/ports/read-model-store.ts';

/** A list of a collection's documents, sorted by a text field that never changes. */
type ListQuery<Doc extends object> = {
  /** Served by an index: its `where` fields come first in the index, its sort field last. */
  readonly find: Pick<Find, 'where' | 'holds' | 'range' | 'merge'> & { readonly sort: NonNullable<Find['sort']> };
  /** The value of the sort field. */
  readonly sortValueOf: (doc: Doc) => string;
  readonly limit: number;
  readonly after: Cursor | null;
};

type PageQuery<Doc extends object, Item extends Doc> = ListQuery<Doc> & {
  /** Every filter that no index serves. */
  readonly matches: (doc: Doc) => doc is Item;
};

type SelectedQuery<Doc extends object, Item> = ListQuery<Doc> & {
  /** An item, or null to leave it out, for each of at most BATCH_SIZE documents. */
  readonly select: (documents: readonly Found<Doc>[]) => Promise<readonly (Item | null)[]>;
};

export type Found<Doc extends object> = { readonly id: string; readonly doc: Doc };

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
export function filteredPage<Doc extends object, Item extends Doc>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { matches, ...query }: PageQuery<Doc, Item>,
): Promise<FilteredPage<Item>> {
  const select = async (found: readonly Found<Doc>[]) => found.map(({ doc }) => (matches(doc) ? doc : null));
  return selectedPage(readModels, collection, { ...query, select });
}

/** The same, if other read models decide which documents match. */
export async function selectedPage<Doc extends object, Item>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { find, select, sortValueOf, limit, after }: SelectedQuery<Doc, Item>,
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
    // Only the projection's fold writes documents to this collection.
    const found = page.items.map(({ id, doc }) => ({ id, doc: doc as Doc }));
    const selected = await select(found);
    for (const [index, { id, doc }] of found.entries()) {
      const item = selected[index] ?? null;
      cursor = { value: sortValueOf(doc), id };
      if (item === null || items.push(item) < limit) continue;
      return { items, next: page.next === null && index === found.length - 1 ? null : cursor };
    }
    if (page.next === null) return { items, next: null };
  }
  return { items, next: cursor };
}
