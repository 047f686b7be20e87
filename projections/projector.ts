import type { RebuildOutcome } from '../src/domain/rebuild/rebuild.ts';
import { UnknownEvent } from '../src/eventsourcing/codec.ts';
import { type Position, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import type { EventFeed } from '../src/ports/event-store.ts';
import type { Log } from '../src/ports/log.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { servingCollection, staleBuilds } from './builds.ts';
import { type RebuildProgress, type RebuildReport, rebuild } from './rebuild.ts';
import { runProjection } from './run.ts';

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

export type Projector = {
  /** The collection that queries of a projection read now. */
  collection(name: string): string;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** True once every projection has applied what the log held when the projector was opened. */
  caughtUpOnce(): boolean;
  /** Null where there is no projection of that name. */
  rebuilding(name: string): boolean | null;
  /** @throws UnknownProjection, RebuildRunning */
  rebuild(name: string, progress?: (progress: RebuildProgress) => void): Promise<RebuildReport>;
  stop(): Promise<void>;
};

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

/** A rebuild in the few words that an operator needs. */
export function outcomeOf({ to, events, differences }: RebuildReport): RebuildOutcome {
  return { kind: 'rebuilt', collection: to, events, differences: differences.length };
}

/** A query that began on the old build has surely ended after so long, on other nodes too. */
const DROP_GRACE_MS = 10_000;

type Context = {
  readonly store: EventFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  /** Whether other nodes wait for what is applied here. */
  readonly watched?: boolean;
  /** Told whenever a projection has advanced, or its rebuild has. */
  readonly changed?: (status: Omit<ProjectionStatus, 'head' | 'caughtUp'>) => void;
  /** Told when a projection stands still for good, since this release cannot read an event. */
  readonly gaveUp?: (fault: UnknownEvent) => void;
};

/** Runs every projection in this process and lets one be rebuilt while the others, and its old build, go on. */
export async function openProjector(projections: readonly Projection<object>[], context: Context): Promise<Projector> {
  const running = new Map<string, Running>();
  for (const projection of projections) {
    const stale = await staleBuilds(projection, context.readModels);
    const collection = await servingCollection(projection, context.readModels);
    const position = (await context.readModels.checkpoint(collection)) ?? START;
    running.set(projection.name, new Running(projection, collection, position, context));
    if (context.watched === true) dropLater(projection, stale, context);
    else for (const build of stale) await context.readModels.drop(build);
  }
  const known = (name: string): Running => {
    const found = running.get(name);
    if (found === undefined) throw new UnknownProjection(name, [...running.keys()]);
    return found;
  };
  const target = await context.store.head();
  return {
    caughtUpOnce: () => [...running.values()].every((projection) => projection.position >= target),
    collection: (name) => known(name).collection,
    waitFor: (name, position, timeoutMs) => known(name).waitFor(position, timeoutMs),
    async status() {
      const head = await context.store.head();
      return [...running.values()].map(({ status }) => ({ ...status, head, caughtUp: status.position >= head }));
    },
    rebuilding: (name) => running.get(name)?.rebuilding ?? null,
    rebuild: (name, progress) => known(name).rebuild(progress),
    async stop() {
      await Promise.all([...running.values()].map((projection) => projection.stop()));
    },
  };
}

/** What a process that ends earlier leaves behind is dropped by the next one that opens the projection. */
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

class Running {
  collection: string;
  readonly #projection: Projection<object>;
  readonly #context: Context;
  readonly #waiters = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  #position: Position;
  #stopRun = new AbortController();
  #run: Promise<void>;
  #rebuild: RebuildProgress | null = null;
  #lastRebuild: RebuildOutcome | null = null;
  readonly #stopRebuild = new AbortController();
  #rebuilding: Promise<unknown> = Promise.resolve();

  constructor(projection: Projection<object>, collection: string, position: Position, context: Context) {
    this.#projection = projection;
    this.collection = collection;
    this.#position = position;
    this.#context = context;
    this.#run = this.#start();
  }

  get position(): Position {
    return this.#position;
  }

  get rebuilding(): boolean {
    return this.#rebuild !== null;
  }

  get status(): Omit<ProjectionStatus, 'head' | 'caughtUp'> {
    const { name, version } = this.#projection;
    const [position, progress] = [this.#position, this.#rebuild];
    return { name, version, collection: this.collection, position, rebuild: progress, lastRebuild: this.#lastRebuild };
  }

  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return true;
    let waiter: { position: Position; resolve: () => void } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<boolean>((resolve) => {
      waiter = { position, resolve: () => resolve(true) };
      this.#waiters.add(waiter);
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    return passed.finally(() => {
      clearTimeout(timer);
      if (waiter !== undefined) this.#waiters.delete(waiter);
    });
  }

  async rebuild(progress: (progress: RebuildProgress) => void = () => {}): Promise<RebuildReport> {
    if (this.#rebuild !== null) throw new RebuildRunning(this.#projection.name);
    this.#rebuild = { events: 0, position: START, head: START };
    const work = rebuild({
      ...this.#context,
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
      advanced: (position) => this.#advance(position),
      resumeServing: (collection) => {
        this.collection = collection;
        this.#stopRun = new AbortController();
        this.#run = this.#start();
        this.#changed();
      },
    });
    this.#rebuilding = work.catch(() => {});
    try {
      const report = await work;
      dropLater(this.#projection, [report.from], this.#context);
      this.#lastRebuild = outcomeOf(report);
      return report;
    } catch (fault) {
      this.#lastRebuild = { kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) };
      throw fault;
    } finally {
      this.#rebuild = null;
      this.#changed();
    }
  }

  async stop(): Promise<void> {
    this.#stopRebuild.abort();
    await this.#rebuilding;
    this.#stopRun.abort();
    await this.#run;
  }

  async #start(): Promise<void> {
    const { log, gaveUp } = this.#context;
    try {
      await runProjection({
        ...this.#context,
        projection: this.#projection,
        collection: this.collection,
        signal: this.#stopRun.signal,
        advanced: (position) => this.#advance(position),
      });
    } catch (fault) {
      if (!(fault instanceof UnknownEvent)) throw fault;
      log.error('projection stands still', { collection: this.collection, after: this.#position, fault });
      gaveUp?.(fault);
    }
  }

  /** Never back: what a checkpoint is behind by, since it is not stored at every batch, are events of others. */
  #advance(position: Position): void {
    if (position > this.#position) this.#position = position;
    for (const waiter of this.#waiters) if (position >= waiter.position) waiter.resolve();
    this.#changed();
  }

  #changed(): void {
    this.#context.changed?.(this.status);
  }
}
