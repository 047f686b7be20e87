import { PROJECTIONS } from '../../projections/index.ts';
import type { Streams } from '../application/streams.ts';
import { type RebuildCommand, type Rebuilds, rebuildCodec, rebuildsOf } from '../domain/rebuild/rebuild.ts';
import { type Position, START, streamId } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { Operations, ProjectionStatus } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { newestBuild, pointerName } from '../runtime/builds.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import type { OnFatal } from '../runtime/lease.ts';
import type { Parking } from '../runtime/parking.ts';
import { Progress } from '../runtime/progress.ts';
import { logRebuild, openProjector, type Projector, rebuildOutcomeOf } from '../runtime/projector.ts';
import { type Running, runLoop } from '../runtime/running.ts';
import type { Seen, StoredProgress } from '../runtime/stored-progress.ts';
import type { Projections } from './engines.ts';

const DECISION_MS = 10_000;
/** Interval at which a projector looks for a moved pointer. The log tells it of requested rebuilds. */
const LOOK_MS = 10_000;
const RETRY_MS = 1_000;
/** How long the pointers of all projections are cached. A replaced build is dropped 10 s later. */
const POINTER_GOOD_MS = 3_000;

type Context = {
  readonly store: DecodedEventStore;
  readonly readModels: ReadModelStore;
  readonly progress: StoredProgress;
  readonly streams: Streams;
  readonly clock: Clock;
};

type Requesting = Context & { readonly ids: Ids };
type Projecting = Context & { readonly parking: Parking; readonly log: Log };

/** Access to the projections, on whichever node each of them runs. */
export function followProjections(context: Requesting): Projections {
  const { progress } = context;
  return {
    collection: (name) => progress.collection(name),
    waitFor: (name, position, timeoutMs) => progress.waitFor(name, position, timeoutMs),
    filling: () => progress.filling(),
    operations: operationsOf(context),
    stop: () => progress.stop(),
  };
}

/** Runs each projection, in the version of this release, on one of the nodes that call this. */
export async function runLeasedProjections(
  runAsLeader: LeaderElection['runAsLeader'],
  context: Projecting,
): Promise<Running> {
  const rebuilds = followRebuilds(await context.store.head(), context);
  const running = await Promise.all(
    PROJECTIONS.map((projection) =>
      runAsLeader(`projection-${pointerName(projection)}`, (onFatal) =>
        project(projection, { ...context, rebuilds }, onFatal),
      ),
    ),
  );
  return {
    async stop() {
      await Promise.all([...running.map((projector) => projector.stop()), rebuilds.stop()]);
    },
  };
}

type RebuildEvents = Running & {
  /** Calls back at each event of a version's rebuilds, whichever node appends it. Returns a function that ends this. */
  listen(rebuilds: string, listener: () => void): () => void;
};

function followRebuilds(after: Position, { store, log }: Pick<Projecting, 'store' | 'log'>): RebuildEvents {
  const listeners = new Map<string, () => void>();
  const following = runLoop(async (signal) => {
    const reading = {
      reader: 'rebuild requests',
      categories: [rebuildCodec.category],
      progress: new Progress(after),
      apply({ events }: ReaderBatch) {
        for (const { stream } of events) listeners.get(streamId(stream))?.();
      },
    };
    // The follower has noted an event of a newer release: the readiness check names it.
    await store.follower.follow({ ...reading, log, signal }).catch(() => undefined);
  });
  return {
    listen(rebuilds, listener) {
      listeners.set(rebuilds, listener);
      return () => {
        if (listeners.get(rebuilds) === listener) listeners.delete(rebuilds);
      };
    },
    stop: () => following.stop(),
  };
}

/** A rebuild is requested in the log. The node that runs the projection does it. */
function operationsOf(context: Requesting): Operations {
  return {
    async status() {
      const [seen, head] = [await context.progress.look(), await context.store.head()];
      return Promise.all(PROJECTIONS.map((projection) => statusOf(projection, seen(projection.name), head, context)));
    },
    async rebuild(name) {
      const projection = PROJECTIONS.find((known) => known.name === name);
      if (projection === undefined) return { kind: 'unknown', known: PROJECTIONS.map((known) => known.name) };
      const at = new Date(context.clock.nowMs()).toISOString();
      const command = { type: 'RequestRebuild', rebuild: context.ids.uuid(), at } as const;
      const reply = await record(command, 'admin', projection, context);
      if (reply.kind !== 'accepted')
        throw new StoreUnavailable('event store', `the rebuild was not recorded: ${reply.kind}`);
      return { kind: reply.events.length > 0 ? 'started' : 'running' };
    },
  };
}

async function statusOf(
  projection: Projection<object>,
  { collection, position }: Seen,
  head: Position,
  context: Requesting,
): Promise<ProjectionStatus> {
  const { name, version } = projection;
  const { readModels } = context;
  const { open, last } = await rebuildsNow(projection, context);
  let rebuild: ProjectionStatus['rebuild'] = null;
  if (open !== null) {
    const newest = await newestBuild(projection, readModels);
    const reached = newest === null || newest === collection ? null : await readModels.checkpoint(newest);
    // Only the node that rebuilds counts the events.
    rebuild = { events: null, position: reached ?? START, head };
  }
  return { name, version, collection, position, head, caughtUp: position === head, rebuild, lastRebuild: last };
}

/** Runs one projection and its requested rebuilds. A rebuild that a node did not finish is resumed by the next. */
async function project(
  projection: Projection<object>,
  context: Projecting & { readonly rebuilds: RebuildEvents },
  onFatal: OnFatal,
): Promise<Running> {
  const { store, readModels, progress, parking, clock, log, rebuilds } = context;
  let leave = (): void => {};
  const open = async (): Promise<Projector> => {
    const opened = await openProjector([projection], { store, readModels, parking, log, onFatal, watched: true });
    leave = progress.runsHere(projection.name, opened);
    return opened;
  };
  let projector = await open();
  const stop = (): Promise<void> => {
    leave();
    return projector.stop();
  };
  /** A node that did not know yet that it had lost the lease may have finished a rebuild. */
  const keepToPointer = async (stopping: AbortSignal): Promise<void> => {
    const [name, serving] = [projection.name, projector.collection(projection.name)];
    if ((await progress.pointer(name, POINTER_GOOD_MS)) === serving) return;
    // The cached one may be older than a rebuild that has just ended here.
    if ((await progress.pointer(name, 0)) === serving || stopping.aborted) return;
    await stop();
    projector = await open();
    // A stop meanwhile has stopped the other one only.
    if (stopping.aborted) await stop();
  };
  let [requested, wake] = [true, new AbortController()];
  const unlisten = rebuilds.listen(rebuildsOf(projection.name, projection.version), () => {
    requested = true;
    wake.abort();
  });
  const looking = runLoop(async (stopping) => {
    while (!stopping.aborted) {
      wake = new AbortController();
      let restMs = LOOK_MS;
      try {
        await keepToPointer(stopping);
        if (requested) {
          requested = false;
          await rebuildIfRequested(projection, projector, context, stopping);
        }
      } catch (fault) {
        [requested, restMs] = [true, RETRY_MS];
        // An engine that does not answer is logged once by its health check, not for each projection.
        if (!(fault instanceof StoreUnavailable))
          log.error('requested rebuilds not read', { projection: projection.name, retryMs: restMs, fault });
      }
      await clock.until(clock.nowMs() + restMs, AbortSignal.any([stopping, wake.signal]));
    }
  });
  return {
    async stop() {
      unlisten();
      const looked = looking.stop();
      await stop();
      await looked;
    },
  };
}

async function rebuildIfRequested(
  projection: Projection<object>,
  projector: Projector,
  context: Projecting,
  stopping: AbortSignal,
): Promise<void> {
  const { open: rebuild } = await rebuildsNow(projection, context);
  if (rebuild === null) return;
  const outcome = await rebuildOutcomeOf(projector.rebuild(projection.name, { request: rebuild }));
  // Interrupted by the stop: the next node resumes it.
  if (stopping.aborted && outcome.kind === 'failed') return;
  logRebuild(context.log, projection.name, outcome);
  const at = new Date(context.clock.nowMs()).toISOString();
  const reply = await record({ type: 'EndRebuild', rebuild, outcome, at }, 'projector', projection, context);
  if (reply.kind !== 'accepted') throw new Error(`the end of a rebuild was not recorded: ${reply.kind}`);
}

/** @throws StoreUnavailable if the stream cannot be read */
async function rebuildsNow({ name, version }: Projection<object>, { streams, clock }: Context): Promise<Rebuilds> {
  const reply = await streams.rebuilds.read(rebuildsOf(name, version), clock.nowMs() + DECISION_MS);
  if (reply.kind === 'state') return reply.state;
  throw new StoreUnavailable('event store', `the rebuilds were not read: ${reply.kind}`);
}

function record(
  command: RebuildCommand,
  by: string,
  { name, version }: Projection<object>,
  { streams, clock }: Context,
): ReturnType<Streams['rebuilds']['handle']> {
  const cause = { correlationId: command.rebuild, causationId: null, by, at: command.at };
  return streams.rebuilds.handle(rebuildsOf(name, version), command, cause, clock.nowMs() + DECISION_MS);
}
