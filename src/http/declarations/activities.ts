import { Type } from 'typebox';
import { CITY_NAMES } from '../../domain/activity/cities.ts';
import {
  AGE_GROUPS,
  CATEGORIES,
  CONFIRMATIONS,
  DIFFICULTIES,
  LANGUAGES,
  SETTINGS,
  TIMES_OF_DAY,
  TRAVEL_TYPES,
  WEEKDAYS,
} from '../../domain/activity/vocabulary.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, TIMESTAMP } from '../schemas.ts';

const TIME = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'Local time, `HH:MM`.' });
const MONTH_DAY = Type.String({ pattern: '^\\d{2}-\\d{2}$', description: 'A day of the year, `MM-DD`.' });
const PRICE = Type.Number({ exclusiveMinimum: 0, description: "Per person, in the city's currency." });
const CAPACITY = Type.Integer({ minimum: 1, description: 'Guests a day.' });

const OPENING = Type.Object({ open: TIME, last_entry: TIME, close: TIME }, { $id: 'Opening' });
const ACTIVITY_TEXT = Type.Object(
  { title: Type.String(), description: Type.String(), check_in: Type.String() },
  { $id: 'ActivityText' },
);

/** What an entry says in a catalogue file and in a request. */
const COMMON = {
  venue: Type.Object(
    { id: Type.String(), name: Type.String(), address: Type.String(), lat: Type.Number(), lon: Type.Number() },
    { $id: 'Venue' },
  ),
  category: oneOf(CATEGORIES),
  setting: oneOf(SETTINGS),
  difficulty: oneOf(DIFFICULTIES),
  duration_minutes: Type.Integer({ minimum: 10, maximum: 1_440 }),
  travel_types: Type.Array(oneOf(TRAVEL_TYPES)),
  age_groups: Type.Array(oneOf(AGE_GROUPS)),
  best_times: Type.Array(oneOf(TIMES_OF_DAY)),
  opening: Type.Object(membersOf(WEEKDAYS, nullable(OPENING)), { description: 'Null on days it is closed.' }),
  closed_dates: Type.Array(DATE),
  seasons: Type.Array(
    Type.Object({
      from: MONTH_DAY,
      to: MONTH_DAY,
      price: Type.Optional(PRICE),
      capacity: Type.Optional(CAPACITY),
    }),
    { description: 'Parts of the year, both ends in them, with another price or capacity.' },
  ),
  capacity: CAPACITY,
  price: PRICE,
  confirmation: oneOf(CONFIRMATIONS),
  cancellation: Type.Object({
    free_until_hours: Type.Integer({ minimum: 0, description: 'Before opening on the date.' }),
    percent_kept: Type.Integer({ minimum: 0, maximum: 100, description: 'Of the price, from then on.' }),
  }),
  images: Type.Array(Type.String({ description: 'An https address.' })),
  texts: Type.Object(membersOf(LANGUAGES, ACTIVITY_TEXT)),
};

/** An entry as it is sent. */
export const ENTRY = Type.Object({
  id: Type.Optional(Type.String({ description: 'As in the path.' })),
  city: Type.Optional(Type.String({ description: 'May be left out of an activity that there is: it stays.' })),
  estimated_on: Type.Optional(
    Type.String({
      format: 'date',
      description:
        'The day on which the figures were estimated; where it is left out it stays, and is today of a new one.',
    }),
  ),
  ...COMMON,
  exclusive_to: Type.Optional(nullable(Type.String({ description: 'The hotel whose guests alone can book it.' }))),
});

const LISTED_ENTRY = Type.Object(
  {
    id: Type.String(),
    city: oneOf(CITY_NAMES),
    estimated_on: DATE,
    ...COMMON,
    currency: CURRENCY,
    exclusive_to: nullable(Type.String()),
  },
  { $id: 'ActivityEntry' },
);

const ACTIVITY = Type.Object(
  {
    ...LISTED_ENTRY.properties,
    listed: Type.Boolean({
      description: 'Whether it is sold. Retired ones stay: old bookings still show their venue.',
    }),
    revision: COUNT,
    updated_at: TIMESTAMP,
    override: nullable(
      Type.Object({
        by: Type.String({ description: 'Who changed it last.' }),
        since: TIMESTAMP,
        catalogue: nullable(LISTED_ENTRY),
      }),
    ),
  },
  { $id: 'Activity' },
);

const [OPEN, TEXT] = [
  { open: '10:00', last_entry: '17:00', close: '18:00' },
  {
    title: "Jim Thompson House: guided tour of the silk trader's home",
    description: 'Six teak houses around a garden, with a guide through rooms of silk and porcelain.',
    check_in: 'Show the code at the ticket desk by the gate.',
  },
];
const EXAMPLE_ENTRY = {
  city: 'Bangkok' as const,
  estimated_on: '2026-11-01',
  venue: {
    id: 'bkk-jim-thompson-house',
    name: 'Jim Thompson House Museum',
    address: '6 Soi Kasemsan 2, Rama I Road, Pathum Wan, Bangkok 10330',
    lat: 13.7493,
    lon: 100.5283,
  },
  category: 'cultural' as const,
  setting: 'mixed' as const,
  difficulty: 'easy' as const,
  duration_minutes: 75,
  travel_types: ['solo' as const, 'couple' as const],
  age_groups: ['adult' as const, 'senior' as const],
  best_times: ['morning' as const],
  opening: { sun: OPEN, mon: null, tue: OPEN, wed: OPEN, thu: OPEN, fri: OPEN, sat: OPEN },
  closed_dates: [],
  seasons: [{ from: '12-20', to: '01-05', price: 320 }],
  capacity: 300,
  price: 280,
  confirmation: 'instant' as const,
  cancellation: { free_until_hours: 24, percent_kept: 50 },
  images: [],
  texts: membersOf(LANGUAGES, TEXT),
};
const EXAMPLE_LISTED = { id: 'bkk-jim-thompson-house-tour', ...EXAMPLE_ENTRY, currency: 'THB', exclusive_to: null };
const ANSWER = {
  data: ACTIVITY,
  example: {
    ...EXAMPLE_LISTED,
    listed: true,
    revision: 3,
    updated_at: '2026-11-21T06:49:26.015Z',
    override: {
      by: 'admin',
      since: '2026-11-21T06:49:26.015Z',
      catalogue: { ...EXAMPLE_LISTED, price: 250 },
    },
  },
} as const;
const PARAMS = { activity_id: 'The id of an activity, as inventory names it.' };

export const ACTIVITY_BY_ID = {
  by: 'operator',
  least: 'analyst',
  id: 'get_activity',
  tag: 'Catalogue',
  summary: 'One activity, whole',
  description:
    "What holds, and whose it is: where `override` is null it is the catalogue's, otherwise an operator's, and " +
    '`override.catalogue` is what the catalogue says meanwhile.',
  params: PARAMS,
  answer: ANSWER,
  refusals: ['ACTIVITY_NOT_FOUND'],
} as const satisfies Declaration;

export const PUT_ACTIVITY = {
  by: 'operator',
  least: 'admin',
  id: 'put_activity',
  tag: 'Catalogue',
  summary: 'Change an activity, or list a new one',
  description: [
    "The whole entry, as in a catalogue file, with its city and with its venue in it. It outranks the catalogue's until it is " +
      'taken back with DELETE. What was sent before, sent again, changes nothing. What GET answers can be sent back.',
    'It holds at once, for what is asked and booked from then on. Bookings and holds keep their price. A date on which ' +
      'something is booked already keeps its capacity and price.',
  ].join('\n\n'),
  params: PARAMS,
  body: ENTRY,
  answer: { ...ANSWER, headers: ['x-position'] },
  refusals: ['INVALID_CITY', 'SERVICE_UNAVAILABLE'],
  example: EXAMPLE_ENTRY,
} as const satisfies Declaration;

export const DELETE_ACTIVITY = {
  by: 'operator',
  least: 'admin',
  id: 'withdraw_activity',
  tag: 'Catalogue',
  summary: "Go back to the catalogue's entry",
  description:
    'What the catalogue says by now holds again; an activity that it does not name is retired. Where nothing was changed, ' +
    'nothing happens.',
  params: PARAMS,
  answer: { ...ANSWER, headers: ['x-position'] },
  refusals: ['ACTIVITY_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

function membersOf<const Name extends string, T>(names: readonly Name[], value: T): Record<Name, T> {
  // Every name is given its value here.
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, T>;
}
