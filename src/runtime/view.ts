import type { Position } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import type { ReadModelStore, StoredDocument } from '../ports/read-model-store.ts';
import { foldBatch } from './apply-events.ts';
import { resumeAt } from './checkpoints.ts';
import { leftOutEvents, type Parking, readerOf } from './parking.ts';
import { Progress } from './progress.ts';

const LINGER_MS = 10;
/** The view is pruned once it holds twice what the last pruning kept, plus this number. */
const PRUNE_AFTER = 1_000;

/** Where a view records what it leaves out: as the projection does, which folds the same events. */
export type ViewParking = Parking & {
  /** Calls back when a rebuild has applied a retried event of a reader. Returns a function that ends this. */
  onResumed(reader: string, listener: () => void): () => void;
};

/** What a view is made of. */
export type Viewed<Doc extends object> = {
  readonly projection: Projection<Doc>;
  /** The collection that serves the projection's queries. */
  readonly collection: () => Promise<string>;
  readonly store: FollowedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  /** Without it, the view stops at an event that it cannot apply. */
  readonly parking?: ViewParking | undefined;
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

/** The documents of a live view, loaded from one build of its projection. */
export class View<Doc extends object> {
  readonly stopping = new AbortController();
  readonly #viewed: Viewed<Doc>;
  readonly #documents = new Map<string, StoredDocument & { readonly doc: Doc | null }>();
  readonly #bySecondaryKey = new Map<string, string>();
  /** Ids of documents that cannot be indexed. */
  readonly #hidden = new Set<string>();
  readonly #groups = new Map<string, Map<string, Doc>>();
  readonly #progress = new Progress();
  readonly #projection: Projection<Doc>;
  readonly #keysOf: (doc: Doc) => readonly string[];
  /** The build that it was loaded from. */
  collection = '';
  #changes = 0;
  #pruneAt = PRUNE_AFTER;

  constructor(viewed: Viewed<Doc>) {
    const { projection, keeps } = viewed;
    this.#viewed = viewed;
    this.#keysOf = viewed.secondaryKeysOf ?? (() => []);
    this.#projection =
      keeps === undefined
        ? projection
        : { ...projection, idsOf: (event) => projection.idsOf(event).filter((id) => keeps(id)) };
  }

  get changes(): number {
    return this.#changes;
  }

  /** Continues the count of a view that this one replaces. */
  countAfter(changes: number): void {
    this.#changes += changes + 1;
  }

  async load(): Promise<void> {
    const { readModels, collection } = this.#viewed;
    for (;;) {
      const serving = await collection();
      this.collection = serving;
      this.#documents.clear();
      this.#bySecondaryKey.clear();
      this.#groups.clear();
      this.#hidden.clear();
      // The checkpoint is read first: documents may be ahead of it, and their positions guard against applying an event twice.
      this.#progress.set(await resumeAt(serving, this.#viewed));
      for await (const document of readModels.scan(serving)) if (this.#keeps(document.id)) this.#put(document);
      // A build that was replaced meanwhile may have been dropped during the scan.
      if ((await collection()) === serving) return;
    }
  }

  /** @throws UnknownEvent; otherwise ends only at the stop */
  follow(): Promise<void> {
    const { store, parking, log, projection } = this.#viewed;
    return store.follower.follow({
      reader: `live view ${projection.name}`,
      categories: projection.categories,
      progress: this.#progress,
      apply: (batch) => this.#apply(batch),
      leftOut: parking && leftOutEvents(readerOf(projection), { parking, positions: store.positions, log }),
      lingerMs: LINGER_MS,
      log,
      signal: this.stopping.signal,
    });
  }

  get(id: string): Doc | undefined {
    return this.#shown(id) ?? undefined;
  }

  findBySecondaryKey(key: string): Doc | undefined {
    const id = this.#bySecondaryKey.get(key);
    return id === undefined ? undefined : this.get(id);
  }

  *values(): Iterable<Doc> {
    for (const [id, { doc }] of this.#documents) if (doc !== null && !this.#hidden.has(id)) yield doc;
  }

  inGroup(group: string): Iterable<Doc> {
    return this.#groups.get(group)?.values() ?? [];
  }

  passed(position: Position, timeoutMs?: number): Promise<boolean> {
    return this.#progress.reached(position, timeoutMs);
  }

  #apply({ events }: ReaderBatch): void {
    if (events.length === 0) return;
    for (const write of foldBatch(this.#projection, events, this.#documents, this.#viewed.store.positions))
      this.#put(write);
    this.#prune();
  }

  #keeps(id: string): boolean {
    return this.#viewed.keeps?.(id) ?? true;
  }

  #prune(): void {
    if (this.#viewed.keeps === undefined || this.#documents.size < this.#pruneAt) return;
    for (const [id, { doc }] of this.#documents) {
      if (this.#keeps(id)) continue;
      this.#regroup(id, this.#hidden.delete(id) ? null : doc, null);
      this.#documents.delete(id);
    }
    this.#pruneAt = this.#documents.size * 2 + PRUNE_AFTER;
  }

  #put(document: StoredDocument): void {
    this.#changes++;
    // A projection's collection holds what its fold returned.
    const doc = document.doc as Doc | null;
    const before = this.#shown(document.id);
    for (const key of before === null ? [] : this.#keysOf(before)) this.#bySecondaryKey.delete(key);
    this.#documents.set(document.id, { ...document, doc });
    if (doc === null || this.#canIndex(doc, document.id)) this.#hidden.delete(document.id);
    else this.#hidden.add(document.id);
    const after = this.#shown(document.id);
    for (const key of after === null ? [] : this.#keysOf(after)) this.#bySecondaryKey.set(key, document.id);
    this.#regroup(document.id, before, after);
  }

  /** Null for a document that another program's event made and that has no keys or group. */
  #shown(id: string): Doc | null {
    return this.#hidden.has(id) ? null : (this.#documents.get(id)?.doc ?? null);
  }

  #canIndex(doc: Doc, id: string): boolean {
    const { groupOf, projection, log } = this.#viewed;
    try {
      this.#keysOf(doc);
      groupOf?.(doc);
      return true;
    } catch (fault) {
      log.error('document left out of a live view', { projection: projection.name, document: id, fault });
      return false;
    }
  }

  #regroup(id: string, before: Doc | null, doc: Doc | null): void {
    const { groupOf } = this.#viewed;
    if (groupOf === undefined) return;
    const [left, joined] = [before === null ? null : groupOf(before), doc === null ? null : groupOf(doc)];
    if (left !== null && left !== joined) this.#groups.get(left)?.delete(id);
    if (doc === null || joined === null) return;
    const group = this.#groups.get(joined) ?? new Map<string, Doc>();
    this.#groups.set(joined, group.set(id, doc));
  }
}
