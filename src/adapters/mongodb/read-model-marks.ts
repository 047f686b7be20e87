import { type Position, START } from '../../eventsourcing/message.ts';
import { CHECKPOINTS, POINTERS } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

/** How far each collection has got, and which collection serves. */
export type Marks = {
  checkpoint(collection: string): Promise<Position | null>;
  /**
   * Marks a collection as begun, before anything is written to it: who loses it and begins anew takes the mark away, so that
   * what was written before is not taken for all there is.
   */
  begin(collection: string): Promise<void>;
  /**
   * Never back. False where one that was known here is gone, or is before what was known of it: the collection was lost, and
   * in the second case another node has begun to fill it again. Nothing is marked then.
   */
  advance(collection: string, upTo: Position): Promise<boolean>;
  forget(collection: string): Promise<void>;
  pointer(name: string): Promise<string | null>;
  /** False where the pointer does not hold `from`. */
  movePointer(name: string, from: string | null, to: string): Promise<boolean>;
};

export function openMarks({ db, reading }: Database): Marks {
  const checkpoints = db.collection<{ _id: string; position: Position }>(CHECKPOINTS, reading);
  const pointers = db.collection<{ _id: string; target: string }>(POINTERS, reading);

  /**
   * How far each collection was when it was first seen, or last stored, here. That somebody reads that one is gone changes
   * nothing of it: who writes to the collection has to learn that by writing.
   */
  const known = new Map<string, Position>();

  async function read(collection: string): Promise<Position | null> {
    return (await checkpoints.findOne({ _id: collection }))?.position ?? null;
  }

  return {
    async checkpoint(collection) {
      const position = await read(collection);
      if (position !== null && !known.has(collection)) known.set(collection, position);
      return position === START ? null : position;
    },
    async begin(collection) {
      if (known.has(collection)) return;
      try {
        await checkpoints.updateOne({ _id: collection }, { $setOnInsert: { position: START } }, { upsert: true });
      } catch (fault) {
        // Another writer has begun in between.
        if (!isRefusal(fault, 'DuplicateKey')) throw fault;
      }
      known.set(collection, (await read(collection)) ?? START);
    },
    async advance(collection, upTo) {
      const before = known.get(collection) ?? START;
      const standing = { _id: collection, position: { $gte: before } };
      const { matchedCount } = await checkpoints.updateOne(standing, { $max: { position: upTo } });
      if (matchedCount === 1) known.set(collection, upTo > before ? upTo : before);
      return matchedCount === 1;
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
