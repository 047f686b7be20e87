import type { ProjectionStatus } from '../../projections/projector.ts';
import type { UnreadEvents } from '../application/unread-events.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Log } from '../ports/log.ts';
import type { RunningProjections } from './projector.ts';
import type { Advanced, FromThread, ToThread } from './projector-thread.ts';
import type { EmbeddedStores } from './stores.ts';

const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;

type Opening = Extract<ToThread, { kind: 'open' }>;
type Told = { readonly unread: Pick<UnreadEvents, 'note'>; readonly log: Log };

/**
 * Runs the projections in a thread of their own, with connections of their own to the same files: folding documents, and
 * replaying the whole log in a rebuild, then keeps no request waiting (docs/decisions/0012). A thread that dies is
 * replaced by another, with back-off; until that one has caught up, so have the projections not.
 * @throws where the first thread dies before the projections are open
 */
export async function projectInThread(
  stores: Pick<EmbeddedStores, 'store' | 'paths'>,
  settings: Pick<Opening, 'logLevel' | 'graceMs'>,
  told: Told,
): Promise<RunningProjections> {
  const remote = new Remote(stores, { kind: 'open', ...stores.paths, ...settings }, told);
  await remote.open();
  return remote;
}

class Remote implements RunningProjections {
  readonly #stores: Pick<EmbeddedStores, 'store'>;
  readonly #message: Opening;
  readonly #told: Told;
  readonly #opening = Promise.withResolvers<void>();
  readonly #known = new Map<string, Advanced>();
  readonly #waiters = new Set<{ readonly name: string; readonly position: Position; readonly resolve: () => void }>();
  readonly #rebuilds = new Map<string, (outcome: RebuildOutcome) => void>();
  /** Null while a thread was lost and the next is not begun. */
  #worker: Worker | null = null;
  /** What the log held when the thread that runs was begun; null until it has opened the projections. */
  #target: Position | null = null;
  #retryMs = RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #storing = true;
  #stopped: (() => void) | null = null;

  constructor(stores: Pick<EmbeddedStores, 'store'>, message: Opening, told: Told) {
    this.#stores = stores;
    this.#message = message;
    this.#told = told;
  }

  open(): Promise<void> {
    this.#start();
    return this.#opening.promise;
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
    const target = this.#target;
    return target !== null && [...this.#known.values()].every(({ position }) => position >= target);
  }

  storing(): boolean {
    return this.#storing;
  }

  rebuilding(name: string): boolean | null {
    const known = this.#known.get(name);
    return known === undefined ? null : known.rebuild !== null || this.#rebuilds.has(name);
  }

  rebuild(name: string): Promise<RebuildOutcome> {
    const worker = this.#worker;
    if (worker === null) return Promise.resolve(failed('the projections are not running'));
    return new Promise((resolve) => {
      this.#rebuilds.set(name, resolve);
      post(worker, { kind: 'rebuild', name });
    });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    clearTimeout(this.#retry);
    if (worker === null) return;
    post(worker, { kind: 'stop' });
    await stopped;
    this.#lose(worker, 'stopped');
  }

  #start(): void {
    const worker = new Worker(new URL('./projector-thread.ts', import.meta.url));
    worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
      if (this.#worker === worker) this.#hear(data);
    });
    worker.addEventListener('error', ({ message }: ErrorEvent) => this.#lose(worker, message));
    worker.addEventListener('close', () => this.#lose(worker, 'ended'));
    post(worker, this.#message);
    this.#storing = true;
    this.#worker = worker;
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'opened':
        for (const projection of message.projections) this.#note(projection);
        this.#target = message.head;
        return this.#opening.resolve();
      case 'advanced':
        this.#retryMs = RETRY_MS;
        this.#note(message.projection);
        for (const waiter of this.#waiters) if (this.#positionOf(waiter.name) >= waiter.position) waiter.resolve();
        return;
      case 'rebuilt':
        return this.#endRebuild(message.name, message.outcome);
      case 'unread':
        return this.#told.unread.note(new UnknownEvent(message.category, message.type));
      case 'storing':
        this.#storing = message.storing;
        return;
      default:
        return this.#stopped?.();
    }
  }

  /** A thread that is new, or has advanced since it looked, tells older positions than are known. */
  #note(projection: Advanced): void {
    const { name } = projection;
    const before = this.#known.get(name);
    const position = projection.position > this.#positionOf(name) ? projection.position : this.#positionOf(name);
    this.#known.set(name, {
      ...projection,
      position,
      lastRebuild: projection.lastRebuild ?? before?.lastRebuild ?? null,
    });
  }

  #endRebuild(name: string, outcome: RebuildOutcome): void {
    this.#rebuilds.get(name)?.(outcome);
    this.#rebuilds.delete(name);
  }

  /** What was applied stays applied; what this thread had begun is begun anew, or was asked for in vain. */
  #lose(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#target = null;
    worker.terminate();
    const lost = failed('the thread of the projections was lost');
    for (const known of this.#known.values()) {
      if (known.rebuild !== null) this.#known.set(known.name, { ...known, rebuild: null, lastRebuild: lost });
    }
    for (const name of this.#rebuilds.keys()) this.#endRebuild(name, lost);
    if (this.#stopped !== null) return this.#stopped();
    if (this.#known.size === 0) return this.#opening.reject(new Error(`the thread of the projections failed: ${why}`));
    this.#told.log.error('projector thread lost', { why, retryMs: this.#retryMs });
    this.#retry = setTimeout(() => this.#start(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #positionOf(name: string): Position {
    return this.#known.get(name)?.position ?? START;
  }
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

function failed(message: string): RebuildOutcome {
  return { kind: 'failed', message };
}
