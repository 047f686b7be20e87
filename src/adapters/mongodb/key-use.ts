import type { KeyUse, RequestOutcome, Use } from '../../ports/key-use.ts';
import { KEY_USE } from './collection-names.ts';
import type { Database } from './database.ts';

type Kept = {
  readonly _id: string;
  readonly key: string;
  readonly day: number;
  readonly run: string;
  readonly use: readonly ({ readonly endpoint: string } & Readonly<Record<RequestOutcome, number>>)[];
};

/**
 * Request statistics of keys over all nodes: one document per key, day and run of a node; only that run replaces it.
 *
 * @param database stays open when this is closed
 */
export function openKeyUse({ db, reading }: Database): KeyUse {
  const documents = db.collection<Kept>(KEY_USE, reading);
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the use of keys is closed');
  };
  return {
    async put(uses) {
      assertOpen();
      if (uses.length === 0) return;
      const writes = uses.map(({ run, key, day, use }) => ({
        replaceOne: {
          filter: { _id: `${key} ${day} ${run}` },
          replacement: { key, day, run, use: [...use].map(([endpoint, counts]) => ({ endpoint, ...counts })) },
          upsert: true,
        },
      }));
      await documents.bulkWrite(writes, { ordered: false });
    },
    async of(key, day) {
      assertOpen();
      const kept = await documents.find({ key, day }).toArray();
      return kept.map(({ run, use }) => ({ run, key, day, use: useOf(use) }));
    },
    async forgetBefore(day) {
      assertOpen();
      await documents.deleteMany({ day: { $lt: day } });
    },
    async close() {
      open = false;
    },
  };
}

function useOf(kept: Kept['use']): Use {
  return new Map(kept.map(({ endpoint, ok, refused, failed }) => [endpoint, { ok, refused, failed }]));
}
