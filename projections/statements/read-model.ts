import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Currency } from '../../src/domain/activity/money.ts';
import type { AgeGroup, TravelType } from '../../src/domain/activity/vocabulary.ts';
import type { BookingId, KeyId } from '../../src/domain/ids.ts';
import type { Budget } from '../../src/domain/recommendation/profile.ts';

/** The change of a booking that charges or refunds, as reports count it. */
export type Subject = {
  /** The city's local date of `at`; the UTC date if the city is unknown. */
  readonly day: LocalDate;
  /** City and activity are null if the event that charges or refunds was left out. */
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  /** The traveller segment of the recommendation; null without one. */
  readonly travelType: TravelType | null;
  readonly budget: Budget | null;
  readonly ageGroup: AgeGroup | null;
  /** The name of the ranking model; null without a recommendation. */
  readonly model: string | null;
  /** 1 for a confirmation. */
  readonly bookings: 0 | 1;
  /** The guests of a confirmation; 0 for other changes. */
  readonly guests: number;
};

/** A change of a booking until its charge or refund follows; for ever if none does. */
export type StatementChange = Subject & { readonly kind: 'change' };

/** One charge or refund of a key. Documents are immutable. */
export type StatementItem = Subject & {
  readonly kind: 'item';
  readonly keyId: KeyId;
  /** The month of `at`: `YYYY-MM` in UTC. */
  readonly month: string;
  /** When the charge or refund was requested, ISO 8601 UTC. */
  readonly at: string;
  /** Log position as a text. The sort key, because `at` is not monotonic. */
  readonly place: string;
  readonly type: 'charge' | 'refund';
  readonly bookingId: BookingId;
  readonly amountMinor: number;
  readonly currency: Currency;
};

/** The totals of one key, month and currency. */
export type StatementTotal = {
  readonly kind: 'total';
  readonly keyId: KeyId;
  readonly month: string;
  readonly currency: Currency;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
};

export type StatementDocument = StatementChange | StatementItem | StatementTotal;
