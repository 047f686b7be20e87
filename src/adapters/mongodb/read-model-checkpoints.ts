import { ObjectId } from 'mongodb';
import { type Position, type PositionForm, START, storedPosition } from '../../eventsourcing/message.ts';
import type { EventPlace } from '../../ports/event-store.ts';
import { lostCollection } from '../../ports/read-model-store.ts';
import { CHECKPOINTS } from './collection-names.ts';
import type { Database } from './database.ts';
import { gathered } from './gathered.ts';
import { isRefusal } from './server-faults.ts';

/** Shortest time between two commands that store checkpoints, for all collections of this process. */
const STORE_EVERY_MS = 25;

type Advance = {
  readonly collection: string;
  readonly filled: Filled;
  readonly upTo: Position;
  readonly lastEvent: EventPlace | null;
};

type CheckpointDocument = {
  readonly _id: string;
  readonly position: string;
  /** Checkpoints of earlier releases have none until they are first read. */
  readonly generation?: ObjectId;
  readonly lastEvent?: { readonly id: string; readonly position: string };
};

/**
 * Of a generation of a collection: its documents hold everything up to a position. A new generation begins when the
 * collection is filled from the start of the log, also after the database was lost. So this stays true.
 */
export type Filled = { readonly generation: ObjectId; readonly upTo: Position };

export type Checkpoints = ReturnType<typeof openCheckpoints>;

/** The checkpoint of each collection. */
export function openCheckpoints({ db, reading }: Database, positions: PositionForm) {
  const checkpoints = db.collection<CheckpointDocument>(CHECKPOINTS, reading);
  const known = new Map<string, Filled>();

  /** Null if the collection was never filled, or its checkpoint was deleted. */
  async function read(collection: string): Promise<Filled | null> {
    const found = await checkpoints.findOne({ _id: collection });
    if (found === null) {
      known.delete(collection);
      return null;
    }
    const { generation, position } = found;
    if (generation === undefined) {
      const without = { _id: collection, generation: { $exists: false } };
      await checkpoints.updateOne(without, { $set: { generation: new ObjectId() } });
      return read(collection);
    }
    const filled = { generation, upTo: storedPosition(position, positions) };
    known.set(collection, filled);
    return filled;
  }

  /** Before the first write to a collection. */
  async function create(collection: string): Promise<void> {
    const first = { position: positions.format(START), generation: new ObjectId() };
    try {
      await checkpoints.updateOne({ _id: collection }, { $setOnInsert: first }, { upsert: true });
    } catch (fault) {
      // Another writer created it first.
      if (!isRefusal(fault, 'DuplicateKey')) throw fault;
    }
  }

  function writeOf({ collection, filled, upTo, lastEvent }: Advance) {
    const { format } = positions;
    const filter = { _id: collection, generation: filled.generation, position: { $gte: format(filled.upTo) } };
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
      const upTo = (await read(collection))?.upTo ?? START;
      return upTo === START ? null : upTo;
    },
    async lastEvents(collections: readonly string[]): Promise<ReadonlyMap<string, EventPlace>> {
      const found = await checkpoints.find({ _id: { $in: [...collections] } }).toArray();
      return new Map(
        found.flatMap(({ _id, lastEvent }) =>
          lastEvent === undefined ? [] : [[_id, placeOf(lastEvent, positions)] as const],
        ),
      );
    },
    read,
    /** As this process knows it: another generation may have begun since. */
    known: (collection: string): Filled | null => known.get(collection) ?? null,
    /**
     * The generation for documents that were folded from everything up to `after`.
     * @throws Error if the collection does not hold that much: it was lost
     */
    async filledUpTo(collection: string, after: Position): Promise<Filled> {
      const before = known.get(collection);
      if (before !== undefined && before.upTo >= after) return before;
      if (after === START) await create(collection);
      const filled = await read(collection);
      if (filled === null || filled.upTo < after) throw lostCollection(collection);
      return filled;
    },
    /**
     * Never moves back.
     * @throws Error if the generation has ended, or its checkpoint is older than this process knows it; then the
     * generation ends, so that the collection is filled again
     */
    async advance(collection: string, filled: Filled, upTo: Position, lastEvent: EventPlace | null): Promise<void> {
      const { generation } = filled;
      if (await advance({ collection, filled, upTo, lastEvent })) {
        if (upTo > filled.upTo) known.set(collection, { generation, upTo });
        return;
      }
      known.delete(collection);
      await checkpoints.deleteOne({ _id: collection, generation });
      throw lostCollection(collection);
    },
    async forget(collection: string): Promise<void> {
      known.delete(collection);
      await checkpoints.deleteOne({ _id: collection });
    },
  };
}

function placeOf({ id, position }: NonNullable<CheckpointDocument['lastEvent']>, positions: PositionForm): EventPlace {
  return { id, position: storedPosition(position, positions) };
}
