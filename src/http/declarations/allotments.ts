import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, TIMESTAMP } from '../schemas.ts';

const SET_BY = oneOf(['schedule', 'operator']);
const DEAL_MAKER = oneOf(['policy', 'operator']);

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
    held: Type.Integer({ minimum: 0, description: 'Of those taken, the slots of holds that nobody has used yet.' }),
    free: COUNT,
    price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, before any discount.' }),
    price_by: SET_BY,
    currency: CURRENCY,
    flash_deal: nullable(
      Type.Object({
        discount_percent: Type.Integer({ minimum: 30, maximum: 50 }),
        expires_at: TIMESTAMP,
        by: DEAL_MAKER,
        price: Type.Number({ exclusiveMinimum: 0, description: 'Per person, with the discount.' }),
        active: Type.Boolean({ description: 'False until the day has begun at the city.' }),
      }),
    ),
    flash_deals_by: Type.Enum(['policy', 'operator'], {
      description: 'Who decides about the deals of the date: the policy, until an operator has spoken.',
    }),
  },
  { $id: 'Allotment', description: 'One activity on one date, as it is sold.' },
);

const EXAMPLE = {
  activity_id: 'bkk-jim-thompson-house-tour',
  date: '2026-11-21',
  capacity: 300,
  capacity_by: 'schedule',
  taken: 12,
  held: 2,
  free: 288,
  price: 220,
  price_by: 'operator',
  currency: 'THB',
  flash_deal: {
    discount_percent: 40,
    expires_at: '2026-11-21T10:00:00.000Z',
    by: 'operator',
    price: 132,
    active: true,
  },
  flash_deals_by: 'operator',
};

const params = {
  activity_id: 'The id of an activity, as inventory shows it.',
  date: "A calendar date at the activity's city, `YYYY-MM-DD`.",
};

export const ALLOTMENT_OF_DATE = {
  by: 'operator',
  least: 'analyst',
  id: 'get_allotment',
  tag: 'Inventory',
  summary: 'Capacity, price and flash deal of a date',
  description: 'As it is sold at this moment, or was sold last where the date is over, with who has set what.',
  params,
  answer: { data: ALLOTMENT, example: EXAMPLE },
  refusals: ['ACTIVITY_NOT_FOUND', 'ACTIVITY_UNAVAILABLE', 'INVALID_DATE', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const SET_ALLOTMENT = {
  by: 'operator',
  least: 'admin',
  id: 'set_allotment',
  tag: 'Inventory',
  summary: 'Set capacity, price or flash deal of a date',
  description: [
    'What is not sent stays as it is; null gives capacity or price back to the schedule, and ends the flash deal. What an ' +
      'operator has set outranks the catalogue until it is given back. Repeated, it changes nothing.',
    'Bookings and holds keep their places and prices. A capacity below what is taken is refused, with the number: send ' +
      'that number to stop the sale.',
    'A flash deal counts on the day itself until `expires_at`, at most until the last entry; it may be set beforehand. ' +
      'Once an operator has spoken of the deals of a date, with null too, the policy makes none on it.',
  ].join('\n\n'),
  params,
  answer: { data: ALLOTMENT, example: EXAMPLE, headers: ['x-position'] },
  refusals: ['ACTIVITY_NOT_FOUND', 'ACTIVITY_UNAVAILABLE', 'INVALID_DATE', 'SERVICE_UNAVAILABLE'],
  example: { price: 220, flash_deal: { discount_percent: 40, expires_at: '2026-11-21T10:00:00Z' } },
} as const satisfies Declaration;
