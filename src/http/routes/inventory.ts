import { Type } from 'typebox';
import { findInventory, type InventoryItem } from '../../../projections/inventory/query.ts';
import { forGuestsOnly } from '../../application/booking-offer.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { Activity, ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, cityFacts, findCity } from '../../domain/activity/cities.ts';
import { toDecimal, toMinor } from '../../domain/activity/money.ts';
import { addDays, localDate, operatingHours } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { HttpContext } from '../context.ts';
import { INVENTORY } from '../declarations/inventory.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { type Fault, form, optional } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { preferredLanguage } from '../language.ts';

const DEFAULT_LIMIT = 20;

const FIELDS = {
  city: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the name of a city', 'INVALID_CITY'),
  date: field.anyDate,
  activity_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'an activity id'),
  category: field.category,
  flash_deals_only: optional(Type.Boolean({ default: false }), 'true or false'),
  min_slots: optional(Type.Integer({ minimum: 1, default: 1 }), 'a whole number from 1'),
  max_price: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }), "an amount above 0 in the city's currency"),
  limit: optional(Type.Integer({ minimum: 1, maximum: 50, default: DEFAULT_LIMIT }), 'a whole number from 1 to 50'),
};
const shape = form(FIELDS, { city: cityRule });

/** GET /api/b2a/inventory */
export function inventory(context: HttpContext) {
  return endpoint(context, INVENTORY, shape, async ({ fields, headers }) => {
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
    await freshEnough('inventory', headers, context);
    const listed = [...context.catalogue.values()].filter((entry) => entry.listed);
    const question = {
      city,
      date: asked,
      activityId: fields.activity_id as ActivityId | null,
      category: fields.category,
      minSlots: fields.min_slots ?? 1,
      maxPriceMinor,
      flashDealsOnly: fields.flash_deals_only ?? false,
    };
    const items = await findInventory(
      context.readModels,
      await context.collection('inventory'),
      listed,
      question,
      nowMs,
    );
    if (items.length === 0) {
      return refused('NO_INVENTORY', nothingFound(city, asked, listed, question.flashDealsOnly));
    }
    const language = preferredLanguage(headers.get('accept-language')) ?? 'en';
    return {
      kind: 'data',
      data: {
        inventory: items.slice(0, fields.limit ?? DEFAULT_LIMIT).map((item) => presentItem(item, asked, language)),
        metadata: {
          total_results: items.length,
          flash_deals_count: items.filter(({ deal }) => deal !== null).length,
          query_date: asked,
          city,
        },
      },
    };
  });
}

/** A city must be supported, and may only be left out where an activity says which one is meant. */
function cityRule({ city, activity_id: activityId }: Readonly<Record<string, unknown>>): Fault | null {
  const names = CITY_NAMES.join(', ');
  if (typeof city !== 'string') {
    const sentence = `city is missing; send one of ${names}, or an activity_id.`;
    return (activityId ?? null) === null ? { code: 'INVALID_REQUEST', sentence } : null;
  }
  if (findCity(city) !== null) return null;
  const sentence = `city "${city}" is not in the service area; it must be one of ${names}.`;
  return { code: 'INVALID_CITY', sentence, alternatives: CITY_NAMES.map((name) => ({ city: name })) };
}

/** The city asked for; that of the activity where only this is given. A hotel's own activity is never listed. */
function placeOf(
  cityName: string | null,
  activityId: string | null,
  { catalogue, hotels }: HttpContext,
): { readonly kind: 'place'; readonly city: CityName } | Refused {
  const city = cityName === null ? null : findCity(cityName);
  if (city !== null && activityId === null) return { kind: 'place', city };
  const entry = catalogue.get(activityId ?? '');
  if (entry === undefined || !entry.listed || (city !== null && entry.activity.city !== city)) {
    const where = city === null ? '' : ` in ${city}`;
    return refused(
      'ACTIVITY_NOT_FOUND',
      `activity_id "${activityId}" does not exist${where}; take one from inventory.`,
    );
  }
  const { exclusiveTo, texts } = entry.activity;
  if (exclusiveTo !== null) return refused('NO_INVENTORY', forGuestsOnly(texts.en.title, exclusiveTo, hotels));
  return { kind: 'place', city: entry.activity.city };
}

function nothingFound(
  city: CityName,
  date: LocalDate,
  listed: readonly { readonly activity: Activity }[],
  flashDealsOnly: boolean,
): string {
  if (!listed.some(({ activity }) => activity.city === city)) {
    const cities = [...new Set(listed.map(({ activity }) => activity.city))].join(', ');
    return `Waymark lists no activity in ${city} yet; try one of ${cities}.`;
  }
  if (flashDealsOnly) return `There is no flash deal in ${city} on ${date}; leave flash_deals_only out.`;
  return `Nothing in ${city} on ${date} matches; try another date, or fewer filters.`;
}

function presentItem(
  { activity, availableSlots, unitPriceMinor, presentPriceMinor, deal, updatedAt }: InventoryItem,
  date: LocalDate,
  language: Language,
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
    last_updated: updatedAt,
    venue_id: activity.venue.id,
    confirmation: activity.confirmation,
  };
}
