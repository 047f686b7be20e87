import type { StatementItem, StatementTotal } from '../../../projections/statements/read-model.ts';
import { toDecimal } from '../../domain/activity/money.ts';

export function presentItem({ at, type, bookingId, amountMinor, currency }: StatementItem) {
  return { at, type, booking_id: bookingId, amount: toDecimal(amountMinor, currency), currency };
}

/** The totals by currency. */
export function presentTotals(totals: readonly StatementTotal[]) {
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
