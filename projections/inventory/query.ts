import type { Activity, ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { dayOf } from '../../src/domain/activity/schedule.ts';
import type { Category } from '../../src/domain/activity/vocabulary.ts';
import { allotmentId, openingOf } from '../../src/domain/allotment/allotment.ts';
import { dealAt, type FlashDeal, presentPrice, standing, termsBySchedule } from '../../src/domain/allotment/terms.ts';
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
  /** Before the discount. */
  readonly unitPriceMinor: number;
  readonly presentPriceMinor: number;
  /** The deal that counts now; null for none. */
  readonly deal: FlashDeal | null;
  /** ISO 8601 UTC: when the date was last touched, or the entry last changed. */
  readonly updatedAt: string;
};

/** An entry of the catalogue as it stands now. */
export type Listed = {
  readonly activity: Activity;
  readonly revision: number;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};

/**
 * What of a city can still be booked for a date at a moment: the schedules of its activities, corrected by what has
 * happened to the date's allotments. Flash deals first, then the cheapest, then by activity id.
 */
export async function findInventory(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  listed: Iterable<Listed>,
  question: InventoryQuestion,
  nowMs: number,
): Promise<readonly InventoryItem[]> {
  const touched = await touchedAllotments(readModels, collection, question);
  const items: InventoryItem[] = [];
  for (const entry of listed) {
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
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { city, date }: Pick<InventoryQuestion, 'city' | 'date'>,
): Promise<ReadonlyMap<string, InventoryDocument>> {
  const page = await readModels.find(collection, { where: { city, date }, limit: MOST_ALLOTMENTS });
  // The documents of this collection are what its projection's fold returned.
  return new Map(page.items.map(({ id, doc }) => [id, doc as InventoryDocument]));
}

function itemOf(
  { activity, revision, updatedAt }: Listed,
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
