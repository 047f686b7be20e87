import type { Excluded } from '../../src/domain/learning/exclusions.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { CreditedVisit } from './read-model.ts';

/** The credited visits that an exclusion covers, oldest scan first. `next`: the cursor of the next page; null: no more. */
export async function creditedVisits(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: { readonly excluded: Excluded; readonly limit: number; readonly after: Cursor | null },
): Promise<{ readonly visits: readonly CreditedVisit[]; readonly next: Cursor | null }> {
  const { excluded, limit, after } = query;
  const { keyId, deviceId, fromMs, toMs } = excluded;
  const page = await readModels.find(collection, {
    where: { ...(keyId !== null && { keyId }), ...(deviceId !== null && { deviceId }) },
    range: {
      field: 'verifiedAtMs',
      ...(fromMs !== null && { from: fromMs }),
      ...(toMs !== null && { to: toMs }),
    },
    sort: { field: 'verifiedAtMs', direction: 'asc' },
    limit,
    ...(after !== null && { after }),
  });
  // Only the projection's fold writes documents to this collection.
  return { visits: page.items.map(({ doc }) => doc as CreditedVisit), next: page.next };
}
