import { ObjectId } from 'mongodb';
import type { ExposureEntry, ExposureStore } from '../../ports/exposure-store.ts';
import { EXPOSURE } from './collection-names.ts';
import type { Database } from './database.ts';
import { isDuplicate } from './server-faults.ts';

type ExposureDocument = {
  readonly _id: string;
  /** Unique per write. */
  readonly version: ObjectId;
  readonly entries: readonly ExposureEntry[];
};

/**
 * The exposure of keys over all nodes: one document per limit of a key, replaced by compare-and-set on its version.
 *
 * @param database stays open when this is closed
 */
export function openExposureStore({ db, reading }: Database): ExposureStore {
  const documents = db.collection<ExposureDocument>(EXPOSURE, reading);
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the exposure store is closed');
  };
  return {
    async read(counter) {
      assertOpen();
      const stored = await documents.findOne({ _id: counter });
      if (stored === null) return { entries: [], version: null };
      return { entries: stored.entries, version: stored.version.toHexString() };
    },
    async replace(counter, before, entries) {
      assertOpen();
      const version = new ObjectId();
      if (before !== null) {
        const filter = { _id: counter, version: ObjectId.createFromHexString(before) };
        const { matchedCount } = await documents.updateOne(filter, { $set: { version, entries } });
        return matchedCount === 0 ? null : version.toHexString();
      }
      try {
        await documents.insertOne({ _id: counter, version, entries });
        return version.toHexString();
      } catch (fault) {
        if (isDuplicate(fault)) return null;
        throw fault;
      }
    },
    async close() {
      open = false;
    },
  };
}
