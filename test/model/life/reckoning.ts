import type { Offer } from './requests.ts';
import { hoursOf } from './requests.ts';

/** What a booking must have cost so far, as somebody works it out who knows only the offers and the answers. */
export type Reckoned = {
  readonly on: string;
  readonly guests: number;
  readonly confirmed: boolean;
  readonly paidMinor: number;
  /** Modifications that were made. */
  readonly commands: ReadonlySet<string>;
};

export function reckonBooked(on: string, guests: number, confirmed: boolean, offer: Offer): Reckoned {
  return { on, guests, confirmed, paidMinor: confirmed ? guests * offer.unitPriceMinor : 0, commands: new Set() };
}

export function reckonConfirmed(booking: Reckoned, offer: Offer): Reckoned {
  return booking.confirmed
    ? booking
    : { ...booking, confirmed: true, paidMinor: booking.guests * offer.unitPriceMinor };
}

/** More is charged; less is given back by the policy of the date that was left. */
export function reckonModified(
  booking: Reckoned,
  change: { readonly command: string; readonly on: string; readonly guests: number },
  offers: { readonly before: Offer; readonly after: Offer },
  nowMs: number,
): Reckoned {
  const { on, guests, command } = change;
  const more = guests * offers.after.unitPriceMinor - booking.guests * offers.before.unitPriceMinor;
  const due = more >= 0 ? more : -givenBack(-more, booking.on, offers.before, nowMs);
  const paidMinor = booking.paidMinor + (booking.confirmed ? due : 0);
  return { ...booking, on, guests, paidMinor, commands: new Set([...booking.commands, command]) };
}

/** By the guest, by the policy and for what is booked now; by anybody else, all of it. */
export function reckonCancelled(booking: Reckoned, byGuest: boolean, offer: Offer, nowMs: number): Reckoned {
  const { guests, on, paidMinor, confirmed } = booking;
  if (!confirmed || !byGuest) return { ...booking, paidMinor: 0 };
  return { ...booking, paidMinor: paidMinor - givenBack(guests * offer.unitPriceMinor, on, offer, nowMs) };
}

/** What is kept is whole minor units, never rounded up. */
function givenBack(amountMinor: number, on: string, { cancellation }: Offer, nowMs: number): number {
  const { freeUntilHours, percentKept } = cancellation;
  if (nowMs < hoursOf(on).opensAtMs - freeUntilHours * 3_600_000) return amountMinor;
  return amountMinor - Number((BigInt(amountMinor) * BigInt(percentKept)) / 100n);
}
