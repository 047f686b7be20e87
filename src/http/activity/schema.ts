import { Type } from 'typebox';
import {
  AGE_GROUPS,
  CONFIRMATIONS,
  DIFFICULTIES,
  LANGUAGES,
  SETTINGS,
  TIMES_OF_DAY,
  WEEKDAYS,
} from '../../domain/activity/vocabulary.ts';
import {
  CATEGORY,
  CITY_NAME,
  COUNT,
  CURRENCY,
  DATE,
  extended,
  nullable,
  oneOf,
  TIMESTAMP,
  TRAVEL_TYPE,
} from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { path, uncheckedBody } from '../schema.ts';

const TIME = Type.String({
  $id: 'LocalTime',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
  description: 'Local time, `HH:MM`.',
});
const MONTH_DAY = Type.String({
  $id: 'MonthDay',
  pattern: '^\\d{2}-\\d{2}$',
  description: 'A day of the year, `MM-DD`.',
});
const PRICE = Type.Number({ exclusiveMinimum: 0, description: "Per person, in the city's currency." });
const CAPACITY = Type.Integer({ minimum: 1, description: 'Guests a day.' });

const OPENING = Type.Object({ open: TIME, last_entry: TIME, close: TIME }, { $id: 'Opening' });
export const OPENING_WEEK = Type.Object(membersOf(WEEKDAYS, nullable(OPENING)), {
  $id: 'OpeningWeek',
  description: 'Null on days when it is closed.',
});
const ACTIVITY_TEXT = Type.Object(
  { title: Type.String(), description: Type.String(), check_in: Type.String() },
  { $id: 'ActivityText' },
);

/** The members that an entry has both in a catalogue file and in a request. */
const COMMON = {
  venue: Type.Object(
    {
      id: Type.String(),
      name: Type.String(),
      address: Type.String(),
      lat: Type.Number(),
      lon: Type.Number(),
      contact: Type.Optional(
        Type.Object(
          { email: Type.String(), language: Type.Optional(oneOf(LANGUAGES)) },
          {
            description: 'Whom the service mails the requests that wait for the venue. Only support and admins see it.',
          },
        ),
      ),
      admit_at_once: Type.Optional(Type.Boolean({ description: 'A valid scan at its gates counts without a tap.' })),
    },
    { $id: 'Venue' },
  ),
  category: CATEGORY,
  setting: oneOf(SETTINGS),
  difficulty: oneOf(DIFFICULTIES),
  duration_minutes: Type.Integer({ minimum: 10, maximum: 1_440 }),
  travel_types: Type.Array(TRAVEL_TYPE),
  age_groups: Type.Array(oneOf(AGE_GROUPS)),
  best_times: Type.Array(oneOf(TIMES_OF_DAY)),
  opening: OPENING_WEEK,
  closed_dates: Type.Array(DATE),
  seasons: Type.Array(
    Type.Object(
      { from: MONTH_DAY, to: MONTH_DAY, price: Type.Optional(PRICE), capacity: Type.Optional(CAPACITY) },
      { $id: 'Season' },
    ),
    { description: 'Parts of the year, both ends included, with another price or capacity.' },
  ),
  capacity: CAPACITY,
  price: PRICE,
  confirmation: oneOf(CONFIRMATIONS),
  cancellation: Type.Object({
    free_until_hours: Type.Integer({
      minimum: 0,
      description: 'Cancellation is free until this many hours before opening on the date.',
    }),
    percent_kept: Type.Integer({ minimum: 0, maximum: 100, description: 'Of the price, from then on.' }),
  }),
  images: Type.Array(Type.String({ description: 'An https address.' })),
  texts: Type.Object(membersOf(LANGUAGES, ACTIVITY_TEXT)),
};

const LISTED_ENTRY = Type.Object(
  {
    id: Type.String(),
    city: CITY_NAME,
    estimated_on: DATE,
    ...COMMON,
    currency: CURRENCY,
    exclusive_to: nullable(Type.String()),
  },
  { $id: 'ActivityEntry' },
);

const ACTIVITY = extended(
  LISTED_ENTRY,
  {
    listed: Type.Boolean({
      description: 'Whether it is sold. Retired activities are kept: old bookings still show their venue.',
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
    title: 'Jim Thompson House',
    description: 'Six teak houses, with a guide.',
    check_in: 'Show the code at the gate.',
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

const ENTRY = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'As in the path.' })),
    city: Type.Optional(
      Type.String({ description: 'May be left out for an activity that exists: it keeps its city.' }),
    ),
    estimated_on: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The day on which the figures were estimated. Left out, it stays; for a new activity it is today.',
      }),
    ),
    ...COMMON,
    exclusive_to: Type.Optional(
      nullable(Type.String({ description: 'The hotel; only its guests can book the activity.' })),
    ),
    currency: Type.Optional(Type.String({ description: "The city's currency; it cannot be changed." })),
    listed: Type.Optional(Type.Boolean({ description: 'True: this request lists the activity. DELETE withdraws it.' })),
    revision: Type.Optional(Type.Integer({ readOnly: true })),
    updated_at: Type.Optional(Type.String({ readOnly: true })),
    override: Type.Optional(Type.Unknown({ readOnly: true })),
  },
  { examples: [EXAMPLE_ENTRY] },
);

const EXAMPLE = {
  id: 'bkk-jim-thompson-house-tour',
  ...EXAMPLE_ENTRY,
  currency: 'THB',
  exclusive_to: null,
  listed: true,
  revision: 3,
  updated_at: '2026-11-21T06:49:26.015Z',
  override: { by: 'admin', since: '2026-11-21T06:49:26.015Z', catalogue: null },
};

export const ACTIVITY_PATH = path({ activity_id: 'The id of an activity, as inventory names it.' });

/** The use case applies the rules of the catalogue's files. */
export const ACTIVITY_ENTRY_BODY = uncheckedBody(ENTRY);

export const ACTIVITY_ANSWER = answers(ACTIVITY, EXAMPLE, ['ACTIVITY_NOT_FOUND']);

export const CHANGED_ACTIVITY_ANSWER = answers(ACTIVITY, EXAMPLE, ['INVALID_CITY'], ['x-position']);

export const WITHDRAWN_ACTIVITY_ANSWER = answers(ACTIVITY, EXAMPLE, ['ACTIVITY_NOT_FOUND'], ['x-position']);

export function membersOf<const Name extends string, T>(names: readonly Name[], value: T): Record<Name, T> {
  // The object has a value for every name.
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, T>;
}

export const GET_ACTIVITY_DETAIL = {
  operationId: 'get_activity',
  summary: 'Read an activity',
  description:
    "The entry in force. If `override` is null, it is the catalogue's; otherwise it is an operator's, and " +
    "`override.catalogue` is the catalogue's.",
};

export const PUT_ACTIVITY_DETAIL = {
  operationId: 'put_activity',
  summary: 'Change an activity, or list a new one',
  description: [
    'The whole entry, as in a catalogue file, with its city and its venue. It overrides the entry of the catalogue ' +
      'until DELETE withdraws it. A repeated request changes nothing. What GET returns can be sent back: `revision`, `updated_at` and `override` have no effect.',
    'It applies at once to every later query and booking. Bookings and holds keep their price. A date that has ' +
      'bookings keeps its capacity and price.',
  ].join('\n\n'),
};

export const WITHDRAW_ACTIVITY_DETAIL = {
  operationId: 'withdraw_activity',
  summary: 'Withdraw an override',
  description:
    'The present entry of the catalogue applies again; an activity that the catalogue does not contain is retired. ' +
    'Without an override nothing changes.',
};
