import type { ActivityId, LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { AgeGroup, TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { KeyId, Visit } from '../../src/domain/booking/booking.ts';
import type { Budget } from '../../src/domain/recommendation/profile.ts';

/** Verified visits of one kind on one day. A document never grows. */
export type VisitCell = {
  /** The date at the city when the guests came in. */
  readonly day: LocalDate;
  /** Null in visits of a version that did not note it. */
  readonly keyId: KeyId | null;
  readonly city: CityName;
  readonly venueId: VenueId;
  readonly activityId: ActivityId;
  readonly method: Visit['method'];
  /** What kind of traveller the recommendation was for; null of guests who came without one. */
  readonly travelType: TravelType | null;
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
  readonly visits: number;
  readonly guests: number;
};
