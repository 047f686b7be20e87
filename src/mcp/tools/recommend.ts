import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import { CATEGORIES, TRAVEL_TYPES } from '../../domain/activity/vocabulary.ts';
import { BUDGETS } from '../../domain/recommendation/profile.ts';
import { sent, tool } from '../tool.ts';
import * as field from './fields.ts';

const recommendation = Type.Object({
  id: Type.String({ description: 'Send this as activity_id to book.' }),
  title: Type.String(),
  description: Type.String(),
  category: Type.String(),
  price: Type.Number({ description: 'Per person, in the local currency, on available_date.' }),
  currency: Type.String(),
  relevance_score: Type.Number({ description: '0 to 100; the best comes first.' }),
  recommendation_reason: Type.String(),
  is_flash_deal: Type.Boolean(),
  original_price: Type.Optional(Type.Number({ description: 'Before the discount of a flash deal.' })),
  images: Type.Optional(Type.Array(Type.String())),
  available_date: Type.Optional(Type.String({ description: 'The date for which price and deal hold.' })),
  venue_id: Type.Optional(Type.String()),
  confirmation: Type.Optional(Type.String({ description: 'instant, or on_request: the venue answers first.' })),
  cancellation_policy: Type.Optional(field.policy),
  lat: Type.Optional(Type.Number()),
  lon: Type.Optional(Type.Number()),
  score_breakdown: Type.Optional(Type.Object({}, { description: 'The factors of the score, each from 0 to 1.' })),
});

const output = Type.Object({
  recommendations: Type.Array(recommendation),
  context: Type.Object({
    log_id: Type.String({ description: 'Send this as context_log_id to book.' }),
    user_profile_summary: Type.String(),
    environment_summary: Type.String({ description: 'Weather, time and the like.' }),
  }),
});

/** Activities ranked for a traveller and a place: `POST /api/b2a/recommend`. */
export const recommendTool = tool({
  name: 'recommend',
  title: 'Recommend activities',
  purpose:
    'Activities ranked for a traveller and a place, by profile, visits of similar travellers, weather, time and price; each with its reason. Needs a city, or lat and lon. Books nothing. Send the log_id of the answer as context_log_id when you book one of them.',
  input: Type.Object({
    travel_type: field.oneOf(TRAVEL_TYPES, 'Who travels.'),
    city: Type.Optional(
      Type.String({
        description: `One of ${CITY_NAMES.join(', ')}. Districts and names in eight languages are understood.`,
      }),
    ),
    interests: Type.Optional(
      Type.Array(field.oneOf(CATEGORIES, 'A category of activities.'), { description: 'What they like.' }),
    ),
    budget: Type.Optional(field.oneOf(BUDGETS, 'How much they want to spend.')),
    lat: Type.Optional(
      Type.Number({
        minimum: -90,
        maximum: 90,
        description: 'Latitude of where they are, in degrees; together with lon. For weather and distance.',
      }),
    ),
    lon: Type.Optional(
      Type.Number({ minimum: -180, maximum: 180, description: 'Longitude, in degrees; together with lat.' }),
    ),
    date: Type.Optional(
      Type.String({
        description: 'The first day: YYYY-MM-DD, today, tomorrow or a weekday. Default: the next 7 days.',
      }),
    ),
    date_to: Type.Optional(Type.String({ description: 'The last day, at most 10 days from date. Default: date.' })),
    guests: Type.Optional(Type.Integer({ minimum: 1, description: 'How many come, children included.' })),
  }),
  output,
  // `readOnlyHint`: the service only logs the shown activities under log_id.
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  nestedUnder: ['user_profile', 'location'],
  request: (args) => ({
    method: 'POST',
    path: '/api/b2a/recommend',
    body: {
      user_profile: sent(args, ['travel_type', 'interests', 'budget']),
      location: sent(args, ['city', 'lat', 'lon']),
      ...sent(args, ['date', 'date_to', 'guests']),
    },
  }),
  summary: ({ recommendations, context }) =>
    `${recommendations.length} recommended, the best first. To book one, send its id as activity_id and ${context.log_id} as context_log_id to the tool book. ${context.environment_summary}`,
  repeatAdvice: '',
});
