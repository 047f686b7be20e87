import type { Category, Difficulty, Language } from '../domain/activity/vocabulary.ts';
import type { KeyId } from '../domain/ids.ts';
import type { TravelProfile } from '../domain/recommendation/profile.ts';
import type { Place } from './place.ts';

/** A null filter excludes nothing. */
export type Filters = {
  /** True excludes activities that are outdoors or partly outdoors; false excludes nothing. */
  readonly indoor: boolean | null;
  readonly difficulty: Difficulty | null;
  readonly maxPriceThbMinor: number | null;
  readonly categories: readonly Category[] | null;
};

export const NO_FILTERS: Filters = { indoor: null, difficulty: null, maxPriceThbMinor: null, categories: null };

/** A validated recommend request. */
export type RecommendRequest = {
  readonly keyId: KeyId;
  readonly profile: TravelProfile;
  readonly place: Place;
  readonly filters: Filters;
  readonly limit: number;
  readonly includeFlashDeals: boolean;
  readonly language: Language;
};
