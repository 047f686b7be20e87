import type { LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import { type Cursor, MAX_PAGE, type ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { RevocationDocument } from './read-model.ts';

/** Maximum number of documents of a venue's date, of both modes. */
export const MAX_REVOCATIONS = 10_000;

/** All revocations of a venue's date, ordered by booking; null above MAX_REVOCATIONS. */
export async function revocationsOf(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  where: { readonly venueId: VenueId; readonly date: LocalDate },
): Promise<readonly RevocationDocument[] | null> {
  const found: RevocationDocument[] = [];
  let after: Cursor | null = null;
  for (let read = 0; read < MAX_REVOCATIONS; read += MAX_PAGE) {
    const page = await readModels.find(collection, { where, limit: MAX_PAGE, ...(after !== null && { after }) });
    // Only the projection's fold writes documents to this collection.
    found.push(...page.items.map(({ doc }) => doc as RevocationDocument));
    if (page.next === null) return found;
    after = page.next;
  }
  return null;
}
