import { Type } from 'typebox';
import { CONFIRMATIONS, DIFFICULTIES, LANGUAGES, SETTINGS, WEEKDAYS } from '../../domain/activity/vocabulary.ts';
import { membersOf, OPENING_WEEK } from '../activity/schema.ts';
import { CATEGORY, CITY_NAME, COUNT, CURRENCY, DATE, extended, oneOf, pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { CANCELLATION_POLICY, POLICY_EXAMPLE } from '../cancellation-policy.ts';
import * as field from '../fields.ts';
import { optional, path, query } from '../schema.ts';
import { wordsOf } from './search.ts';

export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const SUMMARY = Type.Object(
  {
    activity_id: Type.String({ description: 'Send it to execute_booking.' }),
    title: Type.String(),
    category: CATEGORY,
    city: CITY_NAME,
    venue_id: Type.String(),
    venue_name: Type.String(),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, outside of seasons and deals.' }),
    currency: CURRENCY,
    confirmation: oneOf(CONFIRMATIONS),
  },
  { $id: 'ActivitySummary' },
);

const DETAILS = extended(
  SUMMARY,
  {
    description: Type.String(),
    languages: Type.Array(oneOf(LANGUAGES), { description: 'Languages of the texts; `Accept-Language` selects one.' }),
    setting: oneOf(SETTINGS),
    difficulty: oneOf(DIFFICULTIES),
    duration_minutes: Type.Integer({ minimum: 1 }),
    hours: OPENING_WEEK,
    closed_dates: Type.Array(DATE),
    meeting_point: Type.Object({
      name: Type.String(),
      address: Type.String(),
      lat: Type.Number(),
      lon: Type.Number(),
      instructions: Type.String(),
    }),
    cancellation_policy: CANCELLATION_POLICY,
    images: Type.Array(Type.String(), {
      description: 'Photographs; of an activity without one, its drawn picture (PNG, 1200 × 800).',
    }),
    next_free_dates: Type.Array(Type.Object({ date: DATE, available_slots: COUNT }), {
      description: 'At most five, within 60 days.',
    }),
  },
  { $id: 'ActivityDetails' },
);

const CITY = Type.Object(
  {
    city: CITY_NAME,
    country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
    currency: CURRENCY,
    time_zone: Type.String({ description: 'IANA name.' }),
    today: DATE,
    lat: Type.Number(),
    lon: Type.Number(),
    activities: COUNT,
  },
  { $id: 'City' },
);

const HOTEL = Type.Object(
  {
    hotel_id: Type.String({ description: 'Send it to recommend as `location.hotel_id`.' }),
    name: Type.String(),
    address: Type.String(),
    city: CITY_NAME,
    lat: Type.Number(),
    lon: Type.Number(),
  },
  { $id: 'Hotel' },
);

const SUMMARY_EXAMPLE = {
  activity_id: 'bkk-jim-thompson-house-tour',
  title: "Jim Thompson House: guided tour of the silk trader's home",
  category: 'cultural' as const,
  city: 'Bangkok' as const,
  venue_id: 'bkk-jim-thompson-house',
  venue_name: 'Jim Thompson House Museum',
  price: 250,
  currency: 'THB',
  confirmation: 'instant' as const,
};

const OPEN = { open: '10:00', last_entry: '17:00', close: '18:00' };

const DETAILS_EXAMPLE = {
  ...SUMMARY_EXAMPLE,
  description: 'Six teak houses around a garden, with a guide through rooms of silk and porcelain.',
  languages: LANGUAGES,
  setting: 'mixed' as const,
  difficulty: 'easy' as const,
  duration_minutes: 75,
  hours: { ...membersOf(WEEKDAYS, OPEN), mon: null },
  closed_dates: [],
  meeting_point: {
    name: 'Jim Thompson House Museum',
    address: '6 Soi Kasemsan 2, Rama I Road, Pathum Wan, Bangkok 10330',
    lat: 13.7493,
    lon: 100.5283,
    instructions: 'Show the code at the ticket desk by the gate.',
  },
  cancellation_policy: POLICY_EXAMPLE,
  images: ['https://waymark.example/pictures/bkk-jim-thompson-house-tour.png'],
  next_free_dates: [{ date: '2026-12-05', available_slots: 300 }],
};

const TEXT = Type.Refine(Type.String({ minLength: 1, maxLength: 80 }), (text) => wordsOf(text).length > 0);

export const SEARCH_TEXT = optional(TEXT, 'a text of 1 to 80 characters with a letter or a digit');

export const ACTIVITIES_QUERY = query(
  Type.Object(
    {
      q: SEARCH_TEXT,
      category: field.category,
      city: field.cityName,
      venue: optional(Type.String({ minLength: 1, maxLength: 80 }), 'a venue_id'),
      limit: field.limit(MAX_LIMIT, DEFAULT_LIMIT),
      cursor: field.cursor,
    },
    { examples: [{ q: 'silk', city: 'Bangkok' }] },
  ),
);

export const ACTIVITY_PATH = path({ activity_id: 'The id of an activity on sale.' });

export const HOTELS_QUERY = query(
  Type.Object({ city: field.cityName, limit: field.limit(MAX_LIMIT, DEFAULT_LIMIT), cursor: field.cursor }),
);

export const ACTIVITIES_ANSWER = answers(pageOf(SUMMARY), { items: [SUMMARY_EXAMPLE], next_cursor: null }, []);

export const DETAILS_ANSWER = answers(DETAILS, DETAILS_EXAMPLE, ['ACTIVITY_NOT_FOUND']);

export const CITIES_ANSWER = answers(
  pageOf(CITY),
  {
    items: [
      {
        city: 'Bangkok',
        country: 'TH',
        currency: 'THB',
        time_zone: 'Asia/Bangkok',
        today: '2026-12-05',
        lat: 13.7563,
        lon: 100.5018,
        activities: 17,
      },
    ],
    next_cursor: null,
  },
  [],
);

export const HOTELS_ANSWER = answers(
  pageOf(HOTEL),
  {
    items: [
      {
        hotel_id: 'bkk-mandarin-oriental',
        name: 'Mandarin Oriental Bangkok',
        address: '48 Oriental Avenue, Bang Rak, Bangkok 10500',
        city: 'Bangkok',
        lat: 13.7238,
        lon: 100.514,
      },
    ],
    next_cursor: null,
  },
  [],
);

export const ACTIVITIES_DETAIL = {
  operationId: 'list_activities',
  summary: 'Search the activities',
  description:
    '`q` searches titles, descriptions and names of venues in eight languages; all its words must match, accents and ' +
    'case do not matter. Matches in titles come first. Without `q` the list is sorted by id. Inventory says what ' +
    'is free on a date.',
};

export const DETAILS_DETAIL = {
  operationId: 'activity_details',
  summary: 'Read what an activity is, and when it is free',
  description: 'Texts, hours, meeting point and policy, and the next dates with a free slot.',
};

export const CITIES_DETAIL = {
  operationId: 'list_cities',
  summary: 'The cities, and their present dates',
  description: 'All supported cities, with the number of their activities.',
};

export const HOTELS_DETAIL = {
  operationId: 'list_hotels',
  summary: 'The hotels of a city, or of all',
  description: 'Their ids locate a guest in recommend. Sorted by id.',
};
