import { POINTERS } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

/** The pointers to the collections that serve. */
export function openPointers({ db, reading }: Database) {
  const pointers = db.collection<{ _id: string; target: string }>(POINTERS, reading);
  return {
    async pointers(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const found = await pointers.find({ _id: { $in: [...names] } }).toArray();
      return new Map(found.map(({ _id, target }) => [_id, target]));
    },
    async pointer(name: string): Promise<string | null> {
      return (await pointers.findOne({ _id: name }))?.target ?? null;
    },
    /** Returns false if the pointer does not hold `from`. */
    async movePointer(name: string, from: string | null, to: string): Promise<boolean> {
      if (from !== null) {
        const { matchedCount } = await pointers.updateOne({ _id: name, target: from }, { $set: { target: to } });
        return matchedCount === 1;
      }
      try {
        await pointers.insertOne({ _id: name, target: to });
        return true;
      } catch (fault) {
        if (isRefusal(fault, 'DuplicateKey')) return false;
        throw fault;
      }
    },
  };
}
