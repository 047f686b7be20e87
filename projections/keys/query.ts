import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { KeyDocument } from './read-model.ts';

/** All keys, newest first. */
export async function listKeys(
  readModels: ReadModelStore,
  collection: string,
  question: { readonly limit: number; readonly after: Cursor | null },
): Promise<{ readonly items: readonly KeyDocument[]; readonly next: Cursor | null }> {
  const page = await readModels.find(collection, {
    sort: { field: 'createdAt', direction: 'desc' },
    limit: question.limit,
    ...(question.after === null ? {} : { after: question.after }),
  });
  // The documents of this collection are what its projection's fold returned.
  return { items: page.items.map(({ doc }) => doc as KeyDocument), next: page.next };
}
