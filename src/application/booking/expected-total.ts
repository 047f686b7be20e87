import { CURRENCY_EXPONENTS, type Currency, toDecimal, toMinor } from '../../domain/activity/money.ts';
import { type Refused, refused } from '../refusal.ts';

/** The total that a caller agreed to, as a decimal number of the activity's currency; null: any. */
export type ExpectedTotal = { readonly expectedTotal: number | null };

/** The expected total in minor units; null for none. Refuses a number with more decimals than the currency has. */
export function expectedTotalIn(
  { expectedTotal }: ExpectedTotal,
  currency: Currency,
): { readonly kind: 'expected'; readonly minor: number | null } | Refused {
  if (expectedTotal === null) return { kind: 'expected', minor: null };
  const minor = toMinor(expectedTotal, currency);
  if (minor !== null) return { kind: 'expected', minor };
  const message = `expected_total must be an amount of ${currency} with at most ${CURRENCY_EXPONENTS[currency]} decimals; it was ${expectedTotal}.`;
  return refused('INVALID_REQUEST', message);
}

/** Refuses a booking, a change or a quote because its total is not the expected one. */
export function priceChanged(
  { expectedTotal }: ExpectedTotal,
  guests: number,
  totalMinor: number,
  currency: Currency,
): Refused {
  const total = toDecimal(totalMinor, currency);
  const whom = guests === 1 ? '1 guest' : `${guests} guests`;
  const message =
    `The total for ${whom} is ${total} ${currency} now, not the expected_total ${expectedTotal}, so nothing was done; ` +
    `if the user agrees, send it again with expected_total ${total}.`;
  return refused('PRICE_CHANGED', message, { details: `total: ${total}`, alternatives: [{ total, currency }] });
}
