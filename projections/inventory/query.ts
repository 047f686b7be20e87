import type { Activity, ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { type AllotmentId, allotmentId } from '../../src/domain/allotment/allotment.ts';
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

/** An entry of the catalogue. */
export type Listing = {
  readonly activity: Activity;
  readonly listed: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};

export type InventoryItem = {
  readonly activity: Activity;
  readonly availableSlots: number;
  readonly unitPriceMinor: number;
  /** ISO 8601 UTC: when something last happened to the date's allotment, else to the entry of the catalogue. */
  readonly updatedAt: string;
};

/**
 * What of a city can still be booked for a date: the schedules of its activities, corrected by what has happened to the
 * date's allotments. Cheapest first, then by activity id. `entries` are those of the city at least.
 */
export async function findInventory(
  readModels: ReadModelStore,
  collection: string,
  entries: Iterable<Listing>,
  question: InventoryQuestion,
  nowMs: number,
): Promise<readonly InventoryItem[]> {
  // No deal can be active where none was ever opened.
  if (question.flashDealsOnly) return [];
  const touched = await touchedAllotments(readModels, collection, question);
  const items: InventoryItem[] = [];
  for (const entry of entries) {
    const item = itemOf(entry, question, touched, nowMs);
    if (item !== null) items.push(item);
  }
  return items.sort(
    (left, right) => left.unitPriceMinor - right.unitPriceMinor || (left.activity.id < right.activity.id ? -1 : 1),
  );
}

async function touchedAllotments(
  readModels: ReadModelStore,
  collection: string,
  { city, date, activityId }: InventoryQuestion,
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
  { activity, listed, updatedAt }: Listing,
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
  const id: AllotmentId = allotmentId(activity.id, question.date);
  const document = touched.get(id);
  const availableSlots = document === undefined ? day.capacity : Math.max(0, document.capacity - document.taken);
  const unitPriceMinor = document?.unitPriceMinor ?? day.unitPriceMinor;
  if (availableSlots < question.minSlots) return null;
  if (question.maxPriceMinor !== null && unitPriceMinor > question.maxPriceMinor) return null;
  return { activity, availableSlots, unitPriceMinor, updatedAt: document?.updatedAt ?? updatedAt };
}
