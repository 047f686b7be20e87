import { Type } from 'typebox';
import { CURRENCIES, type Currency, toDecimal, toMinor } from '../../domain/activity/money.ts';
import { exposureLimitsOf, type KeyLimits, type Plan } from '../../domain/apikey/apikey.ts';
import type { Money } from '../../domain/spending/spending.ts';
import { COUNT, CURRENCY, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { clearable, optional, type Rule } from '../schema.ts';

/** A higher limit would make an entry in the usage counters too large; null is none. */
const MOST_COUNTED = 10_000;
const AMOUNT = Type.Number({ exclusiveMinimum: 0 });
const AMOUNT_RULE = 'an amount above 0, or null for no limit';
const WHOLE = Type.Integer({ minimum: 0, maximum: MOST_COUNTED });
const WHOLE_RULE = `a whole number from 0 to ${MOST_COUNTED}, or null for no limit`;
const SHARE = Type.Number({ minimum: 0, maximum: 1 });
const AMOUNTS = ['booking_total', 'day_total'] as const;

/** Limits of a key: one that is left out stays, null removes it. */
export const limitsField = optional(
  Type.Object(
    {
      open_holds: clearable(optional(WHOLE, WHOLE_RULE)),
      unpaid_share: clearable(optional(SHARE, 'a number from 0 to 1, or null for no limit')),
      refundable_guests: clearable(optional(WHOLE, WHOLE_RULE)),
      booking_total: clearable(optional(AMOUNT, AMOUNT_RULE)),
      day_total: clearable(optional(AMOUNT, AMOUNT_RULE)),
      currency: optional(oneOf(CURRENCIES), `one of ${CURRENCIES.join(', ')}`),
    },
    { $id: 'KeyLimits' },
  ),
  'an object with open_holds, unpaid_share, refundable_guests, booking_total, day_total and currency',
);

/** An amount needs a currency, and no more decimals than it has. */
export const limitsRules: Readonly<Record<string, Rule>> = {
  'limits.booking_total': (sent) => faultOf('booking_total', sent),
  'limits.day_total': (sent) => faultOf('day_total', sent),
};

export const LIMITS = Type.Object(
  {
    open_holds: nullable(COUNT),
    unpaid_share: nullable(Type.Number()),
    refundable_guests: nullable(COUNT),
    booking_total: nullable(Type.Number()),
    day_total: nullable(Type.Number()),
    currency: nullable(CURRENCY),
  },
  {
    $id: 'KeyLimits',
    description: 'Limits on what is not paid for (by default of the plan) and on spending. Null: no limit.',
  },
);
const SPENDING_LIMITS_EXAMPLE = { booking_total: 5000, day_total: 20000, currency: 'THB' as const };
export const LIMITS_EXAMPLE = {
  open_holds: 10,
  unpaid_share: 0.5,
  refundable_guests: 200,
  ...SPENDING_LIMITS_EXAMPLE,
};

export const SPENDING = Type.Object(
  {
    today: Type.Object({ used: Type.Number(), limit: Type.Number(), currency: CURRENCY, resets_at: TIMESTAMP }),
  },
  { $id: 'Spending', description: 'The use of `limits.day_total`. Null without that limit.' },
);
export const SPENDING_EXAMPLE = {
  today: { used: 3200, limit: 20000, currency: 'THB', resets_at: '2026-11-22T00:00:00.000Z' },
};

export type SentLimits = {
  readonly open_holds?: number | null | undefined;
  readonly unpaid_share?: number | null | undefined;
  readonly refundable_guests?: number | null | undefined;
  readonly booking_total?: number | null | undefined;
  readonly day_total?: number | null | undefined;
  readonly currency?: Currency | undefined;
};

/** The limits that were sent. `limitsRules` checked the amounts. */
export function limitsIn(sent: SentLimits): Partial<KeyLimits> {
  const { booking_total: bookingTotal, day_total: dayTotal, currency } = sent;
  const { open_holds: openHolds, unpaid_share: unpaidShare, refundable_guests: refundableGuests } = sent;
  return {
    exposure: {
      ...(openHolds === undefined ? {} : { openHolds }),
      ...(unpaidShare === undefined ? {} : { unpaidShare }),
      ...(refundableGuests === undefined ? {} : { refundableGuests }),
    },
    ...(bookingTotal === undefined ? {} : { bookingTotal: moneyOf(bookingTotal, currency) }),
    ...(dayTotal === undefined ? {} : { dayTotal: moneyOf(dayTotal, currency) }),
  };
}

export function presentLimits(key: { readonly plan: Plan; readonly limits: KeyLimits }) {
  const { bookingTotal, dayTotal } = key.limits;
  const { openHolds, unpaidShare, refundableGuests } = exposureLimitsOf(key);
  return {
    open_holds: openHolds,
    unpaid_share: unpaidShare,
    refundable_guests: refundableGuests,
    booking_total: bookingTotal && toDecimal(bookingTotal.amountMinor, bookingTotal.currency),
    day_total: dayTotal && toDecimal(dayTotal.amountMinor, dayTotal.currency),
    currency: (bookingTotal ?? dayTotal)?.currency ?? null,
  };
}

/** The use of the day's limit; null without it. */
export function presentSpending(
  spent: { readonly usedMinor: number; readonly bound: Money; readonly resetsAt: string } | null,
) {
  if (spent === null) return null;
  const { currency, amountMinor } = spent.bound;
  const [used, limit] = [toDecimal(spent.usedMinor, currency), toDecimal(amountMinor, currency)];
  return { today: { used, limit, currency, resets_at: spent.resetsAt } };
}

function moneyOf(amount: number | null, currency: Currency | undefined): Money | null {
  const amountMinor = amount === null || currency === undefined ? null : toMinor(amount, currency);
  return amountMinor === null || currency === undefined ? null : { amountMinor, currency };
}

function faultOf(name: (typeof AMOUNTS)[number], sent: Parameters<Rule>[0]): ReturnType<Rule> {
  // The schema has checked the members' types.
  const limits = (sent['limits'] ?? {}) as SentLimits;
  const { currency, [name]: amount } = limits;
  if (amount === undefined || amount === null) return null;
  const code = 'INVALID_REQUEST';
  if (currency === undefined)
    return { code, sentence: `limits.currency is missing; limits.${name} needs one of ${CURRENCIES.join(', ')}.` };
  if (toMinor(amount, currency) !== null) return null;
  return { code, sentence: `limits.${name} has more decimals than ${currency}; it was ${amount}.` };
}
