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
  const touched = touchedBy(projection, events);
  for (let round = 0; round < ROUNDS; round++) {
    const loaded =
      touched.size === 0 ? new Map<string, StoredDocument>() : await readModels.load(collection, [...touched.keys()]);
    const writes = foldTouched(projection, touched, loaded);
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
  return foldTouched(projection, touchedBy(projection, events), loaded);
}

/** The events of a batch by the ids of the documents that they touch, in the order of the log. */
type Touched = ReadonlyMap<string, readonly Recorded[]>;

function touchedBy(projection: Projection<object>, events: readonly Recorded[]): Touched {
  const touched = new Map<string, Recorded[]>();
  for (const event of events) {
    for (const id of projection.keysOf(event)) {
      const earlier = touched.get(id);
      if (earlier === undefined) touched.set(id, [event]);
      else if (earlier.at(-1) !== event) earlier.push(event);
    }
  }
  return touched;
}

function foldTouched(
  projection: Projection<object>,
  touched: Touched,
  loaded: ReadonlyMap<string, StoredDocument>,
): DocumentWrite[] {
  const writes: DocumentWrite[] = [];
  for (const [id, all] of touched) {
    const before = loaded.get(id);
    const position = before?.position ?? START;
    const news = all.filter((event) => event.position > position);
    const last = news.at(-1);
    if (last === undefined) continue;
    const doc = evolved(projection, before?.doc ?? null, news, id);
    writes.push({ id, doc, position: last.position, loaded: before?.position ?? null });
  }
  return writes;
}

function evolved(
  projection: Projection<object>,
  before: object | null,
  events: readonly Recorded[],
  id: string,
): object | null {
  if (projection.evolveAll !== undefined) return projection.evolveAll(before, events, id);
  return events.reduce((doc, event) => projection.evolve(doc, event, id), before);
}
