import { Type } from 'typebox';
import { CURRENCY, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { optional, query } from '../schema.ts';

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
    balance: Type.Number({ description: '`charged` minus `refunded`.' }),
  },
  { $id: 'StatementTotal' },
);

export const DEFAULT_LIMIT = 50;

export const STATEMENT_QUERY = query(
  Type.Object({
    month: optional(
      Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' }),
      'a calendar month as YYYY-MM (UTC)',
      'INVALID_DATE',
    ),
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
);

export const STATEMENT_ANSWER = answers(
  Type.Object(
    {
      month: Type.String({ pattern: '^\\d{4}-\\d{2}$', description: '`YYYY-MM`.' }),
      items: Type.Array(ITEM),
      totals: Type.Array(TOTAL),
      next_cursor: nullable(Type.String({ description: 'Send it as `cursor` for the next page; null at the end.' })),
    },
    { $id: 'Statement' },
  ),
  {
    month: '2026-11',
    items: [
      {
        at: '2026-11-21T06:49:59.482Z',
        type: 'charge' as const,
        booking_id: 'bk_h76cfakt2c43vdqm2ryg',
        amount: 2400,
        currency: 'THB',
      },
      {
        at: '2026-11-22T04:12:03.118Z',
        type: 'refund' as const,
        booking_id: 'bk_h76cfakt2c43vdqm2ryg',
        amount: 1200,
        currency: 'THB',
      },
    ],
    totals: [{ currency: 'THB', charged: 2400, refunded: 1200, balance: 1200 }],
    next_cursor: null,
  },
  ['INVALID_DATE'],
);

export const STATEMENT_DETAIL = {
  operationId: 'statement',
  summary: 'The charges and refunds of a key in a month',
  description: [
    'A booking is charged when it becomes `confirmed`. Months are in UTC; the default is the current month.',
    '`items` are in the order in which they were recorded: entries added while you read come after your cursor. ' +
      '`totals` cover the whole month on every page, one for each currency.',
  ].join('\n\n'),
};
