import type { BookingId } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { RetentionDocument } from './read-model.ts';

/** Bookings with a guest that ended before a time (ms since the epoch), the oldest end first. `next`: null for no more. */
export async function endedBefore(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: { readonly beforeMs: number; readonly limit: number; readonly after: Cursor | null },
): Promise<{ readonly bookings: readonly BookingId[]; readonly next: Cursor | null }> {
  const { beforeMs, limit, after } = query;
  const page = await readModels.find(collection, {
    range: { field: 'endedAtMs', to: beforeMs },
    sort: { field: 'endedAtMs', direction: 'asc' },
    limit,
    ...(after !== null && { after }),
  });
  // Only the projection's fold writes documents to this collection.
  return { bookings: page.items.map(({ doc }) => (doc as RetentionDocument).bookingId), next: page.next };
}
