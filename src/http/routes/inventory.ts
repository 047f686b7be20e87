import { Type } from 'typebox';
import { findInventory, type InventoryItem } from '../../../projections/inventory/query.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { Activity, ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, cityFacts, findCity } from '../../domain/activity/cities.ts';
import { toDecimal, toMinor } from '../../domain/activity/money.ts';
import { addDays, localDate, operatingHours } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { Position } from '../../eventsourcing/message.ts';
import type { HttpContext } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { preferredLanguage } from '../language.ts';

/** How long a query waits for the position that the caller saw before it serves what there is. */
const FRESHNESS_MS = 2_000;
const DEFAULT_LIMIT = 20;

const shape = form({
  city: optional(Type.String({ minLength: 1, maxLength: 80 }), 'a supported city', 'INVALID_CITY'),
  date: field.date,
  activity_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'an activity id'),
  category: field.category,
  flash_deals_only: optional(Type.Boolean(), 'true or false'),
  min_slots: optional(Type.Integer({ minimum: 1 }), 'a whole number from 1'),
  max_price: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }), "an amount above 0 in the city's currency"),
  limit: optional(Type.Integer({ minimum: 1, maximum: 50 }), 'a whole number from 1 to 50'),
});

/** GET /api/b2a/inventory */
export function inventory(context: HttpContext) {
  return endpoint(context, { by: 'key', permission: 'inventory' }, shape, async ({ fields, headers }) => {
    const place = placeOf(fields.city, fields.activity_id, context);
    if (place.kind === 'refused') return place;
    const { city } = place;
    const nowMs = context.clock.nowMs();
    const today = localDate(city, nowMs);
    const asked = (fields.date as LocalDate | null) ?? today;
    const latest = addDays(today, context.limits.daysAhead);
    if (asked < today || asked > latest) {
      return refused(
        'INVALID_DATE',
        `date ${asked} is ${asked < today ? 'in the past' : 'too far ahead'}; send a date from ${today} to ${latest} (dates are those of ${city}).`,
      );
    }
    const { currency } = cityFacts(city);
    const maxPriceMinor = fields.max_price === null ? null : toMinor(fields.max_price, currency);
    if (fields.max_price !== null && maxPriceMinor === null) {
      return refused(
        'INVALID_REQUEST',
        `max_price must be an amount in ${currency} with that currency's decimals; it was ${fields.max_price}.`,
      );
    }
    await freshEnough(headers.get('x-position'), context);
    const activities = [...context.catalogue.values()].filter((entry) => entry.listed).map((entry) => entry.activity);
    const question = {
      city,
      date: asked,
      activityId: fields.activity_id as ActivityId | null,
      category: fields.category,
      minSlots: fields.min_slots ?? 1,
      maxPriceMinor,
      flashDealsOnly: fields.flash_deals_only ?? false,
    };
    const items = await findInventory(context.readModels, context.collection('inventory'), activities, question, nowMs);
    if (items.length === 0) {
      return refused('NO_INVENTORY', `Nothing in ${city} on ${asked} matches; try another date, or fewer filters.`);
    }
    const language = preferredLanguage(headers.get('accept-language')) ?? 'en';
    return {
      kind: 'data',
      data: {
        inventory: items
          .slice(0, fields.limit ?? DEFAULT_LIMIT)
          .map((item) => presentItem(item, asked, language, context)),
        metadata: { total_results: items.length, flash_deals_count: 0, query_date: asked, city },
      },
    };
  });
}

/** The city asked for; that of the activity where only this is given. */
function placeOf(
  cityName: string | null,
  activityId: string | null,
  { catalogue }: HttpContext,
): { readonly kind: 'place'; readonly city: CityName } | Refused {
  const city = cityName === null ? null : findCity(cityName);
  if (cityName !== null && city === null) {
    return refused(
      'INVALID_CITY',
      `city "${cityName}" is not in the service area; it must be one of ${CITY_NAMES.join(', ')}.`,
      {
        alternatives: CITY_NAMES.map((name) => ({ city: name })),
      },
    );
  }
  if (activityId === null) {
    if (city !== null) return { kind: 'place', city };
    return refused('INVALID_REQUEST', `city is missing; send one of ${CITY_NAMES.join(', ')}, or an activity_id.`);
  }
  const entry = catalogue.get(activityId);
  if (entry === undefined || !entry.listed || (city !== null && entry.activity.city !== city)) {
    const where = city === null ? '' : ` in ${city}`;
    return refused(
      'ACTIVITY_NOT_FOUND',
      `activity_id "${activityId}" does not exist${where}; take one from recommend or inventory.`,
    );
  }
  return { kind: 'place', city: entry.activity.city };
}

async function freshEnough(position: string | null, { waitFor }: HttpContext): Promise<void> {
  if (position !== null && /^[\d/-]{1,64}$/.test(position))
    await waitFor('inventory', position as Position, FRESHNESS_MS);
}

function presentItem(
  { activity, availableSlots, unitPriceMinor, updatedAt }: InventoryItem,
  date: LocalDate,
  language: Language,
  context: HttpContext,
) {
  return {
    activity_id: activity.id,
    title: activity.texts[language].title,
    category: activity.category,
    available_slots: availableSlots,
    price: toDecimal(unitPriceMinor, activity.currency),
    currency: activity.currency,
    is_flash_deal: false,
    operating_hours: operatingHours(activity, date),
    last_updated: updatedAt ?? listedAt(activity, context),
    venue_id: activity.venue.id,
    confirmation: activity.confirmation,
  };
}

function listedAt(activity: Activity, { catalogue, clock }: HttpContext): string {
  for (const entry of catalogue.values()) if (entry.activity.id === activity.id) return entry.updatedAt;
  return new Date(clock.nowMs()).toISOString();
}
