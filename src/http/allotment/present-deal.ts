import { toDecimal } from '../../domain/activity/money.ts';
import { priceOf } from '../../domain/activity/pricing.ts';
import type { DateSchedule } from '../../domain/allotment/events.ts';
import { dealAt, type FlashDeal } from '../../domain/allotment/terms.ts';

/** @param unitPriceMinor before the discount */
export function presentDeal(deal: FlashDeal, unitPriceMinor: number, schedule: DateSchedule, nowMs: number) {
  const { currency } = schedule;
  const { discountMinor } = priceOf({ unitPriceMinor, currency }, deal.discountPercent);
  return {
    discount_percent: deal.discountPercent,
    expires_at: new Date(deal.expiresAtMs).toISOString(),
    by: deal.by,
    price: toDecimal(unitPriceMinor - discountMinor, currency),
    active: dealAt(deal, schedule, nowMs) !== null,
  };
}
