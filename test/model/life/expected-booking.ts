import type { Offer } from './requests.ts';
import { hoursOf } from './requests.ts';

/** A booking and its balance, calculated only from offers and answers. */
export type ExpectedBooking = {
  readonly on: string;
  readonly guests: number;
  readonly confirmed: boolean;
  readonly paidMinor: number;
  /** Ids of the modifications that took effect. */
  readonly commands: ReadonlySet<string>;
};

export function expectBooked(on: string, guests: number, confirmed: boolean, offer: Offer): ExpectedBooking {
  return { on, guests, confirmed, paidMinor: confirmed ? guests * offer.unitPriceMinor : 0, commands: new Set() };
}

export function expectConfirmed(booking: ExpectedBooking, offer: Offer): ExpectedBooking {
  return booking.confirmed
    ? booking
    : { ...booking, confirmed: true, paidMinor: booking.guests * offer.unitPriceMinor };
}

/** A higher price is charged; a lower one is refunded by the policy of the old date. */
export function expectModified(
  booking: ExpectedBooking,
  change: { readonly command: string; readonly on: string; readonly guests: number },
  offers: { readonly before: Offer; readonly after: Offer },
  nowMs: number,
): ExpectedBooking {
  const { on, guests, command } = change;
  const more = guests * offers.after.unitPriceMinor - booking.guests * offers.before.unitPriceMinor;
  const due = more >= 0 ? more : -refunded(-more, booking.on, offers.before, nowMs);
  const paidMinor = booking.paidMinor + (booking.confirmed ? due : 0);
  return { ...booking, on, guests, paidMinor, commands: new Set([...booking.commands, command]) };
}

/** A guest's cancellation is refunded by the policy, any other one in full. */
export function expectCancelled(
  booking: ExpectedBooking,
  byGuest: boolean,
  offer: Offer,
  nowMs: number,
): ExpectedBooking {
  const { guests, on, paidMinor, confirmed } = booking;
  if (!confirmed || !byGuest) return { ...booking, paidMinor: 0 };
  return { ...booking, paidMinor: paidMinor - refunded(guests * offer.unitPriceMinor, on, offer, nowMs) };
}

/** The part kept is rounded down to minor units. */
function refunded(amountMinor: number, on: string, { cancellation }: Offer, nowMs: number): number {
  const { freeUntilHours, percentKept } = cancellation;
  if (nowMs < hoursOf(on).opensAtMs - freeUntilHours * 3_600_000) return amountMinor;
  return amountMinor - Number((BigInt(amountMinor) * BigInt(percentKept)) / 100n);
}
