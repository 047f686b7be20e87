import { Type } from 'typebox';
import { readStatement } from '../../../projections/statements/query.ts';
import type { StatementItem, StatementTotal } from '../../../projections/statements/read-model.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { STATEMENT } from '../declarations/statement.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { freshEnough } from '../freshness.ts';

const DEFAULT_LIMIT = 50;

const shape = form({
  month: optional(
    Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' }),
    'a calendar month as YYYY-MM (UTC)',
    'INVALID_DATE',
  ),
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
  cursor: field.cursor,
});

/** GET /api/keys/self/statement */
export function statement(context: HttpContext) {
  return endpoint(context, STATEMENT, shape, async ({ caller, fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('statements', headers, context);
    const month = fields.month ?? new Date(context.clock.nowMs()).toISOString().slice(0, 'YYYY-MM'.length);
    const page = await readStatement(context.readModels, await context.collection('statements'), {
      keyId: caller.keyId,
      month,
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    const totals = page.totals.map(presentTotal).sort((left, right) => (left.currency < right.currency ? -1 : 1));
    return {
      kind: 'data',
      data: { month, items: page.items.map(presentItem), totals, next_cursor: writeCursor(page.next) },
    };
  });
}

function presentItem({ at, type, bookingId, amountMinor, currency }: StatementItem) {
  return { at, type, booking_id: bookingId, amount: toDecimal(amountMinor, currency), currency };
}

function presentTotal({ currency, chargedMinor, refundedMinor }: StatementTotal) {
  const decimal = (amountMinor: number): number => toDecimal(amountMinor, currency);
  return {
    currency,
    charged: decimal(chargedMinor),
    refunded: decimal(refundedMinor),
    balance: decimal(chargedMinor - refundedMinor),
  };
}
