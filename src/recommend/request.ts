import type { LocalDate } from '../domain/activity/activity.ts';
import type { Category, Difficulty, Language } from '../domain/activity/vocabulary.ts';
import type { KeyId, Mode } from '../domain/ids.ts';
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

/** Both ends are asked about. At most `MAX_ASKED_DAYS` dates of the city, none in the past. */
export type AskedDays = { readonly from: LocalDate; readonly to: LocalDate };

/** The context log stores no more dates of one ranking. */
export const MAX_ASKED_DAYS = 10;

/** A validated recommend request. */
export type RecommendRequest = {
  readonly keyId: KeyId;
  /** Of the key: decides which bookings take capacity. */
  readonly mode: Mode;
  readonly profile: TravelProfile;
  readonly place: Place;
  readonly filters: Filters;
  /** Null: today and `DAYS_AHEAD` days after it. */
  readonly days: AskedDays | null;
  /** Free slots that an activity must have; at least 1. */
  readonly guests: number;
  readonly limit: number;
  readonly includeFlashDeals: boolean;
  /** False: the operator has switched exploration off for the key. */
  readonly exploration: boolean;
  readonly language: Language;
};
