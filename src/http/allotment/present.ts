import type { Static } from 'typebox';
import type { AllotmentView } from '../../application/allotment/operate-allotment.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { priceOf } from '../../domain/activity/pricing.ts';
import type { DateSchedule } from '../../domain/allotment/events.ts';
import { freeSlots } from '../../domain/allotment/state.ts';
import { dealAt, effectiveTerms, type FlashDeal, initialTerms } from '../../domain/allotment/terms.ts';
import type { ALLOTMENT } from './schema.ts';

/**
 * The allotment of the public contract.
 *
 * @param nowMs ms since the epoch
 */
export function presentAllotment({ schedule, allotment }: AllotmentView, nowMs: number): Static<typeof ALLOTMENT> {
  const terms = allotment.status === 'open' ? allotment : initialTerms(schedule);
  const { capacity, unitPriceMinor } = effectiveTerms(terms, schedule);
  const { activityId, date, currency } = schedule;
  const { taken, held } = allotment.status === 'open' ? allotment : { taken: 0, held: 0 };
  const { setCapacity, setPriceMinor, deal, dealsBy } = terms;
  return {
    activity_id: activityId,
    date,
    capacity,
    capacity_by: setCapacity === null ? 'schedule' : 'operator',
    taken,
    held,
    free: freeSlots(allotment, schedule),
    price: toDecimal(unitPriceMinor, currency),
    price_by: setPriceMinor === null ? 'schedule' : 'operator',
    currency,
    flash_deal: deal === null || nowMs >= deal.expiresAtMs ? null : presentDeal(deal, unitPriceMinor, schedule, nowMs),
    flash_deals_by: dealsBy,
  };
}

function presentDeal(deal: FlashDeal, unitPriceMinor: number, schedule: DateSchedule, nowMs: number) {
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
