import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { OperatorDocument } from './read-model.ts';

/** Named operators, newest first, revoked ones included. */
export async function listOperators(
  readModels: ReadModelStore,
  collection: string,
  { limit, after }: { readonly limit: number; readonly after: Cursor | null },
): Promise<{ readonly items: readonly OperatorDocument[]; readonly next: Cursor | null }> {
  const page = await readModels.find(collection, {
    where: {},
    sort: { field: 'createdAt', direction: 'desc' },
    limit,
    ...(after === null ? {} : { after }),
  });
  // Only the projection's fold writes documents to this collection.
  return { items: page.items.map(({ doc }) => doc as OperatorDocument), next: page.next };
}
