import { Type } from 'typebox';
import { CITY_NAMES, type CityName, cityFacts } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { toMinor } from '../../domain/activity/money.ts';
import { CONFIRMATIONS } from '../../domain/activity/vocabulary.ts';
import { CATEGORY, CITY_NAME, COUNT, CURRENCY, DATE, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { CANCELLATION_POLICY, POLICY_EXAMPLE } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { daysRules, understoodDate } from '../dates.ts';
import * as field from '../fields.ts';
import { type Fault, optional, query } from '../schema.ts';

const INVENTORY_ITEM = Type.Object(
  {
    activity_id: Type.String({ description: 'Send it to execute_booking.' }),
    title: Type.String(),
    category: CATEGORY,
    available_slots: Type.Integer({ minimum: 0, description: 'One slot is one guest, children included.' }),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, now.' }),
    original_price: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Before the discount; only of a flash deal.' }),
    ),
    currency: CURRENCY,
    is_flash_deal: Type.Boolean({ description: 'Discounted now, for bookings of the same day.' }),
    flash_deal_expires: Type.Optional(TIMESTAMP),
    discount_percent: Type.Optional(Type.Integer({ minimum: 30, maximum: 50 })),
    operating_hours: Type.String({ description: 'Local times, `HH:MM-HH:MM`.' }),
    last_updated: TIMESTAMP,
    venue_id: Type.String(),
    confirmation: oneOf(CONFIRMATIONS),
    date: DATE,
    cancellation_policy: CANCELLATION_POLICY,
  },
  { $id: 'InventoryItem' },
);

export const INVENTORY_EXAMPLE = {
  inventory: [
    {
      activity_id: 'bkk-jim-thompson-house-tour',
      title: "Jim Thompson House: guided tour of the silk trader's home",
      category: 'cultural' as const,
      available_slots: 300,
      price: 250,
      currency: 'THB',
      is_flash_deal: false,
      operating_hours: '10:00-18:00',
      last_updated: '2026-11-21T06:49:26.015Z',
      venue_id: 'bkk-jim-thompson-house',
      confirmation: 'instant' as const,
      date: '2026-12-05',
      cancellation_policy: POLICY_EXAMPLE,
    },
  ],
  metadata: { total_results: 12, flash_deals_count: 0, query_date: '2026-12-05', city: 'Bangkok' as const },
};

export const INVENTORY_ANSWER = answers(
  Type.Object({
    inventory: Type.Array(INVENTORY_ITEM),
    metadata: Type.Object({
      total_results: COUNT,
      flash_deals_count: COUNT,
      query_date: DATE,
      query_date_to: Type.Optional(DATE),
      city: CITY_NAME,
    }),
  }),
  INVENTORY_EXAMPLE,
  ['ACTIVITY_NOT_FOUND', 'NO_INVENTORY'],
);

export const DEFAULT_LIMIT = 20;
/** Dates of one request. */
export const MAX_DAYS = 31;

const fieldsFor = (cityOf: (values: Values) => CityName | null, context: HttpContext) => ({
  city: field.cityName,
  date: understoodDate('date', cityOf, context),
  date_to: understoodDate('date_to', cityOf, context),
  activity_id: field.anyActivityId,
  category: field.category,
  flash_deals_only: optional(Type.Boolean({ default: false }), 'true or false'),
  min_slots: optional(Type.Integer({ minimum: 1, default: 1 }), 'a whole number from 1'),
  max_price: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }), "an amount above 0 in the city's currency"),
  limit: field.limit(50, DEFAULT_LIMIT),
});

/** Valid dates and prices depend on the city; valid dates also on its current date. */
export function inventoryQuery(context: HttpContext) {
  const examples = [{ city: 'Bangkok', date: '2026-12-05', category: 'cultural' }];
  const cityOf = (values: Values) => cityMeant(values, context);
  return query(Type.Object(fieldsFor(cityOf, context), { examples }), {
    city: cityRule,
    ...daysRules(MAX_DAYS, cityOf, context),
    max_price: (values) => priceRule(values, context),
  });
}

type Values = Readonly<Record<string, unknown>>;

/** A city must be supported. It may be left out only if an activity identifies it. */
export function cityRule({ city, activity_id: activityId }: Values): Fault | null {
  const sentence = `city is missing; send one of ${CITY_NAMES.join(', ')}, or an activity_id.`;
  return city === undefined && activityId === undefined ? { code: 'INVALID_REQUEST', sentence } : null;
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

/** The city of the request, else of its activity; null if neither is known. */
export function cityMeant({ city, activity_id: activityId }: Values, { catalogue }: HttpContext): CityName | null {
  if (typeof city === 'string') return findCity(city);
  return typeof activityId === 'string' ? (catalogue.get(activityId)?.activity.city ?? null) : null;
}

export const INVENTORY_DETAIL = {
  operationId: 'inventory',
  summary: 'What can still be booked for a date',
  description: [
    'Districts, islands, IATA codes and names in eight languages (`Ubud`, `Saigon`, `曼谷`) are understood as `city`, which may ' +
      'be left out if `activity_id` is sent.',
    `\`date\` is today by default. With \`date_to\`, the list has one item for each activity and date from \`date\` to ` +
      `\`date_to\`, ${MAX_DAYS} dates at most, the first date first.`,
    'Sorted: flash deals first, then by price, then by `activity_id`. `total_results` and `flash_deals_count` count ' +
      'all matches, before `limit`. The list follows bookings within moments.',
    'A flash deal is a discount of 30 to 50 percent on the day itself. It applies until `flash_deal_expires`; from ' +
      'that instant on the full price applies. A hold keeps the price at which it was made.',
  ].join('\n\n'),
};
