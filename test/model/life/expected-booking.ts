import {
  changed,
  type DatePolicy,
  type ExpectedPrice,
  type Fare,
  paid,
  priced,
  refundOf,
} from '../../support/expected-price.ts';
import type { Offer } from './requests.ts';
import { hoursOf } from './requests.ts';

/** A booking and its balance, calculated only from offers and answers. */
export type ExpectedBooking = {
  readonly on: string;
  readonly guests: number;
  readonly confirmed: boolean;
  readonly price: ExpectedPrice;
  /** Ids of the modifications that took effect. */
  readonly commands: ReadonlySet<string>;
};

export function expectBooked(on: string, guests: number, confirmed: boolean, offer: Offer): ExpectedBooking {
  const price = priced(guests, fareOf(offer));
  return { on, guests, confirmed, price: confirmed ? paid(price) : price, commands: new Set() };
}

export function expectConfirmed(booking: ExpectedBooking): ExpectedBooking {
  return booking.confirmed ? booking : { ...booking, confirmed: true, price: paid(booking.price) };
}

/** A higher price is charged; a lower one is refunded by the policy of the old date, within what is refundable. */
export function expectModified(
  booking: ExpectedBooking,
  change: { readonly command: string; readonly on: string; readonly guests: number },
  offers: { readonly before: Offer; readonly after: Offer },
  nowMs: number,
): ExpectedBooking {
  const { on, guests, command } = change;
  const { confirmed: charged } = booking;
  const what = { guests, moves: on !== booking.on, present: fareOf(offers.after), charged };
  const price = changed(booking.price, what, policyOf(booking, offers.before), nowMs);
  return { ...booking, on, guests, price, commands: new Set([...booking.commands, command]) };
}

/** A guest's cancellation is refunded by the policy, any other one in full. */
export function expectCancelled(
  booking: ExpectedBooking,
  byGuest: boolean,
  offer: Offer,
  nowMs: number,
): ExpectedBooking {
  const { price, confirmed } = booking;
  const back = confirmed && byGuest ? refundOf(price, policyOf(booking, offer), nowMs) : price.paidMinor;
  return { ...booking, price: { ...price, paidMinor: price.paidMinor - back } };
}

function fareOf({ unitPriceMinor }: Offer): Fare {
  return { unitMinor: unitPriceMinor, priceMinor: unitPriceMinor };
}

function policyOf({ on }: ExpectedBooking, { cancellation }: Offer): DatePolicy {
  return { ...cancellation, opensAtMs: hoursOf(on).opensAtMs };
}
