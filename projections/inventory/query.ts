import type { Activity, ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { dateSchedule } from '../../src/domain/allotment/events.ts';
import { dealAt, effectiveTerms, type FlashDeal, initialTerms, priceAt } from '../../src/domain/allotment/terms.ts';
import { allotmentIdOf } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { InventoryDocument } from './read-model.ts';

/** Allotments per read: the maximum of the port. */
const PAGE = 1_000;

export type InventoryQuery = {
  readonly city: CityName;
  readonly date: LocalDate;
  readonly activityId: ActivityId | null;
  readonly category: Category | null;
  readonly minSlots: number;
  /** In minor units of the city's currency. */
  readonly maxPriceMinor: number | null;
  readonly flashDealsOnly: boolean;
};

/** The current catalogue entry of an activity. */
export type InventoryEntry = {
  readonly activity: Activity;
  /** Of the activity's stream. */
  readonly revision: number;
  readonly listed: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};

export type InventoryItem = {
  readonly activity: Activity;
  readonly availableSlots: number;
  /** Before the discount. */
  readonly unitPriceMinor: number;
  readonly presentPriceMinor: number;
  /** The active flash deal; null without one. */
  readonly deal: FlashDeal | null;
  /** When the allotment or the catalogue entry last changed, ISO 8601 UTC. */
  readonly updatedAt: string;
};

/**
 * The activities of a city that can be booked for a date at `nowMs`: their schedules, corrected by the allotments of the
 * date. Sorted by flash deals first, then price, then activity id. `entries` must contain all entries of the city.
 */
export async function findInventory(
  readModels: Pick<ReadModelStore, 'find' | 'load'>,
  collection: string,
  entries: Iterable<InventoryEntry>,
  query: InventoryQuery,
  nowMs: number,
): Promise<readonly InventoryItem[]> {
  const touched = await touchedAllotments(readModels, collection, query);
  const items: InventoryItem[] = [];
  for (const entry of entries) {
    const item = itemOf(entry, query, touched, nowMs);
    if (item !== null) items.push(item);
  }
  return items.sort(
    (left, right) =>
      Number(right.deal !== null) - Number(left.deal !== null) ||
      left.presentPriceMinor - right.presentPriceMinor ||
      (left.activity.id < right.activity.id ? -1 : 1),
  );
}

/** The allotments of a city and date that have events, by id. */
export async function touchedAllotments(
  readModels: Pick<ReadModelStore, 'find' | 'load'>,
  collection: string,
  { city, date, activityId }: Pick<InventoryQuery, 'city' | 'date' | 'activityId'>,
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const touched = new Map<string, InventoryDocument>();
  // Only the projection's fold writes documents to this collection.
  const keep = (id: string, doc: object | null): unknown => doc && touched.set(id, doc as InventoryDocument);
  if (activityId !== null) {
    const loaded = await readModels.load(collection, [allotmentIdOf(activityId, date)]);
    for (const { id, doc } of loaded.values()) keep(id, doc);
    return touched;
  }
  for (let after: Cursor | null | undefined; after !== null; ) {
    const page = await readModels.find(collection, { where: { city, date }, limit: PAGE, ...(after && { after }) });
    for (const { id, doc } of page.items) keep(id, doc);
    after = page.next;
  }
  return touched;
}

function itemOf(
  { activity, revision, listed, updatedAt }: InventoryEntry,
  query: InventoryQuery,
  touched: ReadonlyMap<string, InventoryDocument>,
  nowMs: number,
): InventoryItem | null {
  if (!listed || activity.city !== query.city) return null;
  // The query names no hotel, so the caller cannot be a guest of the hotel that the activity is exclusive to.
  if (activity.exclusiveTo !== null) return null;
  if (query.activityId !== null && activity.id !== query.activityId) return null;
  if (query.category !== null && activity.category !== query.category) return null;
  const day = dayOf(activity, query.date);
  if (day === null || nowMs >= day.lastEntryMs) return null;
  const schedule = dateSchedule(activity, revision, day);
  const document = touched.get(allotmentIdOf(activity.id, query.date));
  const terms = document ?? initialTerms(schedule);
  const { capacity, unitPriceMinor } = effectiveTerms(terms, schedule);
  const availableSlots = Math.max(0, capacity - (document?.taken ?? 0));
  const deal = dealAt(terms.deal, schedule, nowMs);
  const price = priceAt(unitPriceMinor, deal, 0, schedule, nowMs);
  const presentPriceMinor = price.unitPriceMinor - price.discountMinor;
  if (availableSlots < query.minSlots || (query.flashDealsOnly && deal === null)) return null;
  if (query.maxPriceMinor !== null && presentPriceMinor > query.maxPriceMinor) return null;
  return {
    activity,
    availableSlots,
    unitPriceMinor,
    presentPriceMinor,
    deal,
    updatedAt: document !== undefined && document.updatedAt > updatedAt ? document.updatedAt : updatedAt,
  };
}
