import type { Collection, Filter, ObjectId } from 'mongodb';
import type { Checkpoints, Filled } from './read-model-checkpoints.ts';
import type { WrittenDocument } from './read-model-query.ts';

/** A collection, and the checkpoints that name its present generation. */
export type Place = { readonly checkpoints: Checkpoints; readonly collection: string };

/** Selects the documents of a generation, and those of earlier releases, which have none. */
export function ofGeneration(generation: ObjectId): Filter<WrittenDocument> {
  return { $or: [{ generation }, { generation: { $exists: false } }] };
}

/** Those of the present generation. A writer that does not know of a loss still writes documents of the one before. */
export async function presentOf(
  found: readonly WrittenDocument[],
  { checkpoints, collection }: Place,
): Promise<readonly WrittenDocument[]> {
  if (found.every(isOf(checkpoints.known(collection)))) return found;
  return found.filter(isOf(await checkpoints.read(collection)));
}

/** Deletes those of the documents whose generation has ended, so that they can be inserted. */
export async function deleteEnded(
  documents: Collection<WrittenDocument>,
  ids: readonly string[],
  place: Place,
): Promise<void> {
  const found = await documents.find({ _id: { $in: [...ids] } }, { projection: { generation: 1 } }).toArray();
  // The order matters: a generation that was found before the present one was read, and is another one, has ended.
  const present = new Set(await presentOf(found, place));
  const ended = found.filter((document) => !present.has(document));
  if (ended.length === 0) return;
  const generations = ended.flatMap(({ generation = [] }) => generation);
  await documents.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) }, generation: { $in: generations } });
}

function isOf(filled: Filled | null) {
  return ({ generation }: WrittenDocument): boolean =>
    generation === undefined || (filled !== null && generation.equals(filled.generation));
}
