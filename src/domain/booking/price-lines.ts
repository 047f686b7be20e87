import { type BookingPricing, linesOf, type PriceLine, type Pricing } from '../activity/pricing.ts';

type Change = {
  /** Number of guests after the change. */
  readonly guests: number;
  /** Whether the date changes. */
  readonly moves: boolean;
  /** Price per person of the slots that the change claims; null if it claims none. */
  readonly price: Pricing | null;
};

/**
 * The price of a booking after a change. On another date all guests pay the price claimed there. On the same date the
 * guests keep their price, added ones pay the claimed price, and the last added ones leave first.
 *
 * @param guests number of guests before the change
 */
export function pricingAfter(before: BookingPricing, guests: number, change: Change): BookingPricing {
  const { price, moves } = change;
  if (price !== null && moves) return retaining(before, price);
  const lines = linesOf(before, guests);
  const after = price === null ? firstGuests(lines, change.guests) : withAdded(lines, change.guests - guests, price);
  const [first] = after;
  if (first === undefined) throw new Error('a booking has at least one guest');
  const { unitPriceMinor, discountMinor } = first;
  const priced = retaining(before, { unitPriceMinor, discountMinor, currency: before.currency });
  return after.length === 1 ? priced : { ...priced, lines: after };
}

function firstGuests(lines: readonly PriceLine[], guests: number): readonly PriceLine[] {
  let left = guests;
  return lines.flatMap((line) => {
    const staying = Math.min(line.guests, left);
    left -= staying;
    return staying === 0 ? [] : [{ ...line, guests: staying }];
  });
}

/** Guests at the price of the last line join it. */
function withAdded(
  lines: readonly PriceLine[],
  added: number,
  { unitPriceMinor, discountMinor }: Pricing,
): readonly PriceLine[] {
  const last = lines.at(-1);
  if (last?.unitPriceMinor === unitPriceMinor && last.discountMinor === discountMinor)
    return [...lines.slice(0, -1), { ...last, guests: last.guests + added }];
  return [...lines, { guests: added, unitPriceMinor, discountMinor }];
}

function retaining({ retainedMinor }: BookingPricing, price: Pricing): BookingPricing {
  return retainedMinor === undefined ? price : { ...price, retainedMinor };
}
