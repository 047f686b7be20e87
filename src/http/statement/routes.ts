import { Elysia } from 'elysia';
import { readStatement } from '../../../projections/statements/query.ts';
import type { StatementItem, StatementTotal } from '../../../projections/statements/read-model.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import * as schema from './schema.ts';

export function statementRoutes(context: HttpContext) {
  return new Elysia({ name: 'statement', tags: ['Keys'] }).use(access(context)).get(
    '/api/keys/self/statement',
    async ({ query, key }) => {
      const month = query.month ?? new Date(context.clock.nowMs()).toISOString().slice(0, 'YYYY-MM'.length);
      const page = await readStatement(context.readModels, await context.collection('statements'), {
        keyId: key.keyId,
        month,
        limit: query.limit ?? schema.DEFAULT_LIMIT,
        after: readCursor(query.cursor),
      });
      return success({
        month,
        items: page.items.map(presentItem),
        totals: presentTotals(page.totals),
        next_cursor: writeCursor(page.next),
      });
    },
    {
      apiKey: 'execute_booking',
      positioned: 'statements',
      query: schema.STATEMENT_QUERY,
      response: schema.STATEMENT_ANSWER,
      detail: schema.STATEMENT_DETAIL,
    },
  );
}

function presentItem({ at, type, bookingId, amountMinor, currency }: StatementItem) {
  return { at, type, booking_id: bookingId, amount: toDecimal(amountMinor, currency), currency };
}

/** The totals by currency. */
function presentTotals(totals: readonly StatementTotal[]) {
  return totals.map(presentTotal).sort((left, right) => (left.currency < right.currency ? -1 : 1));
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
