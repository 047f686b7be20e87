import type { Activity, ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { allotmentId, openingOf } from '../../src/domain/allotment/allotment.ts';
import { dealAt, type FlashDeal, presentPrice, standing, termsBySchedule } from '../../src/domain/allotment/terms.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { InventoryDocument } from './read-model.ts';

/** Allotments read at a time: as many as the port allows. */
const PAGE = 1_000;

export type InventoryQuestion = {
  readonly city: CityName;
  readonly date: LocalDate;
  readonly activityId: ActivityId | null;
  readonly category: Category | null;
  readonly minSlots: number;
  /** In minor units of the city's currency. */
  readonly maxPriceMinor: number | null;
  readonly flashDealsOnly: boolean;
};

/** An entry of the catalogue as it stands now. */
export type Listing = {
  readonly activity: Activity;
  /** How often it has changed. */
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
  /** The deal that counts now; null for none. */
  readonly deal: FlashDeal | null;
  /** ISO 8601 UTC: when the date was last touched, or the entry last changed. */
  readonly updatedAt: string;
};

/**
 * What of a city can still be booked for a date at a moment: the schedules of its activities, corrected by what has
 * happened to the date's allotments. Flash deals first, then the cheapest, then by activity id. `entries` are those of the
 * city at least.
 */
export async function findInventory(
  readModels: Pick<ReadModelStore, 'find' | 'load'>,
  collection: string,
  entries: Iterable<Listing>,
  question: InventoryQuestion,
  nowMs: number,
): Promise<readonly InventoryItem[]> {
  const touched = await touchedAllotments(readModels, collection, question);
  const items: InventoryItem[] = [];
  for (const entry of entries) {
    const item = itemOf(entry, question, touched, nowMs);
    if (item !== null) items.push(item);
  }
  return items.sort(
    (left, right) =>
      Number(right.deal !== null) - Number(left.deal !== null) ||
      left.presentPriceMinor - right.presentPriceMinor ||
      (left.activity.id < right.activity.id ? -1 : 1),
  );
}

/** What has happened to a city's allotments of a date, by their ids. */
export async function touchedAllotments(
  readModels: Pick<ReadModelStore, 'find' | 'load'>,
  collection: string,
  { city, date, activityId }: Pick<InventoryQuestion, 'city' | 'date' | 'activityId'>,
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const touched = new Map<string, InventoryDocument>();
  // The documents of this collection are what its projection's fold returned.
  const keep = (id: string, doc: object | null): unknown => doc && touched.set(id, doc as InventoryDocument);
  if (activityId !== null) {
    const loaded = await readModels.load(collection, [allotmentId(activityId, date)]);
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
  { activity, revision, listed, updatedAt }: Listing,
  question: InventoryQuestion,
  touched: ReadonlyMap<string, InventoryDocument>,
  nowMs: number,
): InventoryItem | null {
  if (!listed || activity.city !== question.city) return null;
  // No hotel is named here, so that nobody who asks is known to be a guest of one.
  if (activity.exclusiveTo !== null) return null;
  if (question.activityId !== null && activity.id !== question.activityId) return null;
  if (question.category !== null && activity.category !== question.category) return null;
  const day = dayOf(activity, question.date);
  if (day === null || nowMs >= day.lastEntryMs) return null;
  const opening = openingOf(activity, revision, day);
  const document = touched.get(allotmentId(activity.id, question.date));
  const terms = document ?? termsBySchedule(opening);
  const { capacity, unitPriceMinor } = standing(terms, opening);
  const availableSlots = Math.max(0, capacity - (document?.taken ?? 0));
  const deal = dealAt(terms.deal, opening, nowMs);
  const price = presentPrice(unitPriceMinor, deal, 0, opening, nowMs);
  const presentPriceMinor = price.unitPriceMinor - price.discountMinor;
  if (availableSlots < question.minSlots || (question.flashDealsOnly && deal === null)) return null;
  if (question.maxPriceMinor !== null && presentPriceMinor > question.maxPriceMinor) return null;
  return {
    activity,
    availableSlots,
    unitPriceMinor,
    presentPriceMinor,
    deal,
    updatedAt: document !== undefined && document.updatedAt > updatedAt ? document.updatedAt : updatedAt,
  };
}
