import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Currency } from '../../src/domain/activity/money.ts';
import type { Terms } from '../../src/domain/allotment/terms.ts';

/**
 * The state of one allotment, with the terms it is sold on as its events tell them. There is none for a date on which
 * nothing has happened: then the schedule tells.
 */
export type InventoryDocument = Terms & {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly taken: number;
  readonly currency: Currency;
  /** ISO 8601 UTC, of the last event. */
  readonly updatedAt: string;
};
