import type { ClaimId } from '../../src/domain/ids.ts';
import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { GuestDocument } from './read-model.ts';

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
