import { Type } from 'typebox';
import type { CityName } from '../../domain/activity/cities.ts';
import { toMinor } from '../../domain/activity/money.ts';
import { AGE_GROUPS, CATEGORIES, CONFIRMATIONS, DIFFICULTIES, TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import { BUDGETS } from '../../domain/recommendation/profile.ts';
import { parseCountry } from '../../recommend/countries.ts';
import { MAX_ASKED_DAYS } from '../../recommend/request.ts';
import { CATEGORY, CURRENCY, DATE, oneOf, TRAVEL_TYPE } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { CANCELLATION_POLICY, POLICY_EXAMPLE } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { daysRules, understoodDate } from '../dates.ts';
import * as field from '../fields.ts';
import { body, optional, required } from '../schema.ts';
import { type Locator, locationRules, MAX_TOKEN } from './location.ts';

const factor = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const RECOMMENDED_ACTIVITY = Type.Object(
  {
    id: Type.String({ description: 'Send it to execute_booking as `activity_id`.' }),
    title: Type.String(),
    description: Type.String(),
    category: CATEGORY,
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, on `available_date`.' }),
    currency: CURRENCY,
    relevance_score: Type.Number({ minimum: 0, maximum: 100, description: 'The list is sorted by it.' }),
    recommendation_reason: Type.String({ description: 'For the traveller, in their language.' }),
    is_flash_deal: Type.Boolean({ description: 'Discounted now, for bookings of today for today.' }),
    original_price: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Before the discount; only of a flash deal.' }),
    ),
    images: Type.Array(Type.String(), {
      description: 'Photographs; of an activity without one, its drawn picture (PNG, 1200 × 800).',
    }),
    venue_id: Type.String(),
    confirmation: oneOf(CONFIRMATIONS),
    score_breakdown: Type.Object(
      {
        profile: factor('30 % of the score: travel type, interests, age group.'),
        ground_truth: factor('25 %: verified visits of similar travellers.'),
        weather: factor('20 %: whether the forecast suits it.'),
        time: factor('15 %: the time of day.'),
        price: factor('10 %: the budget.'),
      },
      { description: 'Each factor before its weight.' },
    ),
    available_date: DATE,
    lat: Type.Number(),
    lon: Type.Number(),
    cancellation_policy: CANCELLATION_POLICY,
  },
  { $id: 'RecommendedActivity', description: 'Texts are in the language of the request.' },
);

export const RECOMMENDED_ANSWER = answers(
  Type.Object({
    recommendations: Type.Array(RECOMMENDED_ACTIVITY),
    context: Type.Object({
      log_id: Type.String({ description: 'Send it to execute_booking as `context_log_id`.' }),
      user_profile_summary: Type.String(),
      environment_summary: Type.String({ description: 'Place, time and weather that the ranking used.' }),
      hotel_rate: Type.Optional(
        Type.Boolean({ description: 'Whether prices include the rates of the hotel; only if the request names one.' }),
      ),
      exchange_rates: Type.Optional(
        Type.Object(
          {
            as_of: DATE,
            units_per_usd: Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0 })),
          },
          { description: 'The rates with which prices in other currencies were compared with `max_price`.' },
        ),
      ),
    }),
  }),
  {
    recommendations: [
      {
        id: 'bkk-bamboo-bar-jazz',
        title: 'Live jazz and two cocktails at The Bamboo Bar',
        description: "Bangkok's grand old jazz room, pouring drinks beside the river since 1953. …",
        category: 'nightlife' as const,
        price: 1200,
        currency: 'THB',
        relevance_score: 83.56,
        recommendation_reason:
          'It matches your interest in nightlife. You can go this evening, when it is at its best. A traveller like you has ' +
          'visited it, confirmed at the venue.',
        images: ['https://waymark.example/pictures/bkk-bamboo-bar-jazz.png'],
        is_flash_deal: false,
        venue_id: 'bkk-bamboo-bar',
        confirmation: 'instant' as const,
        score_breakdown: { profile: 1, ground_truth: 0.659, weather: 0.715, time: 0.888, price: 0.946 },
        available_date: '2026-11-22',
        lat: 13.7238,
        lon: 100.514,
        cancellation_policy: POLICY_EXAMPLE,
      },
    ],
    context: {
      log_id: 'rec_06gzznzez9qfdm3bzqmg',
      user_profile_summary: 'Couple, adults, from Germany, interested in culture and nightlife, mid-range budget',
      environment_summary:
        'Bangkok, Saturday 21 November at 17:41 local time. Forecast: 29 °C, 12% chance of rain, wind 9 km/h.',
    },
  },
  ['BOOKING_LIMIT_EXCEEDED', 'NO_ACTIVITIES'],
  ['x-position'],
);

export const DEFAULT_LIMIT = 10;
export const MAX_PRICE_CURRENCY = 'THB';

const CATEGORY_LIST = Type.Array(CATEGORY, { maxItems: 50 });
const CATEGORY_RULE = `a list of any of ${CATEGORIES.join(', ')}`;
const PROFILE = 'INVALID_PROFILE';
const LOCATION = 'INVALID_LOCATION';

const USER_PROFILE = Type.Object({
  travel_type: required(TRAVEL_TYPE, `one of ${TRAVEL_TYPES.join(', ')}`, PROFILE),
  nationality: optional(
    Type.Refine(Type.String({ maxLength: 2 }), (text) => parseCountry(text) !== null),
    'a country code of ISO 3166-1 alpha-2, like DE',
    PROFILE,
  ),
  interests: optional(CATEGORY_LIST, CATEGORY_RULE, PROFILE),
  budget: field.choice(BUDGETS, { code: PROFILE }),
  age_group: field.choice(AGE_GROUPS, { code: PROFILE }),
});

const LOCATION_MEMBERS = Type.Object({
  city: field.cityField('location.city', LOCATION),
  lat: optional(Type.Number({ minimum: -90, maximum: 90 }), 'degrees from -90 to 90', LOCATION),
  lon: optional(Type.Number({ minimum: -180, maximum: 180 }), 'degrees from -180 to 180', LOCATION),
  hotel_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of a hotel', LOCATION),
  hotel_token: optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TOKEN,
      description: 'Proof of the stay, which gives the rates of the hotel.',
    }),
    'the token that the hotel signed for the guest',
    LOCATION,
  ),
});

const FILTERS = Type.Object({
  is_indoor: optional(Type.Boolean({ description: 'True: indoor activities only.' }), 'true or false'),
  difficulty: field.choice(DIFFICULTIES),
  max_price: optional(
    Type.Refine(
      Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }),
      (amount) => typeof amount === 'number' && toMinor(amount, MAX_PRICE_CURRENCY) !== null,
    ),
    'an amount in baht above 0, with at most two decimals',
  ),
  categories: optional(CATEGORY_LIST, CATEGORY_RULE),
});

type Values = Readonly<Record<string, unknown>>;
type DateContext = Pick<HttpContext, 'clock' | 'limits' | 'guestLimits'>;

/** In the order of the specification; fields that it does not have come last. */
const fieldsFor = (cityOf: (values: Values) => CityName | null, context: DateContext) => ({
  user_profile: required(USER_PROFILE, 'an object with at least travel_type', PROFILE),
  location: required(LOCATION_MEMBERS, 'an object with city, or lat and lon, or hotel_id', LOCATION),
  filters: optional(FILTERS, 'an object'),
  limit: field.limit(20, DEFAULT_LIMIT),
  include_flash_deals: optional(Type.Boolean({ default: true }), 'true or false'),
  date: understoodDate('date', cityOf, context),
  date_to: understoodDate('date_to', cityOf, context),
  guests: field.numGuests(context.guestLimits),
});

export function recommendBody(locatedBy: Locator, context: DateContext) {
  const cityOf = (values: Values): CityName | null => {
    const located = locatedBy(values);
    return located?.kind === 'place' ? located.place.city : null;
  };
  return body(Type.Object(fieldsFor(cityOf, context), { examples: [REQUEST] }), {
    ...locationRules(locatedBy),
    ...daysRules(MAX_ASKED_DAYS, cityOf, context),
  });
}

const REQUEST = {
  user_profile: {
    travel_type: 'couple',
    nationality: 'DE',
    interests: ['cultural', 'nightlife'],
    budget: 'mid',
    age_group: 'adult',
  },
  location: { city: 'Bangkok' },
  filters: { max_price: 3000 },
  limit: 5,
};

export const RECOMMEND_DETAIL = {
  operationId: 'recommend',
  summary: 'What to do, ranked for a traveller and a place',
  description: [
    'Ranks activities by profile, verified visits of similar travellers, weather, time of day and price. The best comes ' +
      'first, with its reason. Each can be attended within the next 7 days, or from `date` to `date_to` (by default ' +
      `\`date\`; ${MAX_ASKED_DAYS} dates at most), and has a place for each of \`guests\`.`,
    'The place is a `city` (districts and names in eight languages are understood), `lat` ' +
      'and `lon` within 75 km of one, or a `hotel_id`.',
    "A hotel gives its rates to a key for which the operator allows it, and with its guest's `hotel_token`; otherwise it " +
      'only locates.',
    'Keep `context.log_id` and send it to execute_booking as `context_log_id`: the booking and the visit at the gate ' +
      'are then counted for this recommendation, and later recommendations learn from them.',
    'Texts are in the first supported language of `Accept-Language`, else in that of `nationality`, else in English.',
  ].join('\n\n'),
};
