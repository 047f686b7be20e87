import { type AnyBulkWriteOperation, BSON, type Collection, ObjectId } from 'mongodb';
import type { PositionForm } from '../../eventsourcing/message.ts';
import type { DocumentWrite } from '../../ports/read-model-store.ts';
import type { Bulks } from './database.ts';
import { storable } from './documents.ts';
import { inCommands } from './gathered.ts';
import { ofGeneration } from './generations.ts';
import type { WrittenDocument } from './read-model-query.ts';
import { onlyDuplicates } from './server-faults.ts';

/** MongoDB's limit for one document, 16 MiB. */
const MOST_BYTES = 16 * 1024 * 1024;

type Writing = { readonly generation: ObjectId; readonly positions: PositionForm; readonly bulks: Bulks };

/**
 * Writes each document whose stored position is still the loaded one, in unordered bulk writes, several at a time. The server returns only
 * the number of writes; if some are missing, reads the whole batch again.
 *
 * @returns the ids that were not written
 * @throws RangeError if a document exceeds 16 MiB; then nothing was written
 */
export async function writeGuarded(
  collection: Collection<WrittenDocument>,
  writes: readonly DocumentWrite[],
  { generation, positions, bulks }: Writing,
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const commit = new ObjectId();
  const operations = writes.map((write) => operationOf(write, { commit, generation }, positions));
  const commands = [...inCommands(operations, bulks.inCommand)];
  const sent = await Promise.allSettled(commands.map((some) => bulks.send(() => writtenBy(collection, some))));
  let count = 0;
  // Only now, when no command is on its way any more, can the caller read the documents again.
  for (const each of sent) {
    if (each.status === 'rejected') throw each.reason;
    count += each.value;
  }
  if (count === writes.length) return [];
  const ids = writes.map(({ id }) => id);
  const written = await collection.find({ _id: { $in: ids }, commit }, { projection: { _id: 1 } }).toArray();
  const ours = new Set(written.map(({ _id }) => _id));
  return ids.filter((id) => !ours.has(id));
}

/** The number of documents written. A duplicate key on insert is an expected conflict, not a fault. */
async function writtenBy(
  collection: Collection<WrittenDocument>,
  operations: AnyBulkWriteOperation<WrittenDocument>[],
): Promise<number> {
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    return insertedCount + matchedCount;
  } catch (fault) {
    if (!onlyDuplicates(fault)) throw fault;
    return fault.insertedCount + fault.matchedCount;
  }
}

function operationOf(
  { id, doc, position: applied, loaded }: DocumentWrite,
  by: { readonly commit: ObjectId; readonly generation: ObjectId },
  { format }: PositionForm,
): AnyBulkWriteOperation<WrittenDocument> {
  const position = format(applied);
  const kept = doc === null ? { position, live: false, ...by } : { position, live: true, ...by, doc: storable(doc) };
  assertFits(id, kept);
  if (loaded === null) return { insertOne: { document: { _id: id, ...kept } } };
  return {
    replaceOne: { filter: { _id: id, position: format(loaded), ...ofGeneration(by.generation) }, replacement: kept },
  };
}

function assertFits(id: string, kept: object): void {
  const bytes = BSON.calculateObjectSize({ _id: id, ...kept });
  if (bytes > MOST_BYTES) {
    throw new RangeError(`the document ${JSON.stringify(id)} has ${bytes} bytes; MongoDB stores ${MOST_BYTES} at most`);
  }
}
