import type { Activity, ActivityId, CancellationPolicy, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { addDays, datesIn, dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { dateSchedule } from '../../src/domain/allotment/events.ts';
import {
  dealAt,
  effectiveTerms,
  type FlashDeal,
  initialTerms,
  newerSchedule,
  priceAt,
} from '../../src/domain/allotment/terms.ts';
import { allotmentIdOf } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { InventoryDocument } from './read-model.ts';

/** Allotments per read: the maximum of the port. */
const PAGE = 1_000;

export type InventoryQuery = {
  readonly city: CityName;
  /** The first date. */
  readonly date: LocalDate;
  /** The last date; by default the first. */
  readonly dateTo?: LocalDate;
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
  readonly date: LocalDate;
  readonly availableSlots: number;
  /** Before the discount. */
  readonly unitPriceMinor: number;
  readonly presentPriceMinor: number;
  /** The active flash deal; null without one. */
  readonly deal: FlashDeal | null;
  readonly cancellation: CancellationPolicy;
  /** When the allotment or the catalogue entry last changed, ISO 8601 UTC. */
  readonly updatedAt: string;
};

/** Finds an allotment by its id; undefined for a date without events. */
type Allotments = { get(id: string): InventoryDocument | undefined };

/**
 * What can be booked at `nowMs`, one item per activity and date: the schedules, corrected by the allotments, which are in
 * memory. Sorted by date, then flash deals first, then price, then activity id. `entries` must contain all entries of the
 * city.
 */
export function inventoryOf(
  entries: Iterable<InventoryEntry>,
  query: InventoryQuery,
  allotments: Allotments,
  nowMs: number,
): readonly InventoryItem[] {
  const known = [...entries];
  const { date: from, dateTo = from } = query;
  return datesIn(from, dateTo).flatMap((date) => itemsOn(date, known, query, allotments, nowMs));
}

/** How far `nextInventory` searches. */
type SearchBounds = {
  readonly from: LocalDate;
  readonly latest: LocalDate;
  readonly days: number;
  readonly count: number;
};

/** Maximum number of activities times dates that one search checks: some milliseconds. */
const MAX_CHECKED = 5_000;

/** The first item of each of the next dates on which something matches, from memory. */
export function nextInventory(
  entries: Iterable<InventoryEntry>,
  query: InventoryQuery,
  { from, latest, days, count }: SearchBounds,
  allotments: Allotments,
  nowMs: number,
): readonly InventoryItem[] {
  const known = [...entries];
  const found: InventoryItem[] = [];
  const most = Math.min(days, Math.floor(MAX_CHECKED / Math.max(1, known.length)));
  for (let ahead = 0; ahead < most && found.length < count; ahead++) {
    const date = addDays(from, ahead);
    if (date > latest) break;
    const [first] = itemsOn(date, known, query, allotments, nowMs);
    if (first !== undefined) found.push(first);
  }
  return found;
}

/** The allotments of a city on a date that have events, by id. */
export async function touchedAllotments(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { city, date }: Pick<InventoryQuery, 'city' | 'date'>,
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const touched = new Map<string, InventoryDocument>();
  for (let after: Cursor | null | undefined; after !== null; ) {
    const page = await readModels.find(collection, { where: { city, date }, limit: PAGE, ...(after && { after }) });
    // Only the projection's fold writes documents to this collection.
    for (const { id, doc } of page.items) touched.set(id, doc as InventoryDocument);
    after = page.next;
  }
  return touched;
}

/** The allotments with these ids that have events, with one read. */
export async function allotmentsById(
  readModels: Pick<ReadModelStore, 'load'>,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const found = new Map<string, InventoryDocument>();
  // Only the projection's fold writes documents to this collection.
  for (const [id, { doc }] of await readModels.load(collection, ids))
    if (doc !== null) found.set(id, doc as InventoryDocument);
  return found;
}

function itemsOn(
  date: LocalDate,
  entries: readonly InventoryEntry[],
  query: InventoryQuery,
  allotments: Allotments,
  nowMs: number,
): readonly InventoryItem[] {
  const items: InventoryItem[] = [];
  for (const entry of entries) {
    const item = itemOf(entry, date, query, allotments, nowMs);
    if (item !== null) items.push(item);
  }
  return items.sort(
    (left, right) =>
      Number(right.deal !== null) - Number(left.deal !== null) ||
      left.presentPriceMinor - right.presentPriceMinor ||
      (left.activity.id < right.activity.id ? -1 : 1),
  );
}

function itemOf(
  { activity, revision, listed, updatedAt }: InventoryEntry,
  date: LocalDate,
  query: InventoryQuery,
  allotments: Allotments,
  nowMs: number,
): InventoryItem | null {
  if (!listed || activity.city !== query.city) return null;
  // The query names no hotel, so the caller cannot be a guest of the hotel that the activity is exclusive to.
  if (activity.exclusiveTo !== null) return null;
  if (query.activityId !== null && activity.id !== query.activityId) return null;
  if (query.category !== null && activity.category !== query.category) return null;
  const day = dayOf(activity, date);
  if (day === null || nowMs >= day.lastEntryMs) return null;
  const schedule = dateSchedule(activity, revision, day);
  const document = allotments.get(allotmentIdOf(activity.id, date));
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
    date,
    availableSlots,
    unitPriceMinor,
    presentPriceMinor,
    deal,
    cancellation: newerSchedule(terms.schedule, schedule).cancellation,
    updatedAt: document !== undefined && document.updatedAt > updatedAt ? document.updatedAt : updatedAt,
  };
}
