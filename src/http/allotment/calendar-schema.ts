import { Type } from 'typebox';
import { addDays, daysBetween, localDate } from '../../domain/activity/schedule.ts';
import { todayText, understandDate } from '../../domain/activity/understand-date.ts';
import { CLOSURES, DATE_STATES } from '../../domain/allotment/calendar.ts';
import { DATE_CANCELLATION_REASONS } from '../../domain/allotment/cancellation.ts';
import { CATEGORY, CITY_NAME, COUNT, CURRENCY, DATE, nullable, oneOf, pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { SEARCH_TEXT } from '../catalogue/schema.ts';
import type { HttpContext } from '../context.ts';
import { understoodDate } from '../dates.ts';
import * as field from '../fields.ts';
import { cityMeant, cityRule } from '../inventory/schema.ts';
import { type Fault, query } from '../schema.ts';
import { CALENDAR_FILTERS } from './calendar-filter.ts';
import { DEAL } from './schema.ts';

/** Dates and activities of one answer: 31 x 50 dates are about 250 kB. */
const [MAX_DAYS, MAX_LIMIT] = [31, 50];
export const [DEFAULT_DAYS, DEFAULT_LIMIT] = [14, 25] as const;
/** Ten years; more than the maximum of BOOKING_DAYS_AHEAD. */
const FARTHEST_DAYS = 3_660;

const DATE_OF_CALENDAR = Type.Object(
  {
    date: DATE,
    state: oneOf(DATE_STATES),
    closed_because: nullable(oneOf(CLOSURES)),
    cancelled_because: nullable(oneOf(DATE_CANCELLATION_REASONS)),
    capacity: COUNT,
    sold: COUNT,
    held: COUNT,
    free: COUNT,
    price: nullable(Type.Number({ description: 'Per person, before any discount; null on a closed date.' })),
    flash_deal: nullable(DEAL),
    set_by_operator: Type.Array(oneOf(['capacity', 'price'])),
  },
  { $id: 'CalendarDate' },
);

const ROW = Type.Object(
  {
    activity_id: Type.String(),
    title: Type.String(),
    category: CATEGORY,
    venue_id: Type.String(),
    venue_name: Type.String(),
    exclusive_to: nullable(Type.String()),
    overridden: Type.Boolean({ description: 'Whether an operator changed the entry of the catalogue.' }),
    dates: Type.Array(DATE_OF_CALENDAR),
  },
  { $id: 'CalendarRow' },
);

export function calendarQuery(context: HttpContext) {
  const cityOf = (values: Values) => cityMeant(values, context);
  return query(
    Type.Object(
      {
        city: field.cityName,
        activity_id: field.anyActivityId,
        from: understoodDate('from', cityOf, context),
        to: understoodDate('to', cityOf, context),
        q: SEARCH_TEXT,
        category: field.category,
        having: field.choice(CALENDAR_FILTERS),
        limit: field.limit(MAX_LIMIT, DEFAULT_LIMIT),
        cursor: field.cursor,
      },
      { examples: [{ city: 'Bangkok', from: '2026-12-01', to: '2026-12-14' }] },
    ),
    {
      city: cityRule,
      activity_id: aloneRule,
      from: (values) => farRule('from', values, context),
      to: (values) => farRule('to', values, context) ?? spanRule(values, context),
    },
  );
}

type Values = Readonly<Record<string, unknown>>;

/** Choose among the activities of a city. */
const SEARCHES = ['q', 'category', 'having', 'limit', 'cursor'] as const;

function aloneRule(values: Values): Fault | null {
  const sent = SEARCHES.filter((name) => values[name] !== undefined);
  if (values['activity_id'] === undefined || sent.length === 0) return null;
  const sentence = `${sent.join(', ')} must be left out: activity_id selects one activity. Leave out activity_id to search a city.`;
  return { code: 'INVALID_REQUEST', sentence };
}

function dateOf(name: 'from' | 'to', values: Values, context: HttpContext) {
  const text = values[name] ?? (name === 'from' ? 'today' : undefined);
  const city = cityMeant(values, context);
  if (city === null || typeof text !== 'string') return null;
  const date = understandDate(text, city, context.clock.nowMs());
  return date === null ? null : { city, date };
}

function farRule(name: 'from' | 'to', values: Values, context: HttpContext): Fault | null {
  const named = dateOf(name, values, context);
  if (named === null) return null;
  const today = localDate(named.city, context.clock.nowMs());
  if (Math.abs(daysBetween(today, named.date)) <= FARTHEST_DAYS) return null;
  const [first, last] = [addDays(today, -FARTHEST_DAYS), addDays(today, FARTHEST_DAYS)];
  const sentence = `${name} ${named.date} is too far from today; send a date from ${first} to ${last}.`;
  return { code: 'INVALID_DATE', sentence };
}

function spanRule(values: Values, context: HttpContext): Fault | null {
  const [first, last] = [dateOf('from', values, context), dateOf('to', values, context)];
  if (first === null || last === null) return null;
  const days = daysBetween(first.date, last.date) + 1;
  if (days >= 1 && days <= MAX_DAYS) return null;
  const why = days < 1 ? `is before from ${first.date}` : `makes a range of ${days} days from ${first.date}`;
  const latest = addDays(first.date, MAX_DAYS - 1);
  const today = todayText(first.city, context.clock.nowMs());
  return {
    code: 'INVALID_DATE',
    sentence: `to ${last.date} ${why}; send a date from ${first.date} to ${latest}; ${today}.`,
  };
}

export const CALENDAR_ANSWER = answers(
  Type.Object({
    city: CITY_NAME,
    currency: CURRENCY,
    today: DATE,
    from: DATE,
    to: DATE,
    ...pageOf(ROW).properties,
  }),
  {
    city: 'Bangkok',
    currency: 'THB',
    today: '2026-11-27',
    from: '2026-12-01',
    to: '2026-12-01',
    items: [
      {
        activity_id: 'bkk-jim-thompson-house-tour',
        title: "Jim Thompson House: guided tour of the silk trader's home",
        category: 'cultural',
        venue_id: 'bkk-jim-thompson-house',
        venue_name: 'Jim Thompson House Museum',
        exclusive_to: null,
        overridden: false,
        dates: [
          {
            date: '2026-12-01',
            state: 'nearly_sold_out',
            closed_because: null,
            cancelled_because: null,
            capacity: 300,
            sold: 270,
            held: 4,
            free: 26,
            price: 250,
            flash_deal: null,
            set_by_operator: ['capacity'],
          },
        ],
      },
    ],
    next_cursor: null,
  },
  ['ACTIVITY_NOT_FOUND'],
);

export const CALENDAR_DETAIL = {
  operationId: 'calendar',
  summary: 'The activities of a city by date',
  description: [
    `At most ${MAX_DAYS} dates from \`from\` (today by default) to \`to\`, past dates too. \`activity_id\` selects one activity, a ` +
      'retired one too. The list follows bookings within moments.',
    '`having` selects activities that have such a date among those to come. A date is `nearly_sold_out` while at most a ' +
      'tenth of its capacity is free.',
  ].join('\n\n'),
};
