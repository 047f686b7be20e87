/**
 * What a booking costs and refunds, calculated a second time from the words of the contract: guest by guest, and with the
 * bound on refunds as a comparison with every earlier moment. Uses nothing of the service. Amounts in minor units.
 */

/** What one guest pays. */
export type Fare = { readonly unitMinor: number; readonly priceMinor: number };

/** The policy of the booked date. */
export type DatePolicy = {
  readonly opensAtMs: number;
  readonly freeUntilHours: number;
  readonly percentKept: number;
};

export type ExpectedPrice = {
  /** One entry per guest, in the order in which they were added. */
  readonly fares: readonly Fare[];
  /** Charges less refunds. */
  readonly paidMinor: number;
  /** For the moment of each change: what a cancellation at that moment would not have refunded. */
  readonly keptMinor: readonly number[];
};

/** An unconfirmed booking: nothing is charged. */
export function priced(guests: number, fare: Fare): ExpectedPrice {
  return { fares: Array.from({ length: guests }, () => fare), paidMinor: 0, keptMinor: [] };
}

/** The booking becomes confirmed. */
export function paid(price: ExpectedPrice): ExpectedPrice {
  return { ...price, paidMinor: totalOf(price) };
}

/**
 * The booking after a change at `nowMs`. Guests keep their fare while the date stays, added ones pay the present fare, the
 * last added ones leave; on another date all pay the present fare there. `charged`: the booking is confirmed.
 */
export function changed(
  price: ExpectedPrice,
  change: { readonly guests: number; readonly moves: boolean; readonly present: Fare; readonly charged: boolean },
  policy: DatePolicy,
  nowMs: number,
): ExpectedPrice {
  const { guests, moves, present, charged } = change;
  if (!moves && guests === price.fares.length) return price;
  const staying = moves ? [] : price.fares.slice(0, guests);
  const added = Array.from({ length: guests - staying.length }, () => present);
  const after = { ...price, fares: [...staying, ...added] };
  if (!charged) return after;
  const keptMinor = [...price.keptMinor, price.paidMinor - refundOf(price, policy, nowMs)];
  const less = totalOf(price) - totalOf(after);
  const refund = less > 0 ? withinBound(byPolicy(less, policy, nowMs), { ...price, keptMinor }) : 0;
  return { ...after, keptMinor, paidMinor: price.paidMinor + Math.max(0, -less) - refund };
}

/** The refund of a guest's cancellation at `nowMs`. */
export function refundOf(price: ExpectedPrice, policy: DatePolicy, nowMs: number): number {
  return withinBound(byPolicy(totalOf(price), policy, nowMs), price);
}

export function totalOf({ fares }: Pick<ExpectedPrice, 'fares'>): number {
  return fares.reduce((sum, { priceMinor }) => sum + priceMinor, 0);
}

export function retainedOf({ keptMinor }: Pick<ExpectedPrice, 'keptMinor'>): number {
  return Math.max(0, ...keptMinor);
}

/** The pricing object of an answer, in the currency's main unit of 100 minor units. */
export function pricingOf(price: ExpectedPrice, currency: string): object {
  const { fares } = price;
  const [first] = fares;
  const subtotal = fares.reduce((sum, { unitMinor }) => sum + unitMinor, 0);
  const lines = linesOf(price);
  const retained = retainedOf(price);
  return {
    unit_price: (first?.unitMinor ?? 0) / 100,
    total_guests: fares.length,
    subtotal: subtotal / 100,
    discount: (subtotal - totalOf(price)) / 100,
    total: totalOf(price) / 100,
    currency,
    ...(lines.length > 1 && { lines }),
    ...(retained > 0 && { retained: retained / 100 }),
  };
}

/** Neighbours with the same fare make one line. */
function linesOf({ fares }: ExpectedPrice) {
  const lines: { guests: number; unit_price: number; price: number }[] = [];
  for (const { unitMinor, priceMinor } of fares) {
    const line = { guests: 1, unit_price: unitMinor / 100, price: priceMinor / 100 };
    const last = lines.at(-1);
    if (last?.unit_price === line.unit_price && last.price === line.price) last.guests++;
    else lines.push(line);
  }
  return lines;
}

/** No refund leaves less than a cancellation at any earlier moment would have left. */
function withinBound(refund: number, { paidMinor, keptMinor }: ExpectedPrice): number {
  return Math.min(refund, ...keptMinor.map((kept) => paidMinor - kept), paidMinor);
}

/** The kept percentage is rounded down, in the guest's favour. */
function byPolicy(amount: number, { opensAtMs, freeUntilHours, percentKept }: DatePolicy, nowMs: number): number {
  if (nowMs < opensAtMs - freeUntilHours * 3_600_000) return amount;
  return amount - Number((BigInt(amount) * BigInt(percentKept)) / 100n);
}
