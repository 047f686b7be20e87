import type { ActivityId, LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { AgeGroup, TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { Visit } from '../../src/domain/booking/events.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import type { Budget } from '../../src/domain/recommendation/profile.ts';

/** Counts of verified visits by day and the other dimensions. */
export type VisitCell = {
  /** The city's local date of the voucher scan. */
  readonly day: LocalDate;
  /** Null for visits stored by a version that did not record the key. */
  readonly keyId: KeyId | null;
  readonly city: CityName;
  readonly venueId: VenueId;
  readonly activityId: ActivityId;
  readonly method: Visit['method'];
  /** The traveller segment of the recommendation; null for visits without a recommendation. */
  readonly travelType: TravelType | null;
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
  /** The name of the ranking model of the recommendation; null for visits without one. */
  readonly model: string | null;
  /** Without the disputed and the voided ones. */
  readonly visits: number;
  /** Of `visits`. */
  readonly guests: number;
  /** Visits whose booking was refunded in full, without the voided ones. */
  readonly disputed: number;
};
