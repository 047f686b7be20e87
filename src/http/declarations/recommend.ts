import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { CATEGORIES, CONFIRMATIONS } from '../../domain/activity/vocabulary.ts';
import type { Declaration } from '../endpoint.ts';
import { CURRENCY, DATE, oneOf } from '../schemas.ts';

const factor = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const RECOMMENDED_ACTIVITY = Type.Object(
  {
    id: Type.String({ description: 'Send it to execute_booking as `activity_id`.' }),
    title: Type.String(),
    description: Type.String(),
    category: oneOf(CATEGORIES),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, on `available_date`.' }),
    currency: CURRENCY,
    relevance_score: Type.Number({ minimum: 0, maximum: 100, description: 'The list is sorted by it.' }),
    recommendation_reason: Type.String({ description: 'For the traveller, in their language.' }),
    is_flash_deal: Type.Boolean({ description: 'Discounted now, for who books it today for today.' }),
    original_price: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Before the discount; only of a flash deal.' }),
    ),
    images: Type.Optional(Type.Array(Type.String())),
    venue_id: Type.String(),
    confirmation: oneOf(CONFIRMATIONS),
    score_breakdown: Type.Object(
      {
        profile: factor('30 % of the score: travel type, interests, age group.'),
        ground_truth: factor('25 %: verified visits of similar travellers.'),
        weather: factor('20 %: what it needs of the weather.'),
        time: factor('15 %: the time of day.'),
        price: factor('10 %: the budget.'),
      },
      { description: 'Each factor before its weight.' },
    ),
    available_date: DATE,
    lat: Type.Number(),
    lon: Type.Number(),
  },
  { $id: 'RecommendedActivity', description: 'Texts are in the language of the request.' },
);

export const RECOMMEND = {
  by: 'key',
  permission: 'recommend',
  id: 'recommend',
  tag: 'Recommendations',
  summary: 'What to do, ranked for a traveller and a place',
  description: [
    'Looks at what can be attended from now to 7 days ahead, and ranks it by profile, verified visits of similar ' +
      'travellers, weather, time of day and price. The best comes first, with its reason.',
    `The place is a \`city\` (${CITY_NAMES.join(', ')}; case, accents and usual other names do not matter), \`lat\` and ` +
      '`lon` within 75 km of one, or a `hotel_id`.',
    'Keep `context.log_id` and send it to execute_booking as `context_log_id`: the booking, and the visit at the gate, ' +
      'are then known to have come of this recommendation, and later ones learn from it.',
    'Texts are in the first language of `Accept-Language` that there is, else in that of `nationality`, else in English.',
  ].join('\n\n'),
  headers: ['accept-language', 'x-position'],
  answer: {
    data: Type.Object({
      recommendations: Type.Array(RECOMMENDED_ACTIVITY),
      context: Type.Object({
        log_id: Type.String({ description: 'Send it to execute_booking as `context_log_id`.' }),
        user_profile_summary: Type.String(),
        environment_summary: Type.String({ description: 'Place, time and weather that counted.' }),
        exchange_rates: Type.Optional(
          Type.Object(
            {
              as_of: DATE,
              units_per_usd: Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0 })),
            },
            { description: 'By which prices were compared with `max_price`, where they are not in baht.' },
          ),
        ),
      }),
    }),
    example: {
      recommendations: [
        {
          id: 'bkk-bamboo-bar-jazz',
          title: 'Live jazz and two cocktails at The Bamboo Bar',
          description: "Bangkok's grand old jazz room, pouring drinks beside the river since 1953. …",
          category: 'nightlife',
          price: 1200,
          currency: 'THB',
          relevance_score: 83.56,
          recommendation_reason:
            'It matches your interest in nightlife. A traveller like you has visited it, confirmed at the venue. You can go ' +
            'this evening, when it is at its best.',
          is_flash_deal: false,
          venue_id: 'bkk-bamboo-bar',
          confirmation: 'instant',
          score_breakdown: { profile: 1, ground_truth: 0.659, weather: 0.715, time: 0.888, price: 0.946 },
          available_date: '2026-11-21',
          lat: 13.7238,
          lon: 100.514,
        },
      ],
      context: {
        log_id: 'rec_06gzznzez9qfdm3bzqmg',
        user_profile_summary: 'Couple, adults, from Germany, interested in culture and nightlife, mid-range budget',
        environment_summary:
          'Bangkok, Saturday 21 November at 17:41 local time. Forecast: 29 °C, 12% chance of rain, wind 9 km/h.',
      },
    },
    headers: ['x-position'],
  },
  refusals: ['NO_ACTIVITIES', 'SERVICE_UNAVAILABLE'],
  example: {
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
  },
} as const satisfies Declaration;
