import { PROJECTIONS } from '../../projections/index.ts';
import { openProjector, outcomeOf, type ProjectionStatus } from '../../projections/projector.ts';
import type { UnreadEvents } from '../application/unread-events.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { showVersions } from './projection-versions.ts';
import type { Advanced, FromThread, ToThread } from './projector-thread.ts';
import type { EmbeddedStores } from './stores.ts';

/** The projections as the rest of the node needs them, wherever they run. */
export type RunningProjections = {
  /** The collection that queries of a projection read now. */
  collection(name: string): string;
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** True once every projection has applied what the log held at the start. */
  caughtUpOnce(): boolean;
  /** False while the disk refuses what they write. */
  storing(): boolean;
  /** Null where there is no projection of that name. */
  rebuilding(name: string): boolean | null;
  rebuild(name: string): Promise<RebuildOutcome>;
  stop(): Promise<void>;
};

/** Runs the projections in this thread. */
export async function projectHere(
  stores: EmbeddedStores,
  { clock, log, graceMs }: { readonly clock: Clock; readonly log: Log; readonly graceMs: number },
): Promise<RunningProjections> {
  const versions = await showVersions({ readModels: stores.readModels, clock, log, graceMs });
  const projector = await openProjector(PROJECTIONS, { ...stores, log });
  return {
    ...projector,
    storing: () => stores.readModels.writable(),
    rebuild: async (name) => outcomeOf(await projector.rebuild(name)),
    async stop() {
      await versions.stop();
      await projector.stop();
    },
  };
}

/**
 * Runs the projections in a thread of their own, with connections of their own to the same files: folding documents, and
 * replaying the whole log in a rebuild, then keeps no request waiting (docs/decisions/0012).
 */
export async function projectInThread(
  stores: EmbeddedStores,
  settings: Pick<Extract<ToThread, { kind: 'open' }>, 'logLevel' | 'graceMs'>,
  unread: Pick<UnreadEvents, 'note'>,
): Promise<RunningProjections> {
  const remote = new Remote(stores, unread);
  await remote.open({ kind: 'open', ...stores.paths, ...settings });
  return remote;
}

class Remote implements RunningProjections {
  readonly #stores: EmbeddedStores;
  readonly #unread: Pick<UnreadEvents, 'note'>;
  readonly #worker = new Worker(new URL('./projector-thread.ts', import.meta.url));
  readonly #known = new Map<string, Advanced>();
  readonly #waiters = new Set<{ readonly name: string; readonly position: Position; readonly resolve: () => void }>();
  readonly #rebuilds = new Map<string, (outcome: RebuildOutcome) => void>();
  #target: Position = START;
  #storing = true;
  #opened = (): void => {};
  #stopped = (): void => {};

  constructor(stores: EmbeddedStores, unread: Pick<UnreadEvents, 'note'>) {
    this.#stores = stores;
    this.#unread = unread;
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => this.#hear(data));
  }

  async open(message: ToThread): Promise<void> {
    this.#target = await this.#stores.store.head();
    const opened = new Promise<void>((resolve, reject) => {
      this.#opened = resolve;
      this.#worker.addEventListener('error', ({ message: text }: ErrorEvent) =>
        reject(new Error(`the projections' thread failed: ${text}`)),
      );
    });
    this.#worker.postMessage(message);
    return opened;
  }

  collection(name: string): string {
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`there is no projection "${name}"`);
    return known.collection;
  }

  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#positionOf(name) >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (passed: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(passed);
      };
      const waiter = { name, position, resolve: () => done(true) };
      const timer = setTimeout(done, timeoutMs, false);
      this.#waiters.add(waiter);
    });
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    const head = await this.#stores.store.head();
    return [...this.#known.values()].map((known) => {
      const asked = this.#rebuilds.has(known.name) ? { events: 0, position: START, head } : null;
      return { ...known, rebuild: known.rebuild ?? asked, head, caughtUp: known.position >= head };
    });
  }

  caughtUpOnce(): boolean {
    return [...this.#known.values()].every(({ position }) => position >= this.#target);
  }

  storing(): boolean {
    return this.#storing;
  }

  rebuilding(name: string): boolean | null {
    const known = this.#known.get(name);
    return known === undefined ? null : known.rebuild !== null || this.#rebuilds.has(name);
  }

  rebuild(name: string): Promise<RebuildOutcome> {
    return new Promise((resolve) => {
      this.#rebuilds.set(name, resolve);
      this.#send({ kind: 'rebuild', name });
    });
  }

  async stop(): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    this.#send({ kind: 'stop' });
    await stopped;
    this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'opened':
        for (const projection of message.projections) {
          // It may have advanced, and said so, since the thread looked.
          if (projection.position >= this.#positionOf(projection.name)) this.#known.set(projection.name, projection);
        }
        return this.#opened();
      case 'advanced':
        this.#known.set(message.projection.name, message.projection);
        for (const waiter of this.#waiters) if (this.#positionOf(waiter.name) >= waiter.position) waiter.resolve();
        return;
      case 'rebuilt':
        this.#rebuilds.get(message.name)?.(message.outcome);
        this.#rebuilds.delete(message.name);
        return;
      case 'unread':
        return this.#unread.note(new UnknownEvent(message.category, message.type));
      case 'storing':
        this.#storing = message.storing;
        return;
      default:
        return this.#stopped();
    }
  }

  #positionOf(name: string): Position {
    return this.#known.get(name)?.position ?? START;
  }
}
