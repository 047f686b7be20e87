import type { Position } from '../eventsourcing/message.ts';
import { START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import type { ReadModelStore, StoredDocument } from '../ports/read-model-store.ts';
import { foldBatch } from './apply-events.ts';
import { leftOutEvents, type Parking, readerOf } from './parking.ts';
import { Progress } from './progress.ts';

/** Documents that are compared at a time. */
const AT_ONCE = 1_000;

type Comparison = {
  readonly projection: Projection<object>;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly parking?: Parking | undefined;
  readonly signal: AbortSignal;
};

/** The same document of two builds. */
type Pair = { readonly left: StoredDocument | undefined; readonly right: StoredDocument | undefined };

/** A document that one build has folded further than the other. */
type Ahead = { readonly behind: StoredDocument | undefined; readonly ahead: StoredDocument };

/**
 * The ids of documents that differ between two builds, which both follow the log meanwhile. Where one build is ahead of the
 * other, the older document is folded in memory up to the position of the newer one, so neither build has to wait.
 */
export async function differences(left: string, right: string, comparison: Comparison): Promise<readonly string[]> {
  const { readModels, signal } = comparison;
  const differing: string[] = [];
  let ids: string[] = [];
  for await (const id of readModels.differing(left, right)) {
    if (signal.aborted) return differing;
    if (ids.push(id) < AT_ONCE) continue;
    differing.push(...(await stillDiffering(ids, left, right, comparison)));
    ids = [];
  }
  differing.push(...(await stillDiffering(ids, left, right, comparison)));
  return differing;
}

async function stillDiffering(
  ids: readonly string[],
  left: string,
  right: string,
  comparison: Comparison,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { readModels } = comparison;
  // Read before the documents, so that these hold everything up to there.
  const reached = await readModels.checkpoints([left, right]);
  const both = Math.min(reached.get(left) ?? START, reached.get(right) ?? START) as Position;
  const [ours, theirs] = await Promise.all([readModels.load(left, ids), readModels.load(right, ids)]);
  const differing = new Set<string>();
  const apart = new Map<string, Ahead>();
  for (const id of ids) {
    const pair = { left: ours.get(id), right: theirs.get(id) };
    const kind = kindOf(pair, both);
    if (kind === 'differ') differing.add(id);
    if (typeof kind === 'object') apart.set(id, kind);
  }
  const folded = await foldedOn(apart, both, comparison);
  for (const [id, { ahead }] of apart) if (!isEqual(folded.get(id), ahead)) differing.add(id);
  return ids.filter((id) => differing.has(id));
}

/** @param both both builds have applied everything up to here */
function kindOf({ left, right }: Pair, both: Position): 'equal' | 'differ' | Ahead {
  if (isEqual(left, right)) return 'equal';
  const [ofLeft, ofRight] = [left?.position ?? START, right?.position ?? START];
  if (ofLeft === ofRight) return 'differ';
  const [behind, ahead] = ofLeft < ofRight ? [left, right] : [right, left];
  return ahead === undefined || ahead.position <= both ? 'differ' : { behind, ahead };
}

/** Folds the documents that are behind with the events after `after`, each up to the position of the one that is ahead. */
async function foldedOn(
  apart: ReadonlyMap<string, Ahead>,
  after: Position,
  { projection, store, log, parking, signal }: Comparison,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const documents = new Map<string, StoredDocument>();
  for (const [id, { behind }] of apart) if (behind !== undefined) documents.set(id, behind);
  if (apart.size === 0) return documents;
  const until = Math.max(...Array.from(apart.values(), ({ ahead }) => ahead.position)) as Position;
  const compared: Projection<object> = {
    ...projection,
    idsOf: (event) =>
      projection.idsOf(event).filter((id) => event.position <= (apart.get(id)?.ahead.position ?? START)),
  };
  await store.follower.follow({
    reader: `comparison of ${projection.name}`,
    categories: projection.categories,
    progress: new Progress(after),
    apply({ events }: ReaderBatch) {
      for (const { id, doc, position } of foldBatch(compared, events, documents, store.positions))
        documents.set(id, { id, doc, position });
    },
    leftOut: parking && leftOutEvents(readerOf(projection), { parking, positions: store.positions, log }),
    until,
    log,
    signal,
  });
  return documents;
}

/**
 * Deleted documents are equal, whatever their positions: a rebuild does not see the events of an erased stream, which the
 * serving build may have read after the deletion.
 */
function isEqual(left: StoredDocument | undefined, right: StoredDocument | undefined): boolean {
  if ((left?.doc ?? null) === null && (right?.doc ?? null) === null) return true;
  if (left === undefined || right === undefined) return left === right;
  return left.position === right.position && JSON.stringify(left.doc) === JSON.stringify(right.doc);
}
