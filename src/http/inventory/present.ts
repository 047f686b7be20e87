import type { InventoryItem } from '../../../projections/inventory/query.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { operatingHours } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { HttpContext } from '../context.ts';

/** An inventory item of the public contract. */
export function presentItem(
  { activity, availableSlots, unitPriceMinor, presentPriceMinor, deal, updatedAt }: InventoryItem,
  date: LocalDate,
  language: Language,
  context: Pick<HttpContext, 'supply'>,
) {
  return {
    activity_id: activity.id,
    title: activity.texts[language].title,
    category: activity.category,
    available_slots: availableSlots,
    price: toDecimal(presentPriceMinor, activity.currency),
    ...(deal === null ? {} : { original_price: toDecimal(unitPriceMinor, activity.currency) }),
    currency: activity.currency,
    is_flash_deal: deal !== null,
    ...(deal === null
      ? {}
      : { flash_deal_expires: new Date(deal.expiresAtMs).toISOString(), discount_percent: deal.discountPercent }),
    operating_hours: operatingHours(activity, date),
    last_updated: lastUpdated(updatedAt, context),
    venue_id: activity.venue.id,
    confirmation: activity.confirmation,
  };
}

/** When the catalogue was last confirmed, or when the entry or its date changed, if that is later. */
function lastUpdated(updatedAt: string, { supply }: Pick<HttpContext, 'supply'>): string {
  const confirmedAt = new Date(supply.status().confirmedAtMs).toISOString();
  return updatedAt > confirmedAt ? updatedAt : confirmedAt;
}
