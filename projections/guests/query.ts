import { type GuestSearch, isFound } from '../../src/domain/guest/search.ts';
import type { ClaimId } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, type Found, selectedPage } from '../filtered-page.ts';
import type { GuestDocument } from './read-model.ts';

type SearchQuery<Item> = {
  readonly search: GuestSearch;
  /** An item, or null to leave it out, for each record that is found, which has its claim as id. */
  readonly select: (records: readonly Found<GuestDocument>[]) => Promise<readonly (Item | null)[]>;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Records of guests that a search finds, the last recorded first. */
export function searchGuests<Item>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { search, select, limit, after }: SearchQuery<Item>,
): Promise<FilteredPage<Item>> {
  return selectedPage<GuestDocument, Item>(readModels, collection, {
    find: { holds: { field: 'terms', text: search.term }, sort: { field: 'recordedAt', direction: 'desc' } },
    async select(records) {
      const found = records.filter(({ doc }) => isFound(doc, search));
      const selected = await select(found);
      const items = new Map(found.map(({ id }, place) => [id, selected[place] ?? null]));
      return records.map(({ id }) => items.get(id) ?? null);
    },
    sortValueOf: ({ recordedAt }) => recordedAt,
    limit,
    after,
  });
}

/** Records of guests by claim, with one read. Null: the record was erased; missing: the read model has none. */
export async function loadGuests(
  readModels: Pick<ReadModelStore, 'load'>,
  collection: string,
  records: readonly ClaimId[],
): Promise<ReadonlyMap<string, GuestDocument | null>> {
  const loaded = await readModels.load(collection, records);
  // Only the projection's fold writes documents to this collection.
  return new Map([...loaded.values()].map(({ id, doc }) => [id, doc as GuestDocument | null]));
}
