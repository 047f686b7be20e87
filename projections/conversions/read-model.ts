import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { AgeGroup, TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';
import type { Budget } from '../../src/domain/recommendation/profile.ts';

/** Under what conversions are counted: who asked, where, for what kind of traveller, on which day. */
export type Circumstances = {
  /** The day on which it happened, `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** Null in visits of a version that did not note it. */
  readonly keyId: KeyId | null;
  readonly city: CityName;
  /** Null in bookings of a version that did not note it. */
  readonly travelType: TravelType | null;
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
};

/** How often each thing happened on its day; not what became of the requests of that day. */
export type ConversionCounts = {
  /** Answers of recommend. */
  readonly requests: number;
  /** Activities shown in them. */
  readonly recommended: number;
  /** Bookings begun, of those that a recommendation led to. */
  readonly booked: number;
  /** Bookings confirmed: at once, once their work was finished, or when their venue agreed. */
  readonly confirmed: number;
  readonly visited: number;
  /** Bookings cancelled, whether they had been confirmed or were still pending. */
  readonly cancelled: number;
};

/** Requests are counted in a cell without an activity, everything else in cells of one. A document never grows. */
export type ConversionCell = Circumstances & ConversionCounts & { readonly activityId: ActivityId | null };
