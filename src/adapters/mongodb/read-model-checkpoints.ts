import { type Position, type PositionForm, START, storedPosition } from '../../eventsourcing/message.ts';
import type { EventPlace } from '../../ports/event-store.ts';
import { CHECKPOINTS, POINTERS } from './collection-names.ts';
import type { Database } from './database.ts';
import { gathered } from './gathered.ts';
import { isRefusal } from './server-faults.ts';

/** Shortest time between two commands that store checkpoints, for all collections of this process. */
const STORE_EVERY_MS = 25;

type Advance = {
  readonly collection: string;
  readonly upTo: Position;
  readonly lastEvent: EventPlace | null;
};

type CheckpointDocument = {
  readonly _id: string;
  readonly position: string;
  readonly lastEvent?: { readonly id: string; readonly position: string };
};

/** The checkpoint of each collection, and the pointers to the collections that serve. */
export function openCheckpoints({ db, reading }: Database, positions: PositionForm) {
  const checkpoints = db.collection<CheckpointDocument>(CHECKPOINTS, reading);
  const pointers = db.collection<{ _id: string; target: string }>(POINTERS, reading);

  /**
   * The checkpoints that this process first read, or last stored. A read that finds a checkpoint missing does not
   * remove it here: the writer of the collection must see the loss at its next write.
   */
  const known = new Map<string, Position>();

  async function read(collection: string): Promise<Position | null> {
    const found = await checkpoints.findOne({ _id: collection });
    return found === null ? null : storedPosition(found.position, positions);
  }

  function writeOf({ collection, upTo, lastEvent }: Advance) {
    const { format } = positions;
    const filter = { _id: collection, position: { $gte: format(known.get(collection) ?? START) } };
    const applied =
      lastEvent === null ? {} : { $set: { lastEvent: { id: lastEvent.id, position: format(lastEvent.position) } } };
    return { filter, update: { $max: { position: format(upTo) }, ...applied } };
  }

  async function advanceOne(one: Advance): Promise<boolean> {
    const { filter, update } = writeOf(one);
    return (await checkpoints.updateOne(filter, update)).matchedCount === 1;
  }

  /** Whether each was stored. The server reports only how many were: if some were not, it is asked one by one. */
  async function advanceAll(all: readonly Advance[]): Promise<readonly boolean[]> {
    const writes = all.map((one) => ({ updateOne: writeOf(one) }));
    const { matchedCount } = await checkpoints.bulkWrite(writes);
    if (matchedCount === all.length) return all.map(() => true);
    return Promise.all(all.map(advanceOne));
  }

  const advance = gathered(advanceAll, STORE_EVERY_MS);

  return {
    async checkpoints(collections: readonly string[]): Promise<ReadonlyMap<string, Position>> {
      const found = await checkpoints.find({ _id: { $in: [...collections] } }).toArray();
      const all = found.map(({ _id, position }) => [_id, storedPosition(position, positions)] as const);
      return new Map(all.filter(([, position]) => position !== START));
    },
    async checkpoint(collection: string): Promise<Position | null> {
      const position = await read(collection);
      if (position !== null && !known.has(collection)) known.set(collection, position);
      return position === START ? null : position;
    },
    async lastEvent(collection: string): Promise<EventPlace | null> {
      const last = (await checkpoints.findOne({ _id: collection }))?.lastEvent;
      return last === undefined ? null : { id: last.id, position: storedPosition(last.position, positions) };
    },
    /** Whether the collection has a checkpoint. Without one it was never filled, or its checkpoint was deleted. */
    async exists(collection: string): Promise<boolean> {
      return (await read(collection)) !== null;
    },
    /**
     * Creates the checkpoint before the first write to a collection. A node that drops and refills the collection
     * deletes the checkpoint, so that documents of the earlier fill do not pass as complete.
     */
    async create(collection: string): Promise<void> {
      if (known.has(collection)) return;
      try {
        await checkpoints.updateOne(
          { _id: collection },
          { $setOnInsert: { position: positions.format(START) } },
          { upsert: true },
        );
      } catch (fault) {
        // Another writer created it first.
        if (!isRefusal(fault, 'DuplicateKey')) throw fault;
      }
      known.set(collection, (await read(collection)) ?? START);
    },
    /**
     * Never moves back. Returns false, and stores nothing, if the checkpoint is missing or older than this process knows
     * it: the collection was lost, and if it is older, another node refills it.
     */
    async advance(collection: string, upTo: Position, lastEvent: EventPlace | null): Promise<boolean> {
      const stored = await advance({ collection, upTo, lastEvent });
      const before = known.get(collection) ?? START;
      if (stored) known.set(collection, upTo > before ? upTo : before);
      return stored;
    },
    async forget(collection: string): Promise<void> {
      known.delete(collection);
      await checkpoints.deleteOne({ _id: collection });
    },
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
