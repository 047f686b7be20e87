import { UnknownEvent } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection, RebuildOutcome } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { openRebuild, servingCollection, staleBuilds } from './builds.ts';
import { resumeFolding } from './checkpoints.ts';
import { type Parking, readerOf } from './parking.ts';
import { fillingText, Progress } from './progress.ts';
import { type RebuildProgress, type RebuildReport, rebuild } from './rebuild.ts';
import { runProjection } from './run-projection.ts';

export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  /** The collection that queries read. */
  readonly collection: string;
  readonly position: Position;
  /** The position of the log's last event. */
  readonly head: Position;
  readonly caughtUp: boolean;
  readonly rebuild: RebuildProgress | null;
  readonly lastRebuild: RebuildOutcome | null;
};

export type RunningProjection = Omit<ProjectionStatus, 'head' | 'caughtUp'>;

export type Projector = {
  /** The collection that queries of a projection read. */
  collection(name: string): string;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** The same, without the end of the log. */
  running(): readonly RunningProjection[];
  /** True once every projection has applied what the log held at the opening of the projector. */
  caughtUpOnce(): boolean;
  /** How far they are until then (see `fillingText`); null from then on. */
  filling(): string | null;
  /** Null for an unknown projection. */
  rebuilding(name: string): boolean | null;
  /** Resumes an interrupted rebuild for the same request. @throws UnknownProjection, RebuildRunning */
  rebuild(name: string, options?: RebuildOptions): Promise<RebuildReport>;
  /** Resumes what a stop or crash of this process has interrupted, and logs the outcomes. */
  resumeRebuilds(): Promise<void>;
  stop(): Promise<void>;
};

export type RebuildOptions = {
  /** Names the request in stores that several nodes share. */
  readonly request?: string;
  readonly progress?: (progress: RebuildProgress) => void;
};

/** The request of a process that shares its stores with no other. */
const LOCAL = 'local';

export class UnknownProjection extends Error {
  constructor(name: string, known: readonly string[]) {
    super(`there is no projection "${name}"; there are: ${known.join(', ')}`);
    this.name = 'UnknownProjection';
  }
}

export class RebuildRunning extends Error {
  constructor(name: string) {
    super(`a rebuild of "${name}" is running already`);
    this.name = 'RebuildRunning';
  }
}

/** The outcome as an operator sees it. A fault is an outcome too. */
export async function rebuildOutcomeOf(rebuilding: Promise<RebuildReport>): Promise<RebuildOutcome> {
  try {
    const { to, events, differences } = await rebuilding;
    return { kind: 'rebuilt', collection: to, events, differences: differences.length };
  } catch (fault) {
    return { kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) };
  }
}

export function logRebuild(log: Log, projection: string, outcome: RebuildOutcome): void {
  if (outcome.kind === 'rebuilt') log.info('projection rebuilt', { projection, ...outcome });
  else log.error('rebuild failed', { projection, ...outcome });
}

/** A query that reads the old build has ended after this time, on other nodes too. */
const DROP_GRACE_MS = 10_000;

type Context = {
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly parking?: Parking | undefined;
  /** Whether other nodes read the checkpoints to wait for a position. */
  readonly watched?: boolean;
  /** Called when a projection has applied events, or its rebuild has advanced. */
  readonly changed?: () => void;
  /** Called when a projection has stopped before an event that this release cannot decode. */
  readonly onFatal?: (fault: UnknownEvent) => void;
};

type Opened = {
  readonly projection: Projection<object>;
  readonly collection: string;
  readonly position: Position;
};

/** Runs projections in this thread. A rebuild of one stops neither the others nor its old build. */
export async function openProjector(projections: readonly Projection<object>[], context: Context): Promise<Projector> {
  const opened: Opened[] = [];
  for (const projection of projections) {
    const stale = await staleBuilds(projection, context.readModels);
    const collection = await servingCollection(projection, context.readModels);
    const position = await resumeFolding(projection, collection, context);
    opened.push({ projection, collection, position });
    if (context.watched === true) dropLater(projection, stale, context);
    else for (const build of stale) await context.readModels.drop(build);
  }
  // At the same time, so that those that are behind read the log together.
  const running = new Map(opened.map((one) => [one.projection.name, new FollowedProjection(one, context)]));
  const known = (name: string): FollowedProjection => {
    const found = running.get(name);
    if (found === undefined) throw new UnknownProjection(name, [...running.keys()]);
    return found;
  };
  const target = await context.store.head();
  const statuses = () => [...running.values()].map(({ status }) => status);
  return {
    running: statuses,
    caughtUpOnce: () => [...running.values()].every(({ progress }) => progress.position >= target),
    filling: () => fillingText(statuses(), target),
    collection: (name) => known(name).collection,
    waitFor: (name, position, timeoutMs) => known(name).progress.reached(position, timeoutMs),
    async status() {
      // The head is read after the positions, so that none of them is beyond it.
      const present = statuses();
      const head = await context.store.head();
      return present.map((status) => ({ ...status, head, caughtUp: status.position === head }));
    },
    rebuilding: (name) => running.get(name)?.rebuilding ?? null,
    rebuild: (name, options) => known(name).rebuild(options),
    async resumeRebuilds() {
      for (const projection of projections) {
        if ((await openRebuild(projection, context.readModels))?.request !== LOCAL) continue;
        const { name } = projection;
        void rebuildOutcomeOf(known(name).rebuild()).then((outcome) => logRebuild(context.log, name, outcome));
      }
    },
    async stop() {
      await Promise.all([...running.values()].map((projection) => projection.stop()));
    },
  };
}

/** Builds that a process does not drop before its end are dropped by the next one that opens the projection. */
function dropLater(projection: Projection<object>, builds: readonly string[], { readModels, log }: Context): void {
  const drop = async (): Promise<void> => {
    try {
      const stale = await staleBuilds(projection, readModels);
      for (const build of builds) if (stale.includes(build)) await readModels.drop(build);
    } catch (fault) {
      log.warn('old builds not dropped', { builds, fault });
    }
  };
  if (builds.length > 0) setTimeout(() => void drop(), DROP_GRACE_MS).unref();
}

class FollowedProjection {
  collection: string;
  readonly #projection: Projection<object>;
  readonly #context: Context;
  readonly progress: Progress;
  #stopRun = new AbortController();
  #run: Promise<void>;
  #rebuild: RebuildProgress | null = null;
  #lastRebuild: RebuildOutcome | null = null;
  readonly #stopRebuild = new AbortController();
  #rebuilding: Promise<unknown> = Promise.resolve();

  constructor({ projection, collection, position }: Opened, context: Context) {
    this.#projection = projection;
    this.collection = collection;
    this.progress = new Progress(position);
    this.#context = context;
    this.#run = this.#start();
  }

  get rebuilding(): boolean {
    return this.#rebuild !== null;
  }

  get status(): RunningProjection {
    const { name, version } = this.#projection;
    const { position } = this.progress;
    return {
      name,
      version,
      collection: this.collection,
      position,
      rebuild: this.#rebuild,
      lastRebuild: this.#lastRebuild,
    };
  }

  async rebuild({ request = LOCAL, progress = () => {} }: RebuildOptions = {}): Promise<RebuildReport> {
    if (this.#rebuild !== null) throw new RebuildRunning(this.#projection.name);
    this.#rebuild = { events: 0, position: START, head: START };
    const work = this.#rebuilt({
      ...this.#context,
      request,
      projection: this.#projection,
      serving: this.collection,
      signal: this.#stopRebuild.signal,
      progress: (now) => {
        this.#rebuild = now;
        this.#changed();
        progress(now);
      },
      pauseServing: async () => {
        this.#stopRun.abort();
        await this.#run;
      },
      resumeServing: (collection, position) => {
        this.collection = collection;
        if (position !== null && position > this.progress.position) this.progress.set(position);
        this.#stopRun = new AbortController();
        this.#run = this.#start();
        this.#changed();
      },
    });
    const outcome = rebuildOutcomeOf(work);
    this.#rebuilding = outcome;
    this.#lastRebuild = await outcome;
    this.#rebuild = null;
    this.#changed();
    const report = await work;
    dropLater(this.#projection, [report.from], this.#context);
    return report;
  }

  /** Rebuilds, and records that the new build was folded with the retried items. Those that failed again are parked again. */
  async #rebuilt(work: Omit<Parameters<typeof rebuild>[0], 'mayResume'>): Promise<RebuildReport> {
    const { parking, log } = this.#context;
    const reader = readerOf(this.#projection);
    const items = await parking?.load(reader);
    const retried = [...(items?.values() ?? [])].filter(({ status }) => status === 'retried');
    // An earlier attempt may have passed them before they were retried.
    const report = await rebuild({ ...work, mayResume: retried.length === 0 });
    try {
      for (const { id } of retried) await parking?.resumed(reader, id);
    } catch (fault) {
      log.warn('retried events not recorded: retry them again', { reader, fault });
    }
    return report;
  }

  async stop(): Promise<void> {
    this.#stopRebuild.abort();
    await this.#rebuilding;
    this.#stopRun.abort();
    await this.#run;
  }

  async #start(): Promise<void> {
    try {
      await runProjection({
        ...this.#context,
        projection: this.#projection,
        collection: this.collection,
        signal: this.#stopRun.signal,
        progress: this.progress,
        applied: () => this.#changed(),
      });
    } catch (fault) {
      if (!(fault instanceof UnknownEvent)) throw fault;
      this.#context.onFatal?.(fault);
    }
  }

  #changed(): void {
    this.#context.changed?.();
  }
}
