import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import { type Checkpoint, CheckpointNotInLog, type EventFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { buildsOf, pointerName } from './builds.ts';

type Context = {
  readonly store: Pick<EventFeed, 'check'>;
  readonly readModels: ReadModelStore;
  readonly log: Log;
};

/**
 * The position after which to read the log for a collection: its checkpoint, or the start of the log if it has none. An
 * earlier version could store a checkpoint that is not a position; it counts as none.
 * @throws CheckpointNotInLog
 */
export async function resumeAt(collection: string, context: Context): Promise<Position> {
  const { readModels, log } = context;
  const checkpoint = await checkpointOf(collection, readModels);
  if (checkpoint === null) return START;
  if ((await check(collection, checkpoint, context)) === 'in-log') return checkpoint.position;
  log.warn('checkpoint is not a position: reading the log from its start', {
    collection,
    checkpoint: readModels.positions.format(checkpoint.position),
  });
  return START;
}

/**
 * Like `resumeAt`, for the writer of a collection. If the result is the start of the log, it first empties the
 * collection and creates its indexes again.
 * @throws CheckpointNotInLog
 */
export async function resumeFolding(
  { indexes }: Pick<Projection<object>, 'indexes'>,
  collection: string,
  context: Context,
): Promise<Position> {
  const { readModels } = context;
  const after = await resumeAt(collection, context);
  if (after !== START) return after;
  if ((await readModels.checkpoint(collection)) !== null) await readModels.drop(collection);
  await readModels.ensure(collection, indexes);
  return START;
}

/**
 * Checks that the checkpoint of every serving read model belongs to this log.
 * @throws CheckpointNotInLog for the first one that does not
 */
export async function assertInLog(projections: readonly Projection<object>[], context: Context): Promise<void> {
  for (const projection of projections) {
    const collection = await context.readModels.pointer(pointerName(projection));
    const checkpoint = collection === null ? null : await checkpointOf(collection, context.readModels);
    if (collection !== null && checkpoint !== null) await check(collection, checkpoint, context);
  }
}

/**
 * Drops every build of these projections. The next node that opens a projection folds it from the start of the log.
 * @returns the names of the collections
 */
export async function discard(
  projections: readonly Projection<object>[],
  readModels: ReadModelStore,
): Promise<readonly string[]> {
  const builds = (
    await Promise.all(projections.map((projection) => buildsOf(pointerName(projection), readModels)))
  ).flat();
  for (const build of builds) await readModels.drop(build);
  return builds;
}

async function checkpointOf(collection: string, readModels: ReadModelStore): Promise<Checkpoint | null> {
  const position = await readModels.checkpoint(collection);
  if (position === null) return null;
  const lastEvent = (await readModels.lastEvents([collection])).get(collection) ?? null;
  return { position, lastEvent };
}

/** @throws CheckpointNotInLog */
async function check(
  collection: string,
  checkpoint: Checkpoint,
  { store }: Context,
): Promise<'in-log' | 'no-position'> {
  const found = await store.check(checkpoint);
  if (found.kind === 'in-log' || found.kind === 'no-position') return found.kind;
  throw new CheckpointNotInLog(
    `read model ${collection} is not of this log: ${found.reason}. If this log is the right one, run: waymark rebuild all`,
  );
}
