import type { Position } from '../../eventsourcing/message.ts';
import { CHECKPOINTS, POINTERS } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

/** How far each collection has got, and which collection serves. */
export type Marks = {
  checkpoint(collection: string): Promise<Position | null>;
  /** Never back. False where one that was known here is gone, and with it the collection: nothing is marked then. */
  advance(collection: string, upTo: Position): Promise<boolean>;
  forget(collection: string): Promise<void>;
  pointer(name: string): Promise<string | null>;
  /** False where the pointer does not hold `from`. */
  movePointer(name: string, from: string | null, to: string): Promise<boolean>;
};

export function openMarks({ db, reading }: Database): Marks {
  const checkpoints = db.collection<{ _id: string; position: Position }>(CHECKPOINTS, reading);
  const pointers = db.collection<{ _id: string; target: string }>(POINTERS, reading);

  /** Collections whose checkpoint was seen or stored here. */
  const known = new Set<string>();

  return {
    async checkpoint(collection) {
      const position = (await checkpoints.findOne({ _id: collection }))?.position ?? null;
      if (position === null) known.delete(collection);
      else known.add(collection);
      return position;
    },
    async advance(collection, upTo) {
      const upsert = !known.has(collection);
      const forward = () => checkpoints.updateOne({ _id: collection }, { $max: { position: upTo } }, { upsert });
      try {
        const { matchedCount } = await forward();
        if (!upsert && matchedCount === 0) return false;
      } catch (fault) {
        // Another writer stored the first one in between: now there is one to be moved.
        if (!isRefusal(fault, 'DuplicateKey')) throw fault;
        await forward();
      }
      known.add(collection);
      return true;
    },
    async forget(collection) {
      known.delete(collection);
      await checkpoints.deleteOne({ _id: collection });
    },
    async pointer(name) {
      return (await pointers.findOne({ _id: name }))?.target ?? null;
    },
    async movePointer(name, from, to) {
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
