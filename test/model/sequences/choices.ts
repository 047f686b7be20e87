import type { Random } from '../../chaos/kill/random.ts';
import { type Command, keptOf, type Offer, type Reckoned, refusalsOf, type World } from './reckoning.ts';

export type Choosing = {
  readonly random: Random;
  readonly offers: readonly [Offer, ...Offer[]];
  /** Dates that can be booked now. */
  readonly dates: readonly [string, ...string[]];
  /** An unused name. */
  readonly name: () => string;
};

/** A random command for the current state, valid or not. */
export function anyCommand(world: World, choosing: Choosing): Command {
  const { random } = choosing;
  const what = random.whole(1, 100);
  const bookings = [...world.bookings.keys()];
  const booking = bookings[random.whole(0, Math.max(0, bookings.length - 1))];
  const costly = bookings.filter(
    (id) => keptOf(world, id) > 0 && refusalsOf(world, { do: 'cancel', booking: id, ifVersion: null }).length === 0,
  );
  const [first] = costly;
  // Rare, and the only case in which a refund is below the remaining charge for another reason than the policy.
  if (first !== undefined && random.percent(25))
    return { do: 'cancel', booking: random.pick([first, ...costly]), ifVersion: null };
  if (what <= 11) return anyHold(choosing);
  if (booking === undefined || what <= 31) return anyBooking(world, choosing);
  const [hold] = [...world.holds.keys()].slice(-random.whole(1, 3));
  if (what <= 36 && hold !== undefined) return { do: 'release hold', hold };
  if (what <= 68) return anyModification(world, booking, choosing);
  if (what <= 76) return { do: 'cancel', booking, ifVersion: anyVersion(world, booking, random) };
  if (what <= 78) return { do: 'call off', booking };
  const chosen = world.bookings.get(booking);
  if (what <= 88 && chosen?.offer.onRequest === true) return { do: random.percent(60) ? 'confirm' : 'reject', booking };
  if (what <= 97) return hasVoucher(chosen) ? { do: 'visit', booking } : anyModification(world, booking, choosing);
  return { do: 'erase', booking };
}

/** Whether the booking has been charged, and so can be scanned. */
function hasVoucher(booking: Reckoned | undefined): boolean {
  return booking !== undefined && (booking.price.paidMinor > 0 || (booking.refundMinor ?? 0) > 0);
}

/** A concurrent command for the same booking. */
export function anyRival(world: World, booking: string, choosing: Choosing): Command {
  const { random } = choosing;
  const what = random.whole(1, 3);
  if (what === 1) return { do: 'cancel', booking, ifVersion: anyVersion(world, booking, random) };
  return what === 2 ? { do: 'call off', booking } : anyModification(world, booking, choosing);
}

function anyHold({ random, offers, dates }: Choosing): Command {
  return { do: 'hold', offer: random.pick(offers), date: random.pick(dates), adults: random.whole(1, 4) };
}

function anyBooking(world: World, { random, offers, dates, name }: Choosing): Command {
  const spot = { offer: random.pick(offers), date: random.pick(dates), adults: random.whole(1, 6), name: name() };
  const [id, held] = [...world.holds].at(-random.whole(1, 3)) ?? [null, null];
  if (id === null || held === null || random.percent(40)) return { do: 'book', ...spot, hold: null };
  // Usually the date and size of the hold, sometimes others.
  if (random.percent(15)) return { do: 'book', ...spot, hold: id };
  const bookable = dates.includes(held.date);
  const { offer, date, adults } = held;
  return bookable ? { do: 'book', ...spot, offer, date, adults, hold: id } : { do: 'book', ...spot, hold: null };
}

function anyModification(world: World, booking: string, { random, dates, name }: Choosing): Command {
  const date = random.percent(35) ? random.pick(dates) : null;
  const guest = random.percent(25) ? name() : null;
  // A modification without a field is invalid.
  const adults = random.percent(60) || (date === null && guest === null) ? random.whole(1, 8) : null;
  return {
    do: 'modify',
    booking,
    date,
    adults,
    name: guest,
    ifVersion: anyVersion(world, booking, random),
  };
}

function anyVersion(world: World, booking: string, random: Random): number | null {
  const { version } = world.bookings.get(booking) ?? { version: 1 };
  if (random.percent(65)) return null;
  return random.percent(80) ? version : version + 1;
}
