import { Elysia } from 'elysia';
import {
  type InventoryEntry,
  type InventoryItem,
  type InventoryQuery,
  inventoryOf,
  nextInventory,
} from '../../../projections/inventory/query.ts';
import { ALTERNATIVES, namedDates, SEARCHED_DAYS } from '../../application/activity/free-dates.ts';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import { forGuestsOnly } from '../../application/booking/booking-offer.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, cityFacts } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { toDecimal, toMinor } from '../../domain/activity/money.ts';
import { addDays, localDate, operatingHours } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { type Allotments, allotmentsOf } from '../../recommend/allotments-of-mode.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { dateIn } from '../dates.ts';
import * as schema from './schema.ts';

export function inventoryRoutes(context: HttpContext) {
  return new Elysia({ name: 'inventory', tags: ['Inventory'] }).use(access(context)).get(
    '/api/b2a/inventory',
    async ({ query, key, language, call }) => {
      const place = placeOf(query.city ?? null, query.activity_id ?? null, context);
      if (place.kind === 'refused') return call.refuse(place);
      const { city, activityId } = place;
      const nowMs = context.clock.nowMs();
      const date = dateIn(city, query.date ?? 'today', context);
      const dateTo = query.date_to === undefined ? null : dateIn(city, query.date_to, context);
      const filter = {
        city,
        date,
        dateTo: dateTo ?? date,
        activityId,
        category: query.category ?? null,
        minSlots: query.min_slots ?? 1,
        maxPriceMinor: query.max_price === undefined ? null : toMinor(query.max_price, cityFacts(city).currency),
        flashDealsOnly: query.flash_deals_only ?? false,
      };
      const allotments = allotmentsOf(key.mode, localDate(city, nowMs), context);
      const entries = entriesOf(city, activityId, context);
      const items = inventoryOf(entries, filter, allotments, nowMs);
      if (items.length === 0) return call.refuse(nothingFound(filter, allotments, nowMs, context));
      const shown = items.slice(0, query.limit ?? schema.DEFAULT_LIMIT);
      return success({
        inventory: shown.map((item) => presentItem(item, language ?? 'en', context)),
        metadata: {
          total_results: items.length,
          flash_deals_count: items.filter(({ deal }) => deal !== null).length,
          query_date: date,
          ...(dateTo === null ? {} : { query_date_to: dateTo }),
          city,
        },
      });
    },
    {
      apiKey: 'inventory',
      language: true,
      positioned: ['candidates'],
      query: schema.inventoryQuery(context),
      response: schema.INVENTORY_ANSWER,
      detail: schema.INVENTORY_DETAIL,
    },
  );
}

type Place = { readonly kind: 'place'; readonly city: CityName; readonly activityId: ActivityId | null };

/** The city of the request, else the city of its activity. Inventory never lists a hotel's own activity. */
function placeOf(
  cityName: string | null,
  activityId: string | null,
  { catalogue, hotels }: HttpContext,
): Place | Refused {
  const city = cityName === null ? null : findCity(cityName);
  if (city !== null && activityId === null) return { kind: 'place', city, activityId };
  const entry = catalogue.get(activityId ?? '');
  if (entry === undefined || !entry.listed || (city !== null && entry.activity.city !== city)) {
    return unknownActivity(activityId ?? '', city, catalogue);
  }
  const { exclusiveTo, texts } = entry.activity;
  if (exclusiveTo !== null) {
    const message = forGuestsOnly(texts.en.title, exclusiveTo, hotels());
    return refused('NO_INVENTORY', message, { alternatives: [] });
  }
  return { kind: 'place', city: entry.activity.city, activityId: entry.activity.id };
}

/** The entries of the catalogue that can match. */
function entriesOf(
  city: CityName,
  activityId: ActivityId | null,
  { catalogue }: HttpContext,
): Iterable<InventoryEntry> {
  if (activityId === null) return catalogue.inGroup(city);
  const entry = catalogue.get(activityId);
  return entry === undefined ? [] : [entry];
}

/** Names the next dates on which something matches; for flash deals, which end today, at full price. */
function nothingFound(query: InventoryQuery, allotments: Allotments, nowMs: number, context: HttpContext): Refused {
  const { city, date, dateTo = date, activityId, flashDealsOnly } = query;
  const { catalogue, limits } = context;
  const isListed = (name: CityName): boolean => [...catalogue.inGroup(name)].some(({ listed }) => listed);
  if (!isListed(city)) {
    const listed = CITY_NAMES.filter(isListed).join(', ');
    const message = `Waymark lists no activity in ${city} yet; try one of ${listed}.`;
    return refused('NO_INVENTORY', message, { alternatives: [] });
  }
  const found = nextInventory(
    entriesOf(city, activityId, context),
    { ...query, flashDealsOnly: false },
    {
      from: flashDealsOnly ? date : addDays(dateTo, 1),
      latest: addDays(localDate(city, nowMs), limits.daysAhead),
      days: SEARCHED_DAYS,
      count: ALTERNATIVES,
    },
    allotments,
    nowMs,
  );
  const alternatives = found.map((item) => ({
    activity_id: item.activity.id,
    date: item.date,
    available_slots: item.availableSlots,
  }));
  const on = dateTo === date ? `on ${date}` : `from ${date} to ${dateTo}`;
  const dates = namedDates(alternatives);
  const message = flashDealsOnly
    ? `There is no flash deal in ${city} ${on}; leave flash_deals_only out${dates}.`
    : `Nothing in ${city} ${on} matches; try another date${dates}, or fewer filters.`;
  return refused('NO_INVENTORY', message, { alternatives });
}

/** An inventory item of the public contract. */
function presentItem(
  { activity, date, availableSlots, unitPriceMinor, presentPriceMinor, deal, cancellation, updatedAt }: InventoryItem,
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
    date,
    cancellation_policy: presentPolicy(cancellation, language),
  };
}

/** When the catalogue was last confirmed, or when the entry or its date changed, if that is later. */
function lastUpdated(updatedAt: string, { supply }: Pick<HttpContext, 'supply'>): string {
  const confirmedAt = new Date(supply.status().confirmedAtMs).toISOString();
  return updatedAt > confirmedAt ? updatedAt : confirmedAt;
}
