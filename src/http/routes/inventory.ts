import { Type } from 'typebox';
import { findInventory, type InventoryItem, type Listing } from '../../../projections/inventory/query.ts';
import { forGuestsOnly } from '../../application/booking-offer.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, cityFacts, findCity } from '../../domain/activity/cities.ts';
import { toDecimal, toMinor } from '../../domain/activity/money.ts';
import { addDays, localDate, operatingHours, parseLocalDate } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import type { HttpContext } from '../context.ts';
import { INVENTORY } from '../declarations/inventory.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { type Fault, form, optional } from '../form.ts';
import { freshCandidates, freshEnough } from '../freshness.ts';
import { faultOfCity } from '../known-city.ts';
import { preferredLanguage } from '../language.ts';

const DEFAULT_LIMIT = 20;

const FIELDS = {
  city: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the name of a city', 'INVALID_CITY'),
  date: field.anyDate,
  activity_id: field.anyActivityId,
  category: field.category,
  flash_deals_only: optional(Type.Boolean({ default: false }), 'true or false'),
  min_slots: optional(Type.Integer({ minimum: 1, default: 1 }), 'a whole number from 1'),
  max_price: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }), "an amount above 0 in the city's currency"),
  limit: optional(Type.Integer({ minimum: 1, maximum: 50, default: DEFAULT_LIMIT }), 'a whole number from 1 to 50'),
};

/** GET /api/b2a/inventory */
export function inventory(context: HttpContext) {
  return endpoint(context, INVENTORY, inventoryForm(context), async ({ fields, headers }) => {
    await Promise.all([freshEnough('inventory', headers, context), freshCandidates(headers, context)]);
    const place = placeOf(fields.city, fields.activity_id, context);
    if (place.kind === 'refused') return place;
    const { city } = place;
    const nowMs = context.clock.nowMs();
    const asked = (fields.date as LocalDate | null) ?? localDate(city, nowMs);
    const question = {
      city,
      date: asked,
      activityId: fields.activity_id as ActivityId | null,
      category: fields.category,
      minSlots: fields.min_slots ?? 1,
      maxPriceMinor: fields.max_price === null ? null : toMinor(fields.max_price, cityFacts(city).currency),
      flashDealsOnly: fields.flash_deals_only ?? false,
    };
    const items = await findInventory(
      context.readModels,
      await context.collection('inventory'),
      entriesOf(city, question.activityId, context),
      question,
      nowMs,
    );
    if (items.length === 0) {
      return refused('NO_INVENTORY', nothingFound(city, asked, question.flashDealsOnly, context));
    }
    const language = preferredLanguage(headers.get('accept-language')) ?? 'en';
    return {
      kind: 'data',
      data: {
        inventory: items
          .slice(0, fields.limit ?? DEFAULT_LIMIT)
          .map((item) => presentItem(item, asked, language, context)),
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

type Values = Readonly<Record<string, unknown>>;

/** What dates and prices are right is another matter in each city, and each day. */
function inventoryForm(context: HttpContext) {
  return form(FIELDS, {
    city: cityRule,
    date: (values) => dateRule(values, context),
    max_price: (values) => priceRule(values, context),
  });
}

/** A city must be supported, and may only be left out where an activity says which one is meant. */
function cityRule({ city, activity_id: activityId }: Values): Fault | null {
  if (typeof city === 'string') return faultOfCity(city);
  const sentence = `city is missing; send one of ${CITY_NAMES.join(', ')}, or an activity_id.`;
  return (activityId ?? null) === null ? { code: 'INVALID_REQUEST', sentence } : null;
}

/** Dates are those of the city, from its today on. */
function dateRule(values: Values, context: HttpContext): Fault | null {
  const city = cityMeant(values, context);
  if (city === null || typeof values['date'] !== 'string') return null;
  const asked = parseLocalDate(values['date']);
  const today = localDate(city, context.clock.nowMs());
  const latest = addDays(today, context.limits.daysAhead);
  if (asked === null || (asked >= today && asked <= latest)) return null;
  const why = asked < today ? 'in the past' : 'too far ahead';
  const sentence = `date ${asked} is ${why}; send a date from ${today} to ${latest} (dates are those of ${city}).`;
  return { code: 'INVALID_DATE', sentence };
}

function priceRule(values: Values, context: HttpContext): Fault | null {
  const city = cityMeant(values, context);
  const { max_price: price } = values;
  if (city === null || typeof price !== 'number') return null;
  const { currency } = cityFacts(city);
  if (toMinor(price, currency) !== null) return null;
  const sentence = `max_price must be an amount in ${currency} with that currency's decimals; it was ${price}.`;
  return { code: 'INVALID_REQUEST', sentence };
}

/** The city that a request is about; null where neither its city nor its activity says so. */
function cityMeant({ city, activity_id: activityId }: Values, { catalogue }: HttpContext): CityName | null {
  if (typeof city === 'string') return findCity(city);
  return typeof activityId === 'string' ? (catalogue.get(activityId)?.activity.city ?? null) : null;
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
  if (exclusiveTo !== null) return refused('NO_INVENTORY', forGuestsOnly(texts.en.title, exclusiveTo, hotels()));
  return { kind: 'place', city: entry.activity.city };
}

/** What of the catalogue is looked at. */
function entriesOf(city: CityName, activityId: ActivityId | null, { catalogue }: HttpContext): Iterable<Listing> {
  if (activityId === null) return catalogue.inGroup(city);
  const entry = catalogue.get(activityId);
  return entry === undefined ? [] : [entry];
}

function nothingFound(city: CityName, date: LocalDate, flashDealsOnly: boolean, { catalogue }: HttpContext): string {
  const isListed = (name: CityName): boolean => [...catalogue.inGroup(name)].some(({ listed }) => listed);
  if (!isListed(city)) {
    const listed = CITY_NAMES.filter(isListed).join(', ');
    return `Waymark lists no activity in ${city} yet; try one of ${listed}.`;
  }
  if (flashDealsOnly) return `There is no flash deal in ${city} on ${date}; leave flash_deals_only out.`;
  return `Nothing in ${city} on ${date} matches; try another date, or fewer filters.`;
}

function presentItem(
  { activity, availableSlots, unitPriceMinor, presentPriceMinor, deal, updatedAt }: InventoryItem,
  date: LocalDate,
  language: Language,
  context: HttpContext,
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

/** When the catalogue was last found to be in force; later where the entry or its date has changed since. */
function lastUpdated(updatedAt: string, { supply }: HttpContext): string {
  const confirmedAt = new Date(supply.status().confirmedAtMs).toISOString();
  return updatedAt > confirmedAt ? updatedAt : confirmedAt;
}
