import type { Collection } from 'mongodb';
import { type PositionForm, START, storedPosition } from '../../eventsourcing/message.ts';
import type { Find, Page, ReadModelStore, StoredDocument } from '../../ports/read-model-store.ts';
import type { Database } from './database.ts';
import { differingOf } from './differences.ts';
import { restored } from './documents.ts';
import { deleteEnded, type Place, presentOf } from './generations.ts';
import { writeGuarded } from './guarded-writes.ts';
import { openCheckpoints } from './read-model-checkpoints.ts';
import { openPointers } from './read-model-pointers.ts';
import {
  assertMongoName,
  cursorOf,
  indexOf,
  isMongoName,
  type KeptDocument,
  partsOf,
  type WrittenDocument,
} from './read-model-query.ts';
import { isRefusal } from './server-faults.ts';

/** Documents that `scan` reads at a time: with 7 kB each, they fit into one reply of 16 MB. */
const SCAN_DOCUMENTS = 2_000;

/**
 * Read models in MongoDB (docs/decisions/0026): one collection each, with plain documents under `doc` for other tools
 * to read. Any number of nodes may have it open. Needs no transaction, change stream or view. While the server is
 * unavailable, a call waits for server selection and then rejects.
 *
 * @param database stays open when the store is closed
 * @param positions the form in which positions are stored
 */
export function openReadModelStore(database: Database, positions: PositionForm): ReadModelStore {
  const { db, reading } = database;
  const checkpoints = openCheckpoints(database, positions);
  const pointers = openPointers(database);
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the read model store is closed');
  }

  function assertUsable(...names: readonly string[]): void {
    assertOpen();
    for (const name of names) assertMongoName(name);
  }

  function documentsOf(collection: string): Collection<WrittenDocument> {
    assertUsable(collection);
    return db.collection<WrittenDocument>(collection, reading);
  }

  function scan(collection: string): AsyncGenerator<StoredDocument, undefined> {
    return scanOf(() => documentsOf(collection), { checkpoints, collection }, positions);
  }

  function drop(collection: string): Promise<void> {
    return dropDocuments(documentsOf(collection), { checkpoints, collection });
  }

  return {
    positions,
    async ensure(collection, indexes) {
      const documents = documentsOf(collection);
      const wanted = indexes.map(indexOf);
      const isNew = await created(database, collection);
      if (isNew) await checkpoints.forget(collection);
      else if (
        (await checkpoints.read(collection)) === null &&
        (await documents.findOne({}, { projection: { _id: 1 } })) !== null
      ) {
        await drop(collection);
        await created(database, collection);
      }
      // One by one: FerretDB aborts a command that names two existing indexes.
      for (const index of wanted) await documents.createIndexes([index]);
    },
    async load(collection, ids) {
      const documents = documentsOf(collection);
      if (ids.length === 0) return new Map();
      const kept = await documents.find({ _id: { $in: [...ids] } }, { batchSize: ids.length + 1 }).toArray();
      const present = await presentOf(kept, { checkpoints, collection });
      return new Map(present.map((each) => storedOf(each, positions)).map((document) => [document.id, document]));
    },
    async commit(collection, writes, upTo, { after = START, lastEvent = null } = {}) {
      const documents = documentsOf(collection);
      const filled = await checkpoints.filledUpTo(collection, after);
      const missed = await writeGuarded(documents, writes, {
        generation: filled.generation,
        positions,
        bulks: database.bulks,
      });
      if (missed.length === 0) await checkpoints.advance(collection, filled, upTo, lastEvent);
      else await deleteEnded(documents, missed, { checkpoints, collection });
      return { missed };
    },
    async checkpoint(collection) {
      assertUsable(collection);
      return checkpoints.checkpoint(collection);
    },
    async checkpoints(collections) {
      assertUsable(...collections);
      return checkpoints.checkpoints(collections);
    },
    async lastEvents(collections) {
      assertUsable(...collections);
      return checkpoints.lastEvents(collections);
    },
    find: async (collection, query) => pageOf(documentsOf(collection), query),
    scan,
    differing: (left, right) => differingOf(scan(left), scan(right)),
    async collections() {
      assertOpen();
      const listed = await db.listCollections({}, { nameOnly: true }).toArray();
      return listed
        .filter(({ name, type }) => type !== 'view' && isMongoName(name))
        .map(({ name }) => name)
        .sort();
    },
    drop,
    async pointer(name) {
      assertUsable(name);
      return pointers.pointer(name);
    },
    async pointers(names) {
      for (const name of names) assertUsable(name);
      assertOpen();
      return pointers.pointers(names);
    },
    async movePointer(name, from, to) {
      assertUsable(name);
      return pointers.movePointer(name, from, to);
    },
    async close() {
      open = false;
    },
  };
}

async function dropDocuments(
  documents: Collection<WrittenDocument>,
  { checkpoints, collection }: Place,
): Promise<void> {
  // The order matters: documents without a checkpoint are folded again, but a checkpoint without documents would hide
  // their loss. Delete it again afterwards: another node may have created it between the two, and lost its writes.
  await checkpoints.forget(collection);
  try {
    await documents.drop();
  } catch (fault) {
    // MongoDB before 7.0 answers so if the collection does not exist.
    if (!isRefusal(fault, 'NamespaceNotFound')) throw fault;
  }
  await checkpoints.forget(collection);
}

/** Creates the collection; false if it exists. A checkpoint found for a new collection is stale. */
async function created({ db }: Database, collection: string): Promise<boolean> {
  try {
    await db.createCollection(collection);
    return true;
  } catch (fault) {
    if (isRefusal(fault, 'NamespaceExists')) return false;
    throw fault;
  }
}

async function* scanOf(
  documents: () => Collection<WrittenDocument>,
  place: Place,
  positions: PositionForm,
): AsyncGenerator<StoredDocument, undefined> {
  let after: string | null = null;
  do {
    const later = after === null ? {} : { _id: { $gt: after } };
    const kept: WrittenDocument[] = await documents()
      .find(later, { sort: { _id: 1 }, limit: SCAN_DOCUMENTS, batchSize: SCAN_DOCUMENTS + 1 })
      .toArray();
    for (const each of await presentOf(kept, place)) yield storedOf(each, positions);
    const [last] = kept.slice(-1).map(({ _id }) => _id);
    after = kept.length < SCAN_DOCUMENTS ? null : (last ?? null);
  } while (after !== null);
}

async function pageOf(documents: Collection<WrittenDocument>, query: Find): Promise<Page> {
  // One document beyond the page shows whether another page follows.
  const found: KeptDocument[] = [];
  for (const { filter, sort } of partsOf(query)) {
    const limit = query.limit + 1 - found.length;
    if (limit > 0)
      found.push(...(await documents.find<KeptDocument>(filter, { sort, limit, batchSize: limit + 1 }).toArray()));
  }
  const shown = found.slice(0, query.limit);
  const last = found.length > query.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ _id, doc = {} }) => ({ id: _id, doc: restored(doc) })),
    next: last === undefined ? null : cursorOf(last, query.sort),
  };
}

function storedOf({ _id, doc, position }: KeptDocument, positions: PositionForm): StoredDocument {
  return { id: _id, doc: doc === undefined ? null : restored(doc), position: storedPosition(position, positions) };
}
