import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { CURRENCY, nullable, oneOf, TIMESTAMP } from '../schemas.ts';

const AMOUNT = Type.Number({ minimum: 0 });

const ITEM = Type.Object(
  {
    at: TIMESTAMP,
    type: oneOf(['charge', 'refund']),
    booking_id: Type.String(),
    amount: AMOUNT,
    currency: CURRENCY,
  },
  { $id: 'StatementItem' },
);

const TOTAL = Type.Object(
  {
    currency: CURRENCY,
    charged: AMOUNT,
    refunded: AMOUNT,
    balance: Type.Number({ description: 'What was charged less what was refunded.' }),
  },
  { $id: 'StatementTotal' },
);

export const STATEMENT = {
  by: 'key',
  permission: 'execute_booking',
  id: 'statement',
  tag: 'Keys',
  summary: 'What was charged and refunded to the key in a month',
  description: [
    'A booking is charged when it becomes confirmed. Months are those of UTC; without `month` it is the present one.',
    '`items` come in the order in which they were recorded, so that what is added while you read stands behind your cursor. ' +
      '`totals` are those of the whole month on every page, one for each currency.',
    "Follows bookings within moments; has your own at once where you send that answer's `X-Position` back.",
  ].join('\n\n'),
  headers: ['x-position'],
  answer: {
    data: Type.Object(
      {
        month: Type.String({ pattern: '^\\d{4}-\\d{2}$', description: '`YYYY-MM`.' }),
        items: Type.Array(ITEM),
        totals: Type.Array(TOTAL),
        next_cursor: nullable(Type.String({ description: 'Send it as `cursor` for the next page; null at the end.' })),
      },
      { $id: 'Statement' },
    ),
    example: {
      month: '2026-11',
      items: [
        {
          at: '2026-11-21T06:49:59.482Z',
          type: 'charge',
          booking_id: 'bk_h76cfakt2c43vdqm2ryg',
          amount: 2400,
          currency: 'THB',
        },
        {
          at: '2026-11-22T04:12:03.118Z',
          type: 'refund',
          booking_id: 'bk_h76cfakt2c43vdqm2ryg',
          amount: 1200,
          currency: 'THB',
        },
      ],
      totals: [{ currency: 'THB', charged: 2400, refunded: 1200, balance: 1200 }],
      next_cursor: null,
    },
  },
  refusals: ['INVALID_DATE', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;
