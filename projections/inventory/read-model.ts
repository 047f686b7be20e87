import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Currency } from '../../src/domain/activity/money.ts';
import type { DateCancellationReason } from '../../src/domain/allotment/cancellation.ts';
import type { Terms } from '../../src/domain/allotment/terms.ts';

/**
 * The state and the sales terms of one allotment. A date without allotment events has no document: its schedule applies
 * unchanged.
 */
export type InventoryDocument = Terms & {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  /** Slots of bookings and open holds. */
  readonly taken: number;
  /** The part of `taken` that belongs to open holds. */
  readonly held: number;
  /** Null unless the operator cancelled the whole date and has not set a capacity since. */
  readonly cancelledBecause: DateCancellationReason | null;
  /** Whether its bookings are being cancelled: no capacity can be set meanwhile. */
  readonly cancellationRuns: boolean;
  readonly currency: Currency;
  /** ISO 8601 UTC, of the last event. */
  readonly updatedAt: string;
};
