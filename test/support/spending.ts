import type { BookingPricing } from '../../src/domain/activity/pricing.ts';
import { type Credentials, type Service, withKey } from './service.ts';
import type { AnswerOf } from './service-answers.ts';

export type Own = AnswerOf<'get /api/keys/self'>;

/** What two adults on the river walk cost, in THB. */
export const WALK = 241;
/** Cancellation is free for this date. */
export const LATER = '2026-11-27';

export const NO_SPENDING_LIMITS = { booking_total: null, day_total: null, currency: null };

/** A key with these limits, in THB by default. */
export async function keyWithLimits(service: Service, limits: object): Promise<Credentials & { readonly id: string }> {
  const { key, id } = await service.createKey({ limits: { currency: 'THB', ...limits } });
  return { ...withKey(key), id };
}

/** Today's use of the key's limit; undefined without a limit. */
export async function usedBy(service: Service, headers: Credentials): Promise<number | undefined> {
  return (await service.get<Own>('/api/keys/self', headers)).data.spending?.today.used;
}

/** The members of a booking's events that the recount reads. */
type Fact = {
  readonly type: string;
  readonly data: {
    readonly at?: string;
    readonly pricing?: BookingPricing;
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
    const { amountMinor = 0 } = data;
    if (data.pricing !== undefined) {
      const guests = (data.numAdults ?? 0) + (data.numChildren ?? 0);
      const lines = data.pricing.lines ?? [{ ...data.pricing, guests }];
      total = lines.reduce((sum, line) => sum + (line.unitPriceMinor - line.discountMinor) * line.guests, 0);
    }
    if (type === 'ChargeRecorded') charges++;
    // The first charge is that of the confirmation, which counted with the booking.
    const charged = type === 'RefundRecorded' ? -amountMinor : charges > 1 ? amountMinor : 0;
    const change = type.endsWith('Recorded') ? charged : changeOf(type, { before, total, confirmed });
    confirmed ||= type === 'BookingConfirmed';
    if (at.startsWith(day)) counted = Math.max(0, counted + change);
  }
  return counted;
}

/** Unconfirmed bookings count with their total. */
function changeOf(
  type: string,
  { before, total, confirmed }: { readonly before: number; readonly total: number; readonly confirmed: boolean },
): number {
  if (isFirst(type)) return before === 0 ? total : 0;
  if (confirmed) return 0;
  if (type === 'BookingModified') return total - before;
  return type === 'BookingCancelled' || type === 'BookingRejected' ? -before : 0;
}

function isFirst(type: string): boolean {
  return type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed';
}
