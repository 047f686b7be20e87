import type { Position } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { FollowedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReaderBatch } from '../ports/log-follower.ts';
import { type Find, MAX_PAGE, type ReadModelStore, type StoredDocument } from '../ports/read-model-store.ts';
import { foldBatch } from './apply-events.ts';
import { resumeAt } from './checkpoints.ts';
import { leftOutEvents, type Parking, readerOf } from './parking.ts';
import { Progress } from './progress.ts';

const LINGER_MS = 10;
/** Documents that one batch of events looks at for those that are no longer kept. */
const PRUNED_AT_ONCE = 1_000;

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
  readonly groupOf?: (doc: Doc, id: string) => string;
  /** An equal document that takes less memory. */
  readonly compact?: (doc: Doc) => Doc;
  /** Which documents the view holds; all if left out. */
  readonly kept?: Kept;
};

/** A part of a collection. */
export type Kept = {
  /** By id. It must never return true again after false for an id: a dropped document would be folded from nothing. */
  readonly keeps: (id: string) => boolean;
  /** Changes when documents are no longer kept. */
  readonly since: () => string;
  /** Queries that find every document that is kept, and few others. */
  readonly finds: () => readonly Omit<Find, 'limit'>[];
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
  readonly #compact: (doc: Doc) => Doc;
  /** The build that it was loaded from. */
  collection = '';
  #changes = 0;
  /** The lowest number of a group. */
  #firstChange = 0;
  /** The number of the last change, by group. */
  readonly #lastChanges = new Map<string, number>();
  #keptSince = '';
  /** The documents that are still to be looked at. */
  #pruning: Iterator<[string, { readonly doc: Doc | null }]> | null = null;

  constructor(viewed: Viewed<Doc>) {
    const { projection, kept } = viewed;
    this.#viewed = viewed;
    this.#keysOf = viewed.secondaryKeysOf ?? (() => []);
    this.#compact = viewed.compact ?? ((doc) => doc);
    this.#projection =
      kept === undefined
        ? projection
        : { ...projection, idsOf: (event) => projection.idsOf(event).filter((id) => kept.keeps(id)) };
  }

  /** A number that changes with every change of a document of the group. */
  changesIn(group: string): number {
    return Math.max(this.#firstChange, this.#lastChanges.get(group) ?? 0);
  }

  /** Continues the count of a view that this one replaces. */
  countAfter(replaced: View<Doc>): void {
    this.#changes += replaced.#changes + 1;
    this.#firstChange = this.#changes;
  }

  async load(): Promise<void> {
    const { collection } = this.#viewed;
    for (;;) {
      const serving = await collection();
      this.collection = serving;
      this.#documents.clear();
      this.#bySecondaryKey.clear();
      this.#groups.clear();
      this.#hidden.clear();
      // The checkpoint is read first: documents may be ahead of it, and their positions guard against applying an event twice.
      this.#progress.set(await resumeAt(serving, this.#viewed));
      for await (const document of this.#stored(serving)) if (this.#keeps(document.id)) this.#put(document);
      // A build that was replaced meanwhile may have been dropped during the scan.
      if ((await collection()) === serving) return;
    }
  }

  /** The documents of a build that may be kept. */
  async *#stored(collection: string): AsyncIterable<StoredDocument> {
    const { readModels, kept } = this.#viewed;
    if (kept === undefined) yield* readModels.scan(collection);
    this.#keptSince = kept?.since() ?? '';
    for (const find of kept?.finds() ?? []) {
      let after = find.after ?? null;
      do {
        const page = await readModels.find(collection, { ...find, limit: MAX_PAGE, ...(after && { after }) });
        // A page has no positions.
        const ids = page.items.map(({ id }) => id);
        if (ids.length > 0) yield* (await readModels.load(collection, ids)).values();
        after = page.next;
      } while (after !== null);
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
    return this.#viewed.kept?.keeps(id) ?? true;
  }

  /** Some documents per batch, so that no batch takes long. */
  #prune(): void {
    const since = this.#viewed.kept?.since() ?? '';
    if (since !== this.#keptSince) this.#pruning = this.#documents.entries();
    this.#keptSince = since;
    for (let looked = 0; this.#pruning !== null && looked < PRUNED_AT_ONCE; looked++) {
      const next = this.#pruning.next();
      if (next.done === true) this.#pruning = null;
      else if (!this.#keeps(next.value[0])) this.#drop(...next.value);
    }
  }

  #drop(id: string, { doc }: { readonly doc: Doc | null }): void {
    this.#regroup(id, this.#hidden.delete(id) ? null : doc, null);
    this.#documents.delete(id);
  }

  #put(document: StoredDocument): void {
    // A projection's collection holds what its fold returned.
    const full = document.doc as Doc | null;
    const doc = full === null ? null : this.#compact(full);
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
    // Rankings read thousands of documents: a second lookup took a fifth of their time, and almost never is one hidden.
    if (this.#hidden.size > 0 && this.#hidden.has(id)) return null;
    return this.#documents.get(id)?.doc ?? null;
  }

  #canIndex(doc: Doc, id: string): boolean {
    const { groupOf, projection, log } = this.#viewed;
    try {
      this.#keysOf(doc);
      groupOf?.(doc, id);
      return true;
    } catch (fault) {
      log.error('document left out of a live view', { projection: projection.name, document: id, fault });
      return false;
    }
  }

  #regroup(id: string, before: Doc | null, doc: Doc | null): void {
    const { groupOf } = this.#viewed;
    if (groupOf === undefined) return;
    const [left, joined] = [before === null ? null : groupOf(before, id), doc === null ? null : groupOf(doc, id)];
    this.#changes++;
    if (left !== null) this.#lastChanges.set(left, this.#changes);
    if (joined !== null) this.#lastChanges.set(joined, this.#changes);
    if (left !== null && left !== joined) this.#leave(left, id);
    if (doc === null || joined === null) return;
    const group = this.#groups.get(joined) ?? new Map<string, Doc>();
    this.#groups.set(joined, group.set(id, doc));
  }

  #leave(group: string, id: string): void {
    const documents = this.#groups.get(group);
    documents?.delete(id);
    if (documents?.size !== 0) return;
    this.#groups.delete(group);
    this.#lastChanges.delete(group);
  }
}
