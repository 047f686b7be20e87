import { recorded } from '../src/domain/codecs.ts';
import { type Recorded, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import { categoryOf, type LogBatch } from '../src/ports/event-store.ts';
import type { DocumentWrite, ReadModelStore, StoredDocument } from '../src/ports/read-model-store.ts';

/** Times a batch is folded anew because another writer was there first; then the fault is somewhere else. */
const ROUNDS = 8;

/**
 * Folds a batch of the log into a collection: load the documents it touches, fold, write each under its position guard,
 * then the checkpoint. Applying the same batch again, or from two nodes at once, changes nothing more.
 *
 * @returns the number of documents written
 */
export async function applyBatch(
  projection: Projection<object>,
  collection: string,
  readModels: ReadModelStore,
  batch: Pick<LogBatch, 'events' | 'upTo'>,
): Promise<number> {
  const events = batch.events.filter((event) => projection.categories.includes(categoryOf(event.stream))).map(recorded);
  const keys = new Set(events.flatMap((event) => projection.keysOf(event)));
  for (let round = 0; round < ROUNDS; round++) {
    const loaded = keys.size === 0 ? new Map<string, StoredDocument>() : await readModels.load(collection, [...keys]);
    const writes = foldBatch(projection, events, loaded);
    const { missed } = await readModels.commit(collection, writes, batch.upTo);
    if (missed.length === 0) return writes.length;
  }
  throw new Error(`${collection}: documents changed under ${ROUNDS} attempts to write them`);
}

/** The documents that the events change, each with the position it was loaded at. */
export function foldBatch(
  projection: Projection<object>,
  events: readonly Recorded[],
  loaded: ReadonlyMap<string, StoredDocument>,
): DocumentWrite[] {
  const folded = new Map<string, DocumentWrite>();
  for (const event of events) {
    for (const id of projection.keysOf(event)) {
      const before = folded.get(id) ?? loaded.get(id) ?? { doc: null, position: START };
      if (event.position <= before.position) continue;
      const doc = projection.evolve(before.doc, event, id);
      folded.set(id, { id, doc, position: event.position, loaded: loaded.get(id)?.position ?? null });
    }
  }
  return [...folded.values()];
}
