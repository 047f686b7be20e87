import { newestBuild } from '../../projections/builds.ts';
import { PROJECTIONS } from '../../projections/index.ts';
import { openStoredProgress, type StoredProgress } from '../../projections/stored-progress.ts';
import type { Streams } from '../application/streams.ts';
import { rebuildsOf } from '../domain/rebuild/rebuild.ts';
import { START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { HttpContext, ProjectionStatus } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { Projections } from './projections.ts';

const DECISION_MS = 10_000;

type Context = {
  readonly store: EventStore;
  readonly readModels: ReadModelStore;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Follows the projections that other nodes run, or this one beside its other roles: the stores say all that is needed. */
export async function followProjections(context: Context): Promise<Projections> {
  const progress = await openStoredProgress(PROJECTIONS, context);
  return {
    collection: (name) => progress.collection(name),
    waitFor: (name, position, timeoutMs) => progress.waitFor(name, position, timeoutMs),
    caughtUpOnce: () => progress.caughtUpOnce(),
    operations: operationsElsewhere(progress, context),
    stop: () => progress.stop(),
  };
}

/** A rebuild is asked for in the log, and begun by the node that runs the projection. */
function operationsElsewhere(progress: StoredProgress, context: Context): HttpContext['operations'] {
  return {
    status: () => Promise.all(PROJECTIONS.map((projection) => statusOf(projection, progress, context))),
    async rebuild(name) {
      const projection = PROJECTIONS.find((known) => known.name === name);
      if (projection === undefined) return { kind: 'unknown', known: PROJECTIONS.map((known) => known.name) };
      const { streams, clock, ids } = context;
      const nowMs = clock.nowMs();
      const at = new Date(nowMs).toISOString();
      const command = { type: 'RequestRebuild', rebuild: ids.uuid(), at } as const;
      const cause = { correlationId: command.rebuild, causationId: null, by: 'admin', at };
      const id = rebuildsOf(name, projection.version);
      const reply = await streams.rebuilds.handle(id, command, cause, nowMs + DECISION_MS);
      if (reply.kind !== 'accepted')
        throw new StoreUnavailable('event store', `the rebuild was not noted: ${reply.kind}`);
      return { kind: reply.events.length > 0 ? 'started' : 'running' };
    },
  };
}

async function statusOf(
  projection: Projection<object>,
  progress: StoredProgress,
  { store, readModels, streams, clock }: Context,
): Promise<ProjectionStatus> {
  const { name, version } = projection;
  const [{ collection, position }, head] = [await progress.look(name), await store.head()];
  const known = await streams.rebuilds.read(rebuildsOf(name, version), clock.nowMs() + DECISION_MS);
  if (known.kind !== 'state') throw new StoreUnavailable('event store', `the rebuilds were not read: ${known.kind}`);
  const { open, last } = known.state;
  let rebuild: ProjectionStatus['rebuild'] = null;
  if (open !== null) {
    const newest = await newestBuild(projection, readModels);
    const reached = newest === null || newest === collection ? null : await readModels.checkpoint(newest);
    // How many events that were, only the node knows that counts them.
    rebuild = { events: null, position: reached ?? START, head };
  }
  return { name, version, collection, position, head, caughtUp: position >= head, rebuild, lastRebuild: last };
}
