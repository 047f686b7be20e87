import { type PositionForm, type Recorded, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import type { DocumentWrite, ReadModelStore, StoredDocument } from '../ports/read-model-store.ts';
import { folded } from './parking.ts';

/** Attempts to write a batch while other writers change its documents. More conflicts than that are a bug. */
const ROUNDS = 8;
/** Documents that are loaded at a time. With ids of 100 bytes, the query for them has 1 MB; MongoDB's limit is 16 MB. */
const MAX_DOCUMENTS = 10_000;

/**
 * Folds a batch of the log into a collection: loads the documents that it touches, folds, writes each document under its
 * position guard, then writes the checkpoint. The same batch applied again, or by two nodes at once, changes nothing. A
 * batch that touches more than MAX_DOCUMENTS is applied in two parts.
 *
 * @returns the number of documents written
 * @throws FoldFault
 */
export async function applyBatch(
  projection: Projection<object>,
  collection: string,
  readModels: ReadModelStore,
  { events, after, upTo }: Omit<ReaderBatch, 'caughtUp'>,
): Promise<number> {
  const touched = folded(() => touchedBy(projection, events));
  const half = Math.floor(events.length / 2);
  const middle = events[half - 1]?.position;
  if (touched.size > MAX_DOCUMENTS && middle !== undefined) {
    const [first, second] = [events.slice(0, half), events.slice(half)];
    const written = await applyBatch(projection, collection, readModels, { events: first, after, upTo: middle });
    return written + (await applyBatch(projection, collection, readModels, { events: second, after: middle, upTo }));
  }
  const last = events.at(-1);
  const lastEvent = last === undefined ? null : { id: last.id, position: last.position };
  for (let round = 0; round < ROUNDS; round++) {
    const loaded =
      touched.size === 0 ? new Map<string, StoredDocument>() : await readModels.load(collection, [...touched.keys()]);
    const writes = folded(() => foldTouched(projection, touched, loaded, readModels.positions));
    const { missed } = await readModels.commit(collection, writes, upTo, { after, lastEvent });
    if (missed.length === 0) return writes.length;
  }
  throw new Error(`${collection}: documents changed under ${ROUNDS} attempts to write them`);
}

/** The documents that the events change, each with the position at which it was loaded. */
export function foldBatch(
  projection: Projection<object>,
  events: readonly Recorded[],
  loaded: ReadonlyMap<string, StoredDocument>,
  positions: PositionForm,
): DocumentWrite[] {
  return folded(() => foldTouched(projection, touchedBy(projection, events), loaded, positions));
}

/** The events of a batch by document id, in log order. */
type Touched = ReadonlyMap<string, readonly Recorded[]>;

function touchedBy(projection: Projection<object>, events: readonly Recorded[]): Touched {
  const touched = new Map<string, Recorded[]>();
  for (const event of events) {
    for (const id of projection.idsOf(event)) {
      const earlier = touched.get(id);
      if (earlier === undefined) touched.set(id, [event]);
      // `idsOf` may name a document twice.
      else if (earlier.at(-1) !== event) earlier.push(event);
    }
  }
  return touched;
}

function foldTouched(
  projection: Projection<object>,
  touched: Touched,
  loaded: ReadonlyMap<string, StoredDocument>,
  positions: PositionForm,
): DocumentWrite[] {
  const writes: DocumentWrite[] = [];
  for (const [id, all] of touched) {
    const before = loaded.get(id);
    const position = before?.position ?? START;
    const news = all.filter((event) => event.position > position);
    const last = news.at(-1);
    if (last === undefined) continue;
    const doc = evolveDocument(projection, before, news, id, positions);
    writes.push({ id, doc, position: last.position, loaded: before?.position ?? null });
  }
  return writes;
}

function evolveDocument(
  projection: Projection<object>,
  before: StoredDocument | undefined,
  events: readonly Recorded[],
  id: string,
  { format }: PositionForm,
): object | null {
  let doc = before?.doc ?? null;
  if (projection.evolveAll !== undefined) return projection.evolveAll(doc, events, id);
  const stays = projection.deletesForEver === true;
  let deleted = stays && before?.doc === null;
  for (const event of events) {
    if (deleted) return null;
    doc = projection.evolve(doc, event, id, format);
    deleted = stays && doc === null;
  }
  return doc;
}
