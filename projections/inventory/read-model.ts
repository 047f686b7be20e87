import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Currency } from '../../src/domain/activity/money.ts';

/** The state of one allotment. There is none for a date on which nothing has happened: then the schedule tells. */
export type InventoryDocument = {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly capacity: number;
  readonly taken: number;
  readonly unitPriceMinor: number;
  readonly currency: Currency;
  /** ISO 8601 UTC, of the last event. */
  readonly updatedAt: string;
};
