import type { Category, Difficulty, Language } from '../domain/activity/vocabulary.ts';
import type { KeyId } from '../domain/booking/booking.ts';
import type { TravelProfile } from '../domain/recommendation/profile.ts';
import type { Place } from './place.ts';

/** What an answer leaves out. Null: nothing. */
export type Filters = {
  /** True leaves out what is outdoors, in part or as a whole; false is no wish. */
  readonly indoor: boolean | null;
  readonly difficulty: Difficulty | null;
  readonly maxPriceThbMinor: number | null;
  readonly categories: readonly Category[] | null;
};

export const NO_FILTERS: Filters = { indoor: null, difficulty: null, maxPriceThbMinor: null, categories: null };

/** A request for recommendations, read and found sound. */
export type RecommendRequest = {
  readonly keyId: KeyId;
  readonly profile: TravelProfile;
  readonly place: Place;
  readonly filters: Filters;
  readonly limit: number;
  readonly includeFlashDeals: boolean;
  readonly language: Language;
};
