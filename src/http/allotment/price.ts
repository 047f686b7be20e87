import { type Refused, refused } from '../../application/refusal.ts';
import { CURRENCY_EXPONENTS, type Currency, toMinor } from '../../domain/activity/money.ts';

type SentPrice = { readonly kind: 'price'; readonly unitPriceMinor: number | null | undefined };

/** The activity's currency determines the number of decimals of an amount. */
export function priceIn(price: number | null | undefined, currency: Currency): SentPrice | Refused {
  if (price === null || price === undefined) return { kind: 'price', unitPriceMinor: price };
  const unitPriceMinor = toMinor(price, currency);
  if (unitPriceMinor !== null) return { kind: 'price', unitPriceMinor };
  const decimals = CURRENCY_EXPONENTS[currency];
  const rule = decimals === 0 ? 'without decimals' : `with at most ${decimals} decimals`;
  return refused('INVALID_REQUEST', `price must be an amount in ${currency} ${rule}; it was ${price}.`);
}
