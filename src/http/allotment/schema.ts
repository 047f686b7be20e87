import { Type } from 'typebox';
import { DEAL_PERCENT } from '../../domain/allotment/deal-policy.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, clearable, optional, path, required } from '../schema.ts';

const SET_BY = oneOf(['schedule', 'operator']);
const DEAL_MAKER = oneOf(['policy', 'operator']);

export const DEAL = Type.Object(
  {
    discount_percent: Type.Integer({ minimum: 30, maximum: 50 }),
    expires_at: TIMESTAMP,
    by: DEAL_MAKER,
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, with the discount.' }),
    active: Type.Boolean({ description: 'False until the day has begun at the city.' }),
  },
  { $id: 'FlashDeal' },
);

export const ALLOTMENT = Type.Object(
  {
    activity_id: Type.String(),
    date: DATE,
    capacity: COUNT,
    capacity_by: SET_BY,
    taken: Type.Integer({
      minimum: 0,
      description: 'Slots of bookings and holds. May exceed a capacity that was lowered.',
    }),
    held: Type.Integer({ minimum: 0, description: 'Of those taken, the slots of open holds.' }),
    free: COUNT,
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, before any discount.' }),
    price_by: SET_BY,
    currency: CURRENCY,
    flash_deal: nullable(DEAL),
    flash_deals_by: Type.Enum(['policy', 'operator'], {
      description: 'Who decides about the deals of the date: the policy, until an operator has set one.',
    }),
  },
  { $id: 'Allotment', description: 'One activity on one date: capacity, slots, price and deal.' },
);

const EXAMPLE = {
  activity_id: 'bkk-jim-thompson-house-tour',
  date: '2026-12-05',
  capacity: 300,
  capacity_by: 'schedule' as const,
  taken: 12,
  held: 2,
  free: 288,
  price: 220,
  price_by: 'operator' as const,
  currency: 'THB',
  flash_deal: {
    discount_percent: 40,
    expires_at: '2026-12-05T10:00:00.000Z',
    by: 'operator' as const,
    price: 132,
    active: true,
  },
  flash_deals_by: 'operator' as const,
};

export const ALLOTMENT_PATH = path({
  activity_id: 'The id of an activity, as inventory shows it.',
  date: "A calendar date at the activity's city, `YYYY-MM-DD`.",
});

const MAX_CAPACITY = 100_000;
const { from: LEAST_PERCENT, to: MOST_PERCENT } = DEAL_PERCENT;

export const DISCOUNT_PERCENT = required(
  Type.Integer({ minimum: LEAST_PERCENT, maximum: MOST_PERCENT }),
  `a whole number from ${LEAST_PERCENT} to ${MOST_PERCENT}`,
);

const FLASH_DEAL = Type.Object({
  discount_percent: DISCOUNT_PERCENT,
  expires_at: required(field.TIMESTAMP, field.TIMESTAMP_RULE),
});

export const CAPACITY = clearable(
  optional(
    Type.Integer({ minimum: 0, maximum: MAX_CAPACITY }),
    `a whole number of guests from 0 to ${MAX_CAPACITY}, or null for the schedule's`,
  ),
);

export const PRICE = clearable(
  optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }),
    "an amount above 0 in the city's currency, or null for the schedule's",
  ),
);

const FIELDS = {
  capacity: CAPACITY,
  price: PRICE,
  flash_deal: clearable(optional(FLASH_DEAL, 'an object with discount_percent and expires_at, or null for none')),
};

export const ALLOTMENT_BODY = body(
  Type.Object(FIELDS, {
    examples: [{ price: 220, flash_deal: { discount_percent: 40, expires_at: '2026-12-05T10:00:00Z' } }],
  }),
);

const REFUSALS = ['ACTIVITY_NOT_FOUND', 'ACTIVITY_UNAVAILABLE', 'INVALID_DATE'] as const;

export const ALLOTMENT_ANSWER = answers(ALLOTMENT, EXAMPLE, REFUSALS);

export const CHANGED_ALLOTMENT_ANSWER = answers(ALLOTMENT, EXAMPLE, REFUSALS, ['x-position']);

export const GET_ALLOTMENT_DETAIL = {
  operationId: 'get_allotment',
  summary: 'Capacity, price and flash deal of a date',
  description:
    'The present terms of sale; for a past date, the last ones. `capacity_by`, `price_by` and `flash_deals_by` say ' +
    'who has set them.',
};

export const SET_ALLOTMENT_DETAIL = {
  operationId: 'set_allotment',
  summary: 'Set capacity, price or flash deal of a date',
  description: [
    'A field that is left out keeps its value. Null sets capacity or price back to that of the schedule, and ends ' +
      'the flash deal. A value set by an operator overrides the catalogue until it is set back. A repeated request ' +
      'changes nothing.',
    'Bookings and holds keep their slots and prices. A capacity below the slots that are taken is refused, and the ' +
      'error contains their number: send that number to stop the sale.',
    'A flash deal applies on the date itself until `expires_at`, which is at most the last entry; it may be set ' +
      'before that day. Once an operator has set the flash deal of a date, also to null, the deal policy makes none ' +
      'for it.',
  ].join('\n\n'),
};
