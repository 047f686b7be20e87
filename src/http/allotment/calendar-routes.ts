import { Elysia } from 'elysia';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { allotmentsById } from '../../../projections/inventory/query.ts';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { addDays, datesIn, localDate } from '../../domain/activity/schedule.ts';
import { type CalendarDate, calendarDate, type OnSale } from '../../domain/allotment/calendar.ts';
import { allotmentIdOf } from '../../domain/ids.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { searchCatalogue } from '../catalogue/search.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { dateIn } from '../dates.ts';
import { activitiesWith } from './calendar-filter.ts';
import * as schema from './calendar-schema.ts';
import { presentDeal } from './present-deal.ts';

export function calendarRoutes(context: HttpContext) {
  const { catalogue, clock, limits, readModels } = context;
  return new Elysia({ name: 'calendar', tags: ['Inventory'] }).use(access(context)).get(
    '/api/calendar',
    async ({ query, call }) => {
      const { activity_id: activityId } = query;
      const only = activityId === undefined ? null : catalogue.get(activityId);
      const city = query.city === undefined ? (only?.activity.city ?? null) : findCity(query.city);
      if (city === null || only === undefined || (only !== null && only.activity.city !== city))
        return call.refuse(unknownActivity(activityId ?? '', city, catalogue));
      const nowMs = clock.nowMs();
      const today = localDate(city, nowMs);
      const onSale = { nowMs, lastDate: addDays(today, limits.daysAhead) };
      const from = dateIn(city, query.from ?? 'today', context);
      const to = query.to === undefined ? addDays(from, schema.DEFAULT_DAYS - 1) : dateIn(city, query.to, context);
      const dates = datesIn(from, to);
      const having =
        query.having === undefined ? null : await activitiesWith(query.having, city, dates, onSale, context);
      const { items, next } =
        only === null ? await pageOf(city, query, having, context) : { items: [only], next: null };
      const ids = items.flatMap(({ activity }) => dates.map((date) => allotmentIdOf(activity.id, date)));
      const allotments = await allotmentsById(readModels, await context.collection('inventory'), ids);
      const datesOf = (entry: ActivityDocument) =>
        dates.map((date) =>
          calendarDate(entry, date, allotments.get(allotmentIdOf(entry.activity.id, date)) ?? null, onSale),
        );
      return success({
        city,
        currency: cityFacts(city).currency,
        today,
        from,
        to,
        items: items.map((entry) => presentRow(entry, datesOf(entry), onSale)),
        next_cursor: writeCursor(next),
      });
    },
    {
      positioned: ['inventory', 'candidates'],
      operator: true,
      query: schema.calendarQuery(context),
      response: schema.CALENDAR_ANSWER,
      detail: schema.CALENDAR_DETAIL,
    },
  );
}

type Query = ReturnType<typeof schema.calendarQuery>['~standard']['types']['output'];

/** @param having ids of activities; null: all */
async function pageOf(
  city: CityName,
  { q, category, limit, cursor }: Query,
  having: ReadonlySet<string> | null,
  { catalogue }: HttpContext,
) {
  const entries = [...catalogue.inGroup(city)].filter(({ activity }) => having?.has(activity.id) ?? true);
  const search = { text: q ?? null, category: category ?? null, city, venue: null, exclusive: true };
  return searchCatalogue(entries, search, limit ?? schema.DEFAULT_LIMIT, readCursor(cursor));
}

function presentRow({ activity, override }: ActivityDocument, dates: readonly CalendarDate[], onSale: OnSale) {
  return {
    activity_id: activity.id,
    title: activity.texts.en.title,
    category: activity.category,
    venue_id: activity.venue.id,
    venue_name: activity.venue.name,
    exclusive_to: activity.exclusiveTo,
    overridden: override !== null,
    dates: dates.map((date) => presentDate(date, onSale.nowMs)),
  };
}

/** @param nowMs ms since the epoch */
function presentDate(shown: CalendarDate, nowMs: number) {
  const {
    date,
    state,
    closure,
    cancelledBecause,
    capacity,
    sold,
    held,
    free,
    unitPriceMinor,
    deal,
    schedule,
    setByOperator,
  } = shown;
  const terms = unitPriceMinor === null || schedule === null ? null : { unitPriceMinor, schedule };
  return {
    date: date satisfies LocalDate,
    state,
    closed_because: closure,
    cancelled_because: cancelledBecause,
    capacity,
    sold,
    held,
    free,
    price: terms && toDecimal(terms.unitPriceMinor, terms.schedule.currency),
    flash_deal: deal && terms && presentDeal(deal, terms.unitPriceMinor, terms.schedule, nowMs),
    set_by_operator: setByOperator,
  };
}
