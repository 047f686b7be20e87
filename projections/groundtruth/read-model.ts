import type { ActivityId } from '../../src/domain/activity/activity.ts';
import { TRAVEL_TYPES, type TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { Span } from '../../src/domain/learning/fading.ts';

/**
 * How often an activity was visited, and how often its places in the answers led to expect. Each list has one sum for all
 * travellers, then one for each travel type (`sumOf`). Sums are weighted by `weightAt` (domain/learning/fading.ts):
 * multiply them by `fadeAt`.
 */
export type Sums = { readonly visited: readonly number[]; readonly expected: readonly number[] };
export type SumsOfSpans = Readonly<Record<Span, Sums>>;

/** One document per activity, keyed by its id. The sums are those of `keys`, each within the bound of its share. */
export type GroundTruthDocument = SumsOfSpans & {
  readonly activityId: ActivityId;
  /** Time of the latest visit, ms since the epoch. */
  readonly latestMs: number;
  /** By bucket of keys. */
  readonly keys: Readonly<Record<string, KeySums>>;
};

/** The sums of the keys in a bucket, and the number of visits in them. */
export type KeySums = SumsOfSpans & { readonly visits: number };

/** Index of all travellers' sum. */
export const EVERYBODY = 0;

/** Number of sums in a list. */
export const SUMS = 1 + TRAVEL_TYPES.length;

/** Index of a travel type's sum. */
export function sumOf(travelType: TravelType): number {
  return 1 + TRAVEL_TYPES.indexOf(travelType);
}
