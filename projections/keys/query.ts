import type { Plan } from '../../src/domain/apikey/apikey.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { KeyDocument } from './read-model.ts';

/** API keys, optionally filtered by `active` and plan, newest first. */
export async function listKeys(
  readModels: ReadModelStore,
  collection: string,
  query: {
    readonly active: boolean | null;
    readonly plan: Plan | null;
    readonly limit: number;
    readonly after: Cursor | null;
  },
): Promise<{ readonly items: readonly KeyDocument[]; readonly next: Cursor | null }> {
  const { active, plan } = query;
  const page = await readModels.find(collection, {
    where: { ...(active === null ? {} : { active }), ...(plan === null ? {} : { plan }) },
    sort: { field: 'createdAt', direction: 'desc' },
    limit: query.limit,
    ...(query.after === null ? {} : { after: query.after }),
  });
  // Only the projection's fold writes documents to this collection.
  return { items: page.items.map(({ doc }) => doc as KeyDocument), next: page.next };
}
