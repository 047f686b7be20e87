import { UnknownEvent } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { RebuildOutcome } from '../eventsourcing/projection.ts';
import type { Log } from '../ports/log.ts';
import type { Parking } from '../runtime/parking.ts';
import { fillingText, Progress } from '../runtime/progress.ts';
import type { ProjectionStatus, Projector } from '../runtime/projector.ts';
import type { UnknownEvents } from '../runtime/unknown-events.ts';
import type { EmbeddedStores } from './embedded-stores.ts';
import { answerTo } from './parking-messages.ts';
import type { Advanced, FromThread, ToThread } from './projector-worker.ts';

const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;

/** A projector in this thread or in one of its own. */
export type EmbeddedProjector = Omit<Projector, 'rebuild' | 'resumeRebuilds' | 'running'> & {
  rebuild(name: string): Promise<RebuildOutcome>;
  /** False while the disk refuses what the projections write. */
  storing(): boolean;
};

type ThreadStores = Pick<EmbeddedStores, 'paths'> & { readonly store: Pick<EmbeddedStores['store'], 'head'> };
type Opening = Extract<ToThread, { kind: 'open' }>;
type Reports = {
  readonly parking: Parking;
  readonly unknownEvents: Pick<UnknownEvents, 'note'>;
  readonly log: Log;
};

/**
 * Runs the projections in a thread of their own, with their own connections to the same files, so that neither folding nor
 * a rebuild delays a request (docs/decisions/0012). A thread that dies is replaced, with back-off; the projections count as
 * caught up again when its successor has caught up.
 * @throws if the first thread dies before the projections are open
 */
export async function projectInThread(
  stores: ThreadStores,
  settings: Pick<Opening, 'logLevel' | 'graceMs'>,
  reports: Reports,
): Promise<EmbeddedProjector> {
  const projector = new ThreadProjector(stores.store, { kind: 'open', ...stores.paths, ...settings }, reports);
  await projector.open();
  return projector;
}

class ThreadProjector implements EmbeddedProjector {
  readonly #store: ThreadStores['store'];
  readonly #message: Opening;
  readonly #reports: Reports;
  readonly #opening = Promise.withResolvers<void>();
  readonly #known = new Map<string, Advanced>();
  readonly #progress = new Map<string, Progress>();
  readonly #rebuilds = new Map<string, (outcome: RebuildOutcome) => void>();
  /** Null from the loss of a thread to the start of the next. */
  #worker: Worker | null = null;
  /** The end of the log when the present thread opened the projections; null until then. */
  #target: Position | null = null;
  #retryMs = RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #storing = true;
  #stopped: (() => void) | null = null;

  constructor(store: ThreadStores['store'], message: Opening, reports: Reports) {
    this.#store = store;
    this.#message = message;
    this.#reports = reports;
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
    return this.#progressOf(name).reached(position, timeoutMs);
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    const statuses = [...this.#known.values()];
    // Read after the positions, so that none of them is beyond it.
    const head = await this.#store.head();
    return statuses.map((known) => {
      const requested = this.#rebuilds.has(known.name) ? { events: 0, position: START, head } : null;
      return { ...known, rebuild: known.rebuild ?? requested, head, caughtUp: known.position === head };
    });
  }

  caughtUpOnce(): boolean {
    const target = this.#target;
    return target !== null && [...this.#known.values()].every(({ position }) => position >= target);
  }

  filling(): string | null {
    return this.#target === null ? 'the projections start' : fillingText(this.#known.values(), this.#target);
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
    const worker = new Worker(new URL('./projector-worker.ts', import.meta.url));
    worker.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
      if (this.#worker === worker) this.#receive(data);
    });
    worker.addEventListener('error', ({ message }: ErrorEvent) => this.#lose(worker, message));
    worker.addEventListener('close', () => this.#lose(worker, 'ended'));
    post(worker, this.#message);
    this.#storing = true;
    this.#worker = worker;
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'opened':
        for (const projection of message.projections) this.#note(projection);
        this.#target = message.head;
        return this.#opening.resolve();
      case 'advanced':
        this.#retryMs = RETRY_MS;
        for (const projection of message.projections) this.#note(projection);
        return;
      case 'rebuilt':
        return this.#endRebuild(message.name, message.outcome);
      case 'unknown-event':
        return this.#reports.unknownEvents.note(new UnknownEvent(message.category, message.type, message.fault));
      case 'parking':
        void this.#answer(message);
        return;
      case 'storing':
        this.#storing = message.storing;
        return;
      default:
        return this.#stopped?.();
    }
  }

  /** The thread reads the log and cannot append. */
  async #answer(asked: Extract<FromThread, { kind: 'parking' }>): Promise<void> {
    const { parking } = this.#reports;
    const worker = this.#worker;
    const answer = await answerTo(asked, parking);
    if (worker !== null && worker === this.#worker) post(worker, answer);
  }

  /** Positions do not go back: a new thread reports checkpoints that are older than what its predecessor applied. */
  #note(projection: Advanced): void {
    const { name } = projection;
    const progress = this.#progressOf(name);
    const position = projection.position > progress.position ? projection.position : progress.position;
    const lastRebuild = projection.lastRebuild ?? this.#known.get(name)?.lastRebuild ?? null;
    this.#known.set(name, { ...projection, position, lastRebuild });
    progress.set(position);
  }

  #endRebuild(name: string, outcome: RebuildOutcome): void {
    this.#rebuilds.get(name)?.(outcome);
    this.#rebuilds.delete(name);
  }

  /** What the thread applied stays applied. The next one resumes its rebuilds. */
  #lose(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#target = null;
    worker.terminate();
    const lost = failed('the thread of the projections was lost; the next one resumes the rebuild');
    for (const known of this.#known.values()) {
      if (known.rebuild !== null) this.#known.set(known.name, { ...known, rebuild: null, lastRebuild: lost });
    }
    for (const name of this.#rebuilds.keys()) this.#endRebuild(name, lost);
    if (this.#stopped !== null) return this.#stopped();
    if (this.#known.size === 0) return this.#opening.reject(new Error(`the thread of the projections failed: ${why}`));
    this.#reports.log.error('projector thread lost', { why, retryMs: this.#retryMs });
    this.#retry = setTimeout(() => this.#start(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #progressOf(name: string): Progress {
    const progress = this.#progress.get(name) ?? new Progress();
    this.#progress.set(name, progress);
    return progress;
  }
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

function failed(message: string): RebuildOutcome {
  return { kind: 'failed', message };
}
