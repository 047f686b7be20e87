import type { Pricing } from '../../src/domain/activity/pricing.ts';

/** The members of a booking's events that the recount reads. */
type Fact = {
  readonly type: string;
  readonly data: {
    readonly at?: string;
    readonly pricing?: Pricing;
    readonly numAdults?: number;
    readonly numChildren?: number;
    readonly amountMinor?: number;
  };
};

/**
 * What the events of one booking count for its key's spending on a day in UTC, in minor units of the booking's currency.
 * Computed from the events alone, without the code of src/domain/spending.
 *
 * @param events of the booking's stream; stored types may carry their version
 */
export function recountOf(events: readonly object[], day: string): number {
  let counted = 0;
  let total = 0;
  let [confirmed, charges] = [false, 0];
  let at = '';
  for (const event of events as readonly Fact[]) {
    const { data } = event;
    const type = event.type.replace(/\.v\d+$/, '');
    if (type.startsWith('Booking') && data.at !== undefined && (total === 0 || !isFirst(type))) at = data.at;
    const before = total;
    if (data.pricing !== undefined) {
      const guests = (data.numAdults ?? 0) + (data.numChildren ?? 0);
      total = (data.pricing.unitPriceMinor - data.pricing.discountMinor) * guests;
    }
    let change = 0;
    if (isFirst(type)) change = before === 0 ? total : 0;
    if (type === 'BookingModified' && !confirmed) change = total - before;
    if ((type === 'BookingCancelled' || type === 'BookingRejected') && !confirmed) change = -before;
    if (type === 'ChargeRecorded' && ++charges > 1) change = data.amountMinor ?? 0;
    if (type === 'RefundRecorded') change = -(data.amountMinor ?? 0);
    confirmed ||= type === 'BookingConfirmed';
    if (at.startsWith(day)) counted = Math.max(0, counted + change);
  }
  return counted;
}

function isFirst(type: string): boolean {
  return type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed';
}
