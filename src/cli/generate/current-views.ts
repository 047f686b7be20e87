import { activitiesProjection } from '../../../projections/activities/projection.ts';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { groundTruthProjection } from '../../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { decodeEvent } from '../../domain/codecs.ts';
import type { Position, Recorded } from '../../eventsourcing/message.ts';
import type { Projection } from '../../eventsourcing/projection.ts';
import { categoryOf, type DecodedEventStore } from '../../ports/event-store.ts';
import { type GroupedAllotments, groupOfAllotment } from '../../recommend/allotments-of-mode.ts';

/** The read models that use cases read in memory, folded from this process's own appends. */
export type CurrentViews = {
  readonly catalogue: {
    get(id: string): ActivityDocument | undefined;
    inGroup(city: CityName): Iterable<ActivityDocument>;
    values(): Iterable<ActivityDocument>;
    changesIn(city: CityName): number;
  };
  readonly allotments: GroupedAllotments;
  readonly groundTruth: { get(id: string): GroundTruthDocument | undefined };
  /** Number of events that were appended. */
  readonly events: () => number;
  /** Forgets the allotments of earlier dates (`YYYY-MM-DD`). */
  forgetBefore(date: string): void;
};

/**
 * The store, and views that have applied each append when it is answered. This process must be the only writer of the
 * streams that it folds.
 */
export function withCurrentViews(store: DecodedEventStore): {
  readonly store: DecodedEventStore;
  readonly views: CurrentViews;
} {
  const catalogue = new Folded(activitiesProjection, ({ activity }) => activity.city);
  const allotments = new Folded(inventoryProjection, groupOfAllotment);
  const groundTruth = new Folded(groundTruthProjection, () => '');
  const folds = [catalogue, allotments, groundTruth];
  let count = 0;
  const foldingCategories = new Set(folds.flatMap(({ projection }) => projection.categories));
  const observed: DecodedEventStore = {
    ...store,
    async append(stream, expectedRevision, events) {
      const outcome = await store.append(stream, expectedRevision, events);
      if (outcome.kind !== 'appended') return outcome;
      count += events.length;
      const category = categoryOf(stream);
      if (!foldingCategories.has(category)) return outcome;
      for (const [index, event] of events.entries()) {
        const back = events.length - 1 - index;
        const position = (outcome.position - back) as Position;
        const recorded = decodeEvent({ ...event, stream, revision: outcome.revision - back, position });
        if (recorded === null) continue;
        for (const fold of folds) if (fold.projection.categories.includes(category)) fold.apply(recorded, store);
      }
      return outcome;
    },
  };
  return {
    store: observed,
    views: {
      catalogue: {
        get: (id) => catalogue.documents.get(id),
        inGroup: (city) => catalogue.inGroup(city),
        values: () => catalogue.documents.values(),
        changesIn: (city) => catalogue.changesIn(city),
      },
      allotments: {
        get: (id) => allotments.documents.get(id),
        inGroup: (group) => allotments.inGroup(group),
        changesIn: (group) => allotments.changesIn(group),
      },
      groundTruth: { get: (id) => groundTruth.documents.get(id) },
      events: () => count,
      forgetBefore(date) {
        for (const [id, allotment] of allotments.documents) if (allotment.date < date) allotments.put(id, null);
      },
    },
  };
}

class Folded<Doc extends object> {
  readonly documents = new Map<string, Doc>();
  readonly projection: Projection<Doc>;
  readonly #groupOf: (doc: Doc) => string;
  readonly #groups = new Map<string, Map<string, Doc>>();
  /** The number of the last change, by group. */
  readonly #lastChanges = new Map<string, number>();
  #changes = 0;

  /** @param groupOf the group of a document, which never changes */
  constructor(projection: Projection<Doc>, groupOf: (doc: Doc) => string) {
    this.projection = projection;
    this.#groupOf = groupOf;
  }

  inGroup(group: string): Iterable<Doc> {
    return this.#groups.get(group)?.values() ?? [];
  }

  changesIn(group: string): number {
    return this.#lastChanges.get(group) ?? 0;
  }

  apply(event: Recorded, { positions }: Pick<DecodedEventStore, 'positions'>): void {
    for (const id of this.projection.idsOf(event)) {
      const before = this.documents.get(id) ?? null;
      // A release of a date that was forgotten.
      if (before === null && event.revision > 0 && this.projection.categories.includes('allotment')) continue;
      this.put(id, this.projection.evolve(before, event, id, positions.format));
    }
  }

  put(id: string, doc: Doc | null): void {
    const known = doc ?? this.documents.get(id);
    if (known === undefined) return;
    const name = this.#groupOf(known);
    const group = this.#groups.get(name) ?? new Map<string, Doc>();
    if (doc === null) {
      this.documents.delete(id);
      group.delete(id);
    } else {
      this.documents.set(id, doc);
      group.set(id, doc);
    }
    if (group.size === 0) {
      this.#groups.delete(name);
      this.#lastChanges.delete(name);
    } else {
      this.#groups.set(name, group);
      this.#lastChanges.set(name, ++this.#changes);
    }
  }
}
