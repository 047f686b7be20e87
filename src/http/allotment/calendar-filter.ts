import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { type CalendarDate, calendarDate, type OnSale } from '../../domain/allotment/calendar.ts';
import { groupOfAllotment } from '../../recommend/allotments-of-mode.ts';
import type { HttpContext } from '../context.ts';

/** A property of a date by which a calendar is filtered. */
export const CALENDAR_FILTERS = ['sold_out', 'nearly_sold_out', 'cancelled', 'deal', 'set_by_operator'] as const;
type CalendarFilter = (typeof CALENDAR_FILTERS)[number];

/**
 * The ids of a city's activities that have one of the dates with the property. Only an allotment with events has one, so
 * the search reads those of dates to come, in memory. Each date is searched in a turn of the event loop.
 */
export async function activitiesWith(
  filter: CalendarFilter,
  city: CityName,
  dates: readonly LocalDate[],
  onSale: OnSale,
  { allotments, catalogue }: Pick<HttpContext, 'allotments' | 'catalogue'>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const matches = (document: InventoryDocument): boolean => {
    const entry = catalogue.get(document.activityId);
    return entry !== undefined && has(filter, calendarDate(entry, document.date, document, onSale));
  };
  for (const date of dates) {
    for (const document of allotments.inGroup(groupOfAllotment({ city, date })))
      if (!found.has(document.activityId) && matches(document)) found.add(document.activityId);
    await new Promise(setImmediate);
  }
  return found;
}

function has(filter: CalendarFilter, { state, deal, setByOperator }: CalendarDate): boolean {
  if (filter === 'deal') return deal !== null;
  if (filter === 'set_by_operator') return setByOperator.length > 0;
  return state === filter;
}
