import { Type } from 'typebox';
import { DATE_RESULTS } from '../../application/allotment/set-range.ts';
import { addDays, daysBetween, parseLocalDate } from '../../domain/activity/schedule.ts';
import { WEEKDAYS } from '../../domain/activity/vocabulary.ts';
import { COUNT, DATE, nullable, oneOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { exactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, clearable, optional, path, type Rule } from '../schema.ts';
import { CAPACITY, DEAL, DISCOUNT_PERCENT, PRICE } from './schema.ts';

/** Dates of one request. */
export const MAX_RANGE_DAYS = 366;

export const RANGE_PATH = path({ activity_id: 'The id of an activity, as inventory shows it.' });

const RANGE_DEAL = Type.Object({
  discount_percent: DISCOUNT_PERCENT,
  until: optional(
    Type.String({
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
      description: "A local time of each date, at most the last entry's; by default the last entry.",
    }),
    'a local time as HH:MM',
  ),
});

export function rangeBody(context: HttpContext) {
  return body(
    Type.Object(
      {
        from: exactDate('from', noCity, context),
        to: exactDate('to', noCity, context),
        weekdays: optional(
          Type.Array(oneOf(WEEKDAYS), { minItems: 1, maxItems: 7, description: 'By default every day.' }),
          `a list of ${WEEKDAYS.join(', ')}`,
        ),
        capacity: CAPACITY,
        price: PRICE,
        flash_deal: clearable(
          optional(RANGE_DEAL, 'an object with discount_percent, and until if you like, or null for none'),
        ),
        dry_run: field.dryRun,
      },
      { examples: [{ from: '2026-12-01', to: '2026-12-31', weekdays: ['sat', 'sun'], capacity: 320, dry_run: true }] },
    ),
    { to: spanRule, from: somethingRule },
  );
}

const spanRule: Rule = ({ from, to }) => {
  const [first, last] = [from, to].map((text) => (typeof text === 'string' ? parseLocalDate(text) : null));
  if (!first || !last) return null;
  const days = daysBetween(first, last) + 1;
  if (days >= 1 && days <= MAX_RANGE_DAYS) return null;
  const why = days < 1 ? `is before from ${first}` : `makes a range of ${days} days from ${first}`;
  const sentence = `to ${last} ${why}; send a date from ${first} to ${addDays(first, MAX_RANGE_DAYS - 1)}.`;
  return { code: 'INVALID_DATE', sentence };
};

const somethingRule: Rule = ({ capacity, price, flash_deal: deal }) => {
  if (capacity !== undefined || price !== undefined || deal !== undefined) return null;
  const sentence = 'capacity, price and flash_deal are missing; send at least one of them.';
  return { code: 'INVALID_REQUEST', sentence };
};

const TERMS = Type.Object(
  {
    capacity: COUNT,
    taken: COUNT,
    free: COUNT,
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, before any discount.' }),
    flash_deal: nullable(DEAL),
  },
  { $id: 'TermsOfDate' },
);

const BEFORE = { capacity: 300, taken: 300, free: 0, price: 250, flash_deal: null };

export const RANGE_ANSWER = answers(
  Type.Object({
    activity_id: Type.String(),
    dry_run: Type.Boolean(),
    changed: COUNT,
    refused: COUNT,
    complete: Type.Boolean({ description: 'False if a date is `not_done`: send the same request again.' }),
    dates: Type.Array(
      Type.Object(
        {
          date: DATE,
          result: oneOf(DATE_RESULTS),
          why: nullable(Type.String({ description: 'What is wrong, and what to do.' })),
          before: nullable(TERMS),
          after: nullable(TERMS),
        },
        { $id: 'DateOfRange' },
      ),
      { description: 'Ordered by date. `before` only in a dry run.' },
    ),
  }),
  {
    activity_id: 'bkk-jim-thompson-house-tour',
    dry_run: true,
    changed: 1,
    refused: 0,
    complete: true,
    dates: [
      {
        date: '2026-12-05',
        result: 'changed',
        why: null,
        before: BEFORE,
        after: { ...BEFORE, capacity: 310, free: 10 },
      },
    ],
  },
  ['ACTIVITY_NOT_FOUND'],
  ['x-position'],
);

export const SET_ALLOTMENTS_DETAIL = {
  operationId: 'set_allotments',
  summary: 'Set capacity, price or flash deal of several dates',
  description:
    `As for a single date, from \`from\` to \`to\`, at most ${MAX_RANGE_DAYS} dates. Each date changes by itself: the ` +
    'answer says for each what happened and why. `dry_run` shows it without a change. A repeated request changes only what is not as it says, also after an interruption.',
};
