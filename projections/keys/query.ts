import type { Plan } from '../../src/domain/apikey/apikey.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { KeyDocument } from './read-model.ts';

/** All keys, or those that are active or not, or on a plan; newest first. */
export async function listKeys(
  readModels: ReadModelStore,
  collection: string,
  question: {
    readonly active: boolean | null;
    readonly plan: Plan | null;
    readonly limit: number;
    readonly after: Cursor | null;
  },
): Promise<{ readonly items: readonly KeyDocument[]; readonly next: Cursor | null }> {
  const { active, plan } = question;
  const page = await readModels.find(collection, {
    where: { ...(active === null ? {} : { active }), ...(plan === null ? {} : { plan }) },
    sort: { field: 'createdAt', direction: 'desc' },
    limit: question.limit,
    ...(question.after === null ? {} : { after: question.after }),
  });
  // The documents of this collection are what its projection's fold returned.
  return { items: page.items.map(({ doc }) => doc as KeyDocument), next: page.next };
}
