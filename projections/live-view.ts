import { recorded } from '../src/domain/codecs.ts';
import { UnknownEvent } from '../src/eventsourcing/codec.ts';
import { type Position, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import type { EventFeed } from '../src/ports/event-store.ts';
import type { Log } from '../src/ports/log.ts';
import type { ReadModelStore, StoredDocument } from '../src/ports/read-model-store.ts';
import { foldBatch } from './apply.ts';

const RETRY_MS = 200;
const LINGER_MS = 10;
/** What is not kept any more is let go when so many documents, and as many again as were kept, have been added. */
const PRUNE_AFTER = 1_000;

/**
 * A small read model held in memory and kept current by its own subscription: what the hot path asks of keys, devices
 * and the catalogue is answered without a query (docs/decisions/0004).
 */
export type LiveView<Doc extends object> = {
  get(id: string): Doc | undefined;
  /** The document that has this among its `indexesOf`. */
  find(index: string): Doc | undefined;
  values(): Iterable<Doc>;
  /** The documents of a group of `groupOf`. */
  inGroup(group: string): Iterable<Doc>;
  /** Another number whenever a document has changed. */
  changes(): number;
  /** Resolves once everything up to a position is in the view, or, where it is given, after `timeoutMs`. */
  passed(position: Position, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
};

type Opening<Doc extends object> = {
  readonly projection: Projection<Doc>;
  /** The collection that serves the projection's queries now. */
  readonly collection: () => Promise<string>;
  readonly store: EventFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  /** Other ways to a document; no two documents have one in common. */
  readonly indexesOf?: (doc: Doc) => readonly string[];
  /** Which group a document is in, so that those of one are found without a walk through all; none where left out. */
  readonly groupOf?: (doc: Doc) => string;
  /**
   * Which documents are held, by their ids; all where left out. What is not kept once is never kept again, so that a
   * document which was let go is not folded from nothing.
   */
  readonly keeps?: (id: string) => boolean;
};

/**
 * Loads the view from its read model and resolves when it holds everything that the log held at the call. One that meets an
 * event of a newer release later stands still before it.
 * @throws UnknownEvent where the log holds one already
 */
export async function openLiveView<Doc extends object>(opening: Opening<Doc>): Promise<LiveView<Doc>> {
  const view = new View(opening);
  await view.load();
  const running = view.follow();
  running.catch(() => {});
  await Promise.race([view.passed(await opening.store.head()), running]);
  return {
    get: (id) => view.get(id),
    find: (index) => view.find(index),
    values: () => view.values(),
    inGroup: (group) => view.inGroup(group),
    changes: () => view.changes,
    passed: (position, timeoutMs) => view.passed(position, timeoutMs),
    async stop() {
      view.stopping.abort();
      await running.catch(() => {});
    },
  };
}

class View<Doc extends object> {
  readonly stopping = new AbortController();
  readonly #opening: Opening<Doc>;
  readonly #documents = new Map<string, StoredDocument & { readonly doc: Doc | null }>();
  readonly #byIndex = new Map<string, string>();
  readonly #groups = new Map<string, Map<string, Doc>>();
  readonly #waiters = new Set<{ readonly position: Position; readonly resolve: () => void }>();
  readonly #projection: Projection<Doc>;
  #position: Position = START;
  #changes = 0;
  #pruneAt = PRUNE_AFTER;

  constructor(opening: Opening<Doc>) {
    const { projection, keeps } = opening;
    this.#opening = opening;
    this.#projection =
      keeps === undefined
        ? projection
        : { ...projection, keysOf: (event) => projection.keysOf(event).filter((id) => keeps(id)) };
  }

  get changes(): number {
    return this.#changes;
  }

  async load(): Promise<void> {
    const { readModels, collection } = this.#opening;
    for (;;) {
      const serving = await collection();
      this.#documents.clear();
      this.#byIndex.clear();
      this.#groups.clear();
      // The checkpoint first: documents may be ahead of it, and their own positions keep events from counting twice.
      this.#position = (await readModels.checkpoint(serving)) ?? START;
      for await (const document of readModels.scan(serving)) if (this.#keeps(document.id)) this.#put(document);
      // A build that was replaced meanwhile may have been dropped in the middle of the scan.
      if ((await collection()) === serving) return;
    }
  }

  /** Ends by itself only where it throws UnknownEvent. */
  async follow(): Promise<void> {
    const { store, log } = this.#opening;
    const projection = this.#projection;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const { categories } = projection;
        for await (const batch of store.subscribe({ after: this.#position, categories, lingerMs: LINGER_MS, signal })) {
          for (const write of foldBatch(projection, batch.events.map(recorded), this.#documents)) this.#put(write);
          this.#prune();
          this.#advance(batch.upTo);
        }
      } catch (fault) {
        if (fault instanceof UnknownEvent) {
          log.error('live view stands still', { projection: projection.name, after: this.#position, fault });
          throw fault;
        }
        log.error('live view stopped by a fault', { projection: projection.name, retryMs: RETRY_MS, fault });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  get(id: string): Doc | undefined {
    return this.#documents.get(id)?.doc ?? undefined;
  }

  find(index: string): Doc | undefined {
    const id = this.#byIndex.get(index);
    return id === undefined ? undefined : this.get(id);
  }

  *values(): Iterable<Doc> {
    for (const { doc } of this.#documents.values()) if (doc !== null) yield doc;
  }

  inGroup(group: string): Iterable<Doc> {
    return this.#groups.get(group)?.values() ?? [];
  }

  passed(position: Position, timeoutMs?: number): Promise<void> {
    if (this.#position >= position) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve();
      };
      const waiter = { position, resolve: done };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  #keeps(id: string): boolean {
    return this.#opening.keeps?.(id) ?? true;
  }

  #prune(): void {
    if (this.#opening.keeps === undefined || this.#documents.size < this.#pruneAt) return;
    for (const [id, { doc }] of this.#documents) {
      if (this.#keeps(id)) continue;
      this.#documents.delete(id);
      this.#regroup(id, doc, null);
    }
    this.#pruneAt = this.#documents.size * 2 + PRUNE_AFTER;
  }

  #put(document: StoredDocument): void {
    const { indexesOf = () => [] } = this.#opening;
    this.#changes++;
    // The documents of a projection's collection are what its fold returned.
    const doc = document.doc as Doc | null;
    const before = this.#documents.get(document.id)?.doc ?? null;
    if (before !== null) for (const index of indexesOf(before)) this.#byIndex.delete(index);
    this.#documents.set(document.id, { ...document, doc });
    if (doc !== null) for (const index of indexesOf(doc)) this.#byIndex.set(index, document.id);
    this.#regroup(document.id, before, doc);
  }

  #regroup(id: string, before: Doc | null, doc: Doc | null): void {
    const { groupOf } = this.#opening;
    if (groupOf === undefined) return;
    const [left, joined] = [before === null ? null : groupOf(before), doc === null ? null : groupOf(doc)];
    if (left !== null && left !== joined) this.#groups.get(left)?.delete(id);
    if (doc === null || joined === null) return;
    const group = this.#groups.get(joined) ?? new Map<string, Doc>();
    this.#groups.set(joined, group.set(id, doc));
  }

  #advance(position: Position): void {
    this.#position = position;
    for (const waiter of this.#waiters) {
      if (position >= waiter.position) waiter.resolve();
    }
  }
}
