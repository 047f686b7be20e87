import type { Position } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import type { ReadModelStore, StoredDocument } from '../ports/read-model-store.ts';
import { foldBatch } from './apply-events.ts';
import { resumeAt } from './checkpoints.ts';
import { Progress } from './progress.ts';

const LINGER_MS = 10;
/** The view is pruned once it holds twice what the last pruning kept, plus this number. */
const PRUNE_AFTER = 1_000;

/**
 * A small read model in memory, kept current by the log's follower, so that the hot path looks up keys, devices and the
 * catalogue without a query (docs/decisions/0004).
 */
export type LiveView<Doc extends object> = {
  get(id: string): Doc | undefined;
  /** The document with this key among its `secondaryKeysOf`. */
  findBySecondaryKey(key: string): Doc | undefined;
  values(): Iterable<Doc>;
  /** The documents whose `groupOf` is this group. */
  inGroup(group: string): Iterable<Doc>;
  /** A number that changes with every change of a document. */
  changes(): number;
  /** True once the view has applied everything up to a position; false after `timeoutMs`, if given. */
  passed(position: Position, timeoutMs?: number): Promise<boolean>;
  stop(): Promise<void>;
};

type Opening<Doc extends object> = {
  readonly projection: Projection<Doc>;
  /** The collection that serves the projection's queries. */
  readonly collection: () => Promise<string>;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  /** Unique secondary keys of a document. */
  readonly secondaryKeysOf?: (doc: Doc) => readonly string[];
  /** The group of a document, so that `inGroup` needs no scan. */
  readonly groupOf?: (doc: Doc) => string;
  /**
   * Which documents the view holds, by id; all if left out. It must never return true again after false for an id: a
   * dropped document would be folded from nothing.
   */
  readonly keeps?: (id: string) => boolean;
};

/**
 * Loads the view from its read model. Resolves when the view has applied everything that the log held at the call. Stops
 * before an event of a newer release that is appended later.
 * @throws UnknownEvent if the log holds such an event already
 */
export async function openLiveView<Doc extends object>(opening: Opening<Doc>): Promise<LiveView<Doc>> {
  const view = new View(opening);
  await view.load();
  const running = view.follow();
  running.catch(() => {});
  await Promise.race([view.passed(await opening.store.head()), running]);
  return {
    get: (id) => view.get(id),
    findBySecondaryKey: (key) => view.findBySecondaryKey(key),
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
  readonly #bySecondaryKey = new Map<string, string>();
  readonly #groups = new Map<string, Map<string, Doc>>();
  readonly #progress = new Progress();
  readonly #projection: Projection<Doc>;
  #changes = 0;
  #pruneAt = PRUNE_AFTER;

  constructor(opening: Opening<Doc>) {
    const { projection, keeps } = opening;
    this.#opening = opening;
    this.#projection =
      keeps === undefined
        ? projection
        : { ...projection, idsOf: (event) => projection.idsOf(event).filter((id) => keeps(id)) };
  }

  get changes(): number {
    return this.#changes;
  }

  async load(): Promise<void> {
    const { readModels, collection } = this.#opening;
    for (;;) {
      const serving = await collection();
      this.#documents.clear();
      this.#bySecondaryKey.clear();
      this.#groups.clear();
      // The checkpoint is read first: documents may be ahead of it, and their positions guard against applying an event twice.
      this.#progress.set(await resumeAt(serving, this.#opening));
      for await (const document of readModels.scan(serving)) if (this.#keeps(document.id)) this.#put(document);
      // A build that was replaced meanwhile may have been dropped during the scan.
      if ((await collection()) === serving) return;
    }
  }

  /** @throws UnknownEvent; otherwise ends only at the stop */
  follow(): Promise<void> {
    const { store, log, projection } = this.#opening;
    return store.follower.follow({
      reader: `live view ${projection.name}`,
      categories: projection.categories,
      progress: this.#progress,
      apply: (batch) => this.#apply(batch),
      lingerMs: LINGER_MS,
      log,
      signal: this.stopping.signal,
    });
  }

  get(id: string): Doc | undefined {
    return this.#documents.get(id)?.doc ?? undefined;
  }

  findBySecondaryKey(key: string): Doc | undefined {
    const id = this.#bySecondaryKey.get(key);
    return id === undefined ? undefined : this.get(id);
  }

  *values(): Iterable<Doc> {
    for (const { doc } of this.#documents.values()) if (doc !== null) yield doc;
  }

  inGroup(group: string): Iterable<Doc> {
    return this.#groups.get(group)?.values() ?? [];
  }

  passed(position: Position, timeoutMs?: number): Promise<boolean> {
    return this.#progress.reached(position, timeoutMs);
  }

  #apply({ events }: ReaderBatch): void {
    if (events.length === 0) return;
    for (const write of foldBatch(this.#projection, events, this.#documents, this.#opening.store.positions))
      this.#put(write);
    this.#prune();
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
    const { secondaryKeysOf = () => [] } = this.#opening;
    this.#changes++;
    // A projection's collection holds what its fold returned.
    const doc = document.doc as Doc | null;
    const before = this.#documents.get(document.id)?.doc ?? null;
    if (before !== null) for (const key of secondaryKeysOf(before)) this.#bySecondaryKey.delete(key);
    this.#documents.set(document.id, { ...document, doc });
    if (doc !== null) for (const key of secondaryKeysOf(doc)) this.#bySecondaryKey.set(key, document.id);
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
}
