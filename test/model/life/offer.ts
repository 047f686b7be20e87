import type { CancellationPolicy, LocalDate } from '../../../src/domain/activity/activity.ts';
import type { DateSchedule } from '../../../src/domain/allotment/events.ts';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { RAFTING } from './system.ts';

/** Deadline of a claim. */
export const CLAIM_MS = MINUTE_MS;

/** Capacity, price and policy of a date. */
export type Offer = {
  readonly capacity: number;
  readonly unitPriceMinor: number;
  readonly cancellation: CancellationPolicy;
};
export const OFFER: Offer = {
  capacity: 6,
  unitPriceMinor: 1_000,
  cancellation: { freeUntilHours: 24, percentKept: 50 },
};

export function schedule(on: LocalDate, { capacity, unitPriceMinor, cancellation }: Offer): DateSchedule {
  const { activity: activityId } = RAFTING;
  return {
    activityId,
    city: 'Bangkok',
    date: on,
    capacity,
    unitPriceMinor,
    currency: 'THB',
    cancellation,
    catalogueRevision: 0,
  };
}
