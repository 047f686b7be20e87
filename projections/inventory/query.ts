import type { Activity, ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { type AllotmentId, allotmentId } from '../../src/domain/allotment/allotment.ts';
import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { InventoryDocument } from './read-model.ts';

/** Touched allotments of one city and date: at most the city's activities. */
const MOST_ALLOTMENTS = 1_000;

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

export type InventoryItem = {
  readonly activity: Activity;
  readonly availableSlots: number;
  readonly unitPriceMinor: number;
  /** ISO 8601 UTC; null where the date has not been touched since the catalogue was loaded. */
  readonly updatedAt: string | null;
};

/**
 * What of a city can still be booked for a date: the schedules of its activities, corrected by what has happened to the
 * date's allotments. Cheapest first, then by activity id.
 */
export async function findInventory(
  readModels: ReadModelStore,
  collection: string,
  activities: Iterable<Activity>,
  question: InventoryQuestion,
  nowMs: number,
): Promise<readonly InventoryItem[]> {
  // No deal can be active where none was ever opened.
  if (question.flashDealsOnly) return [];
  const touched = await touchedAllotments(readModels, collection, question);
  const items: InventoryItem[] = [];
  for (const activity of activities) {
    const item = itemOf(activity, question, touched, nowMs);
    if (item !== null) items.push(item);
  }
  return items.sort(
    (left, right) => left.unitPriceMinor - right.unitPriceMinor || (left.activity.id < right.activity.id ? -1 : 1),
  );
}

async function touchedAllotments(
  readModels: ReadModelStore,
  collection: string,
  { city, date }: InventoryQuestion,
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const page = await readModels.find(collection, { where: { city, date }, limit: MOST_ALLOTMENTS });
  // The documents of this collection are what its projection's fold returned.
  return new Map(page.items.map(({ id, doc }) => [id, doc as InventoryDocument]));
}

function itemOf(
  activity: Activity,
  question: InventoryQuestion,
  touched: ReadonlyMap<string, InventoryDocument>,
  nowMs: number,
): InventoryItem | null {
  if (activity.city !== question.city) return null;
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
  return { activity, availableSlots, unitPriceMinor, updatedAt: document?.updatedAt ?? null };
}
