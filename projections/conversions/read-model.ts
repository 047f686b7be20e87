import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { AgeGroup, TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import type { Budget } from '../../src/domain/recommendation/profile.ts';

/** The dimensions of the conversion counts: day, API key, city, traveller segment and ranking model. */
export type Dimensions = {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** Null for visits stored by a version that did not record the key. */
  readonly keyId: KeyId | null;
  readonly city: CityName;
  /** Null for bookings stored by a version that did not record the segment. */
  readonly travelType: TravelType | null;
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
  /** The name of the ranking model. */
  readonly model: string;
};

/** Each count belongs to the day of its own event, not to the day of the request that led to it. */
export type ConversionCounts = {
  /** Answered recommend requests. */
  readonly requests: number;
  /** Activities shown in the answers. */
  readonly recommended: number;
  /** Bookings started after a recommendation. */
  readonly booked: number;
  /** Bookings confirmed: at once, by the service after a slow start, or by the venue. */
  readonly confirmed: number;
  readonly visited: number;
  /** Bookings cancelled, confirmed or pending. */
  readonly cancelled: number;
};

/** `requests` is counted in cells without an activity, everything else in cells with one. */
export type ConversionCell = Dimensions & ConversionCounts & { readonly activityId: ActivityId | null };
