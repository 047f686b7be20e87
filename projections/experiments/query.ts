import { type Cursor, MAX_PAGE, type Page, type ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { ExperimentDocument } from './read-model.ts';

type Found = { readonly items: readonly ExperimentDocument[]; readonly next: Page['next'] };

/** The latest experiment first. */
export async function listExperiments(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { limit, after }: { readonly limit: number; readonly after: Cursor | null },
): Promise<Found> {
  const sort = { field: 'at', direction: 'desc' } as const;
  const page = await readModels.find(collection, { sort, limit, ...(after !== null && { after }) });
  // Only the projection's fold writes documents to this collection.
  return { items: page.items.map(({ doc }) => doc as ExperimentDocument), next: page.next };
}

/** Those that no event has ended: at most one for each city. */
export async function openExperiments(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
): Promise<readonly ExperimentDocument[]> {
  const { items } = await readModels.find(collection, { where: { hasEnded: false }, limit: MAX_PAGE });
  // Only the projection's fold writes documents to this collection.
  return items.map(({ doc }) => doc as ExperimentDocument);
}
