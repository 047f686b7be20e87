import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { HoldDocument } from './read-model.ts';

type HoldsQuery = {
  readonly activityId: string | null;
  readonly date: string | null;
  readonly keyId: string | null;
  /** Ms since the epoch. */
  readonly nowMs: number;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Holds that have not ended, the next to end first. */
export async function listHolds(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { activityId, date, keyId, nowMs, limit, after }: HoldsQuery,
): Promise<{ readonly items: readonly HoldDocument[]; readonly next: Cursor | null }> {
  const page = await readModels.find(collection, {
    where: {
      ...(activityId === null ? {} : { activityId }),
      ...(date === null ? {} : { date }),
      ...(keyId === null ? {} : { keyId }),
    },
    // At its end a hold has expired.
    range: { field: 'expiresAt', from: new Date(nowMs + 1).toISOString() },
    sort: { field: 'expiresAt', direction: 'asc' },
    limit,
    ...(after === null ? {} : { after }),
  });
  // Only the projection's fold writes documents to this collection.
  return { items: page.items.map(({ doc }) => doc as HoldDocument), next: page.next };
}
