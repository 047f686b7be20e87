import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import {
  changed,
  type DatePolicy,
  type ExpectedPrice,
  paid,
  priced,
  refundOf,
  totalOf,
} from '../../support/expected-price.ts';

/** An offer of the catalogue, independent of the service's code. */
export type Offer = {
  readonly activity: string;
  readonly currency: string;
  readonly unitMinor: number;
  readonly capacity: number;
  readonly onRequest: boolean;
  readonly freeUntilHours: number;
  readonly percentKept: number;
  /** Of a date; ms since the epoch. */
  readonly hours: (date: string) => Readonly<Record<'beginsAtMs' | 'opensAtMs' | 'closesAtMs', number>>;
  /** Deadline of the venue's answer. */
  readonly lastEntryMs: (date: string) => number;
};

type Spot = { readonly offer: Offer; readonly date: string; readonly adults: number };

export type Command =
  | ({ readonly do: 'hold' } & Spot)
  | { readonly do: 'release hold'; readonly hold: string }
  | ({ readonly do: 'book'; readonly name: string; readonly hold: string | null } & Spot)
  | {
      readonly do: 'modify';
      readonly booking: string;
      readonly date: string | null;
      readonly adults: number | null;
      readonly name: string | null;
      readonly ifVersion: number | null;
    }
  | { readonly do: 'cancel'; readonly booking: string; readonly ifVersion: number | null }
  | { readonly do: 'call off'; readonly booking: string }
  | { readonly do: 'confirm' | 'reject'; readonly booking: string }
  | { readonly do: 'erase' | 'visit'; readonly booking: string };

export type Reckoned = {
  readonly offer: Offer;
  readonly status: 'pending' | 'confirmed' | 'rejected' | 'cancelled' | 'completed';
  readonly date: string;
  readonly adults: number;
  readonly name: string;
  readonly erased: boolean;
  readonly version: number;
  readonly price: ExpectedPrice;
  /** Of a cancellation; null without one. */
  readonly refundMinor: number | null;
  readonly answerByMs: number;
};

export type ReckonedHold = {
  readonly offer: Offer;
  readonly date: string;
  readonly adults: number;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly status: 'open' | 'used' | 'released';
};

/** The state that follows from the commands and their answers alone. */
export type World = {
  readonly nowMs: number;
  readonly bookings: ReadonlyMap<string, Reckoned>;
  readonly holds: ReadonlyMap<string, ReckonedHold>;
};

export const HOLD_MS = 600_000;

/** The amount kept for cancelled guests: what a confirmed booking has cost beyond its current price. */
export function keptOf(world: World, id: string): number {
  const { status, price } = bookingOf(world, id);
  return status === 'confirmed' ? price.paidMinor - totalOf(price) : 0;
}

/** Free slots. */
export function freeOn({ bookings, holds, nowMs }: World, { activity, capacity }: Offer, date: string): number {
  let free = capacity;
  for (const { offer, date: on, adults, status } of bookings.values())
    if (offer.activity === activity && on === date && status !== 'rejected' && status !== 'cancelled') free -= adults;
  for (const { offer, date: on, adults, status, expiresAtMs } of holds.values())
    if (offer.activity === activity && on === date && status === 'open' && nowMs < expiresAtMs) free -= adults;
  return free;
}

/** The codes with which the service may refuse a command; empty: it must succeed. */
export function refusalsOf(world: World, command: Command): readonly string[] {
  switch (command.do) {
    case 'hold':
      return freeOn(world, command.offer, command.date) < command.adults ? ['INVENTORY_EXHAUSTED'] : [];
    case 'release hold':
      return refusalsOfRelease(world, holdOf(world, command.hold));
    case 'book':
      return refusalsOfBooking(world, command);
    case 'modify':
      return refusalsOfModification(world, command);
    case 'cancel':
    case 'call off':
      return refusalsOfEnd(world, command);
    case 'confirm':
    case 'reject':
      return refusalsOfVenue(world, command);
    case 'erase':
      return [];
    case 'visit':
      return refusalsOfVisit(world, bookingOf(world, command.booking));
    default:
      return unreachable(command);
  }
}

/** The model after a successful command; `id` is the hold or booking in its answer. */
export function after(world: World, command: Command, id: string): World {
  switch (command.do) {
    case 'hold': {
      const { offer, date, adults } = command;
      const atMs = world.nowMs;
      const expiresAtMs = Math.min(atMs + lifetimeOfHold(world, offer, date), offer.lastEntryMs(date));
      return withHold(world, id, { offer, date, adults, atMs, expiresAtMs, status: 'open' });
    }
    case 'release hold':
      return withHold(world, command.hold, { ...holdOf(world, command.hold), status: 'released' });
    case 'book':
      return booked(world, command, id);
    case 'modify':
      return modified(world, command);
    case 'cancel':
    case 'call off':
      return cancelled(world, command);
    case 'confirm': {
      const before = bookingOf(world, command.booking);
      if (before.status !== 'pending') return world;
      const { price, version } = before;
      const confirmed = { ...before, status: 'confirmed', price: paid(price), version: version + 1 } as const;
      return withBooking(world, command.booking, confirmed);
    }
    case 'reject':
      return ended(world, command.booking, 'rejected');
    case 'visit':
      return ended(world, command.booking, 'completed');
    case 'erase': {
      const before = bookingOf(world, command.booking);
      return before.erased
        ? world
        : withBooking(world, command.booking, { ...before, erased: true, version: before.version + 1 });
    }
    default:
      return unreachable(command);
  }
}

/** Each further hold on a date within a day lasts half as long as the one before. */
function lifetimeOfHold({ holds, nowMs }: World, { activity }: Offer, date: string): number {
  const last = [...holds.values()].findLast((hold) => hold.offer.activity === activity && hold.date === date);
  if (last === undefined || nowMs - last.atMs >= DAY_MS) return HOLD_MS;
  return Math.min(HOLD_MS, Math.max(60_000, Math.floor((last.expiresAtMs - last.atMs) / 2)));
}

/** The model at a later time: overdue holds and requests have ended. */
export function later(world: World, nowMs: number): World {
  let next: World = { ...world, nowMs };
  for (const [id, { status, answerByMs }] of world.bookings)
    if (status === 'pending' && nowMs >= answerByMs) next = ended(next, id, 'rejected');
  return next;
}

function booked(world: World, command: Extract<Command, { do: 'book' }>, id: string): World {
  const { offer, date, adults, name, hold } = command;
  const used = hold === null ? world : withHold(world, hold, { ...holdOf(world, hold), status: 'used' });
  const status = offer.onRequest ? 'pending' : 'confirmed';
  const unpaid = priced(adults, fareOf(offer));
  const price = offer.onRequest ? unpaid : paid(unpaid);
  const made = { offer, status, date, adults, name, erased: false, version: 1, price, refundMinor: null } as const;
  return withBooking(used, id, { ...made, answerByMs: offer.lastEntryMs(date) });
}

function modified(world: World, command: Extract<Command, { do: 'modify' }>): World {
  const before = bookingOf(world, command.booking);
  const to = {
    date: command.date ?? before.date,
    adults: command.adults ?? before.adults,
    name: command.name ?? before.name,
  };
  if (to.date === before.date && to.adults === before.adults && to.name === before.name) return world;
  const { version, offer } = before;
  const charged = before.status === 'confirmed';
  const change = { guests: to.adults, moves: to.date !== before.date, present: fareOf(offer), charged };
  const price = changed(before.price, change, policyOf(before), world.nowMs);
  const answerByMs = Math.min(before.answerByMs, offer.lastEntryMs(to.date));
  return withBooking(world, command.booking, { ...before, ...to, version: version + 1, price, answerByMs });
}

function cancelled(world: World, command: Extract<Command, { do: 'cancel' | 'call off' }>): World {
  const before = bookingOf(world, command.booking);
  if (before.status === 'cancelled') return world;
  const { price, version } = before;
  const { paidMinor } = price;
  const refundMinor = command.do === 'cancel' ? refundOf(price, policyOf(before), world.nowMs) : paidMinor;
  const money = { refundMinor, price: { ...price, paidMinor: paidMinor - refundMinor } };
  return withBooking(world, command.booking, { ...before, ...money, status: 'cancelled', version: version + 1 });
}

function withBooking(world: World, id: string, booking: Reckoned): World {
  return { ...world, bookings: new Map(world.bookings).set(id, booking) };
}

function withHold(world: World, id: string, hold: ReckonedHold): World {
  return { ...world, holds: new Map(world.holds).set(id, hold) };
}

function ended(world: World, id: string, status: 'rejected' | 'completed'): World {
  const before = bookingOf(world, id);
  if (before.status === status) return world;
  return { ...world, bookings: new Map(world.bookings).set(id, { ...before, status, version: before.version + 1 }) };
}

function refusalsOfRelease({ nowMs }: World, { status, expiresAtMs }: ReckonedHold): readonly string[] {
  if (status === 'used') return ['HOLD_USED'];
  return nowMs >= expiresAtMs ? ['HOLD_EXPIRED', 'none'] : [];
}

function refusalsOfEnd(world: World, command: Extract<Command, { do: 'cancel' | 'call off' }>): readonly string[] {
  const { status, offer, date, version } = bookingOf(world, command.booking);
  if (status === 'cancelled') return [];
  const other = command.do === 'cancel' && command.ifVersion !== null && command.ifVersion !== version;
  const over = status === 'rejected' || status === 'completed' || world.nowMs >= offer.hours(date).closesAtMs;
  return [...(over ? ['BOOKING_NOT_CANCELLABLE'] : []), ...(other ? ['REVISION_CONFLICT'] : [])];
}

function refusalsOfVenue(world: World, command: Extract<Command, { do: 'confirm' | 'reject' }>): readonly string[] {
  const { status, offer, date } = bookingOf(world, command.booking);
  const said = command.do === 'confirm' ? ['confirmed', 'completed'] : ['rejected'];
  const inTime = command.do === 'reject' || world.nowMs < offer.hours(date).closesAtMs;
  return said.includes(status) || (status === 'pending' && inTime) ? [] : ['BOOKING_NOT_MODIFIABLE'];
}

function refusalsOfBooking(world: World, command: Extract<Command, { do: 'book' }>): readonly string[] {
  const { offer, date, adults, hold: name } = command;
  if (name === null) return freeOn(world, offer, date) < adults ? ['INVENTORY_EXHAUSTED'] : [];
  const hold = holdOf(world, name);
  if (hold.offer.activity !== offer.activity || hold.date !== date || hold.adults !== adults)
    return ['INVALID_REQUEST'];
  if (hold.status === 'used') return ['HOLD_USED'];
  return hold.status === 'released' || world.nowMs >= hold.expiresAtMs ? ['HOLD_EXPIRED'] : [];
}

function refusalsOfModification(world: World, command: Extract<Command, { do: 'modify' }>): readonly string[] {
  const { date: to, adults, name, ifVersion, booking: id } = command;
  const { offer, date, adults: before, status, erased, version } = bookingOf(world, id);
  const [day, party] = [to ?? date, adults ?? before];
  const open = (status === 'pending' || status === 'confirmed') && world.nowMs < offer.hours(date).closesAtMs;
  const more = day === date ? party - before : party;
  const asksVenue = offer.onRequest && status === 'confirmed' && (day !== date || party > before);
  return [
    ...(!open || asksVenue || (erased && name !== null) ? ['BOOKING_NOT_MODIFIABLE'] : []),
    ...(ifVersion !== null && ifVersion !== version ? ['REVISION_CONFLICT'] : []),
    ...(more > freeOn(world, offer, day) ? ['INVENTORY_EXHAUSTED'] : []),
  ];
}

function refusalsOfVisit({ nowMs }: World, { offer, date, status }: Reckoned): readonly string[] {
  const { beginsAtMs, closesAtMs } = offer.hours(date);
  if (status === 'cancelled') return ['VOUCHER_CANCELLED'];
  if (status === 'completed') return ['VOUCHER_ALREADY_VERIFIED'];
  if (nowMs < beginsAtMs) return ['VOUCHER_NOT_VALID_TODAY'];
  return nowMs >= closesAtMs ? ['VOUCHER_EXPIRED'] : [];
}

function fareOf({ unitMinor }: Offer) {
  return { unitMinor, priceMinor: unitMinor };
}

/** The policy of the present date. */
function policyOf({ offer, date }: Reckoned): DatePolicy {
  return { ...offer, opensAtMs: offer.hours(date).opensAtMs };
}

export function bookingOf({ bookings }: World, id: string): Reckoned {
  const booking = bookings.get(id);
  if (booking === undefined) throw new Error(`${id} was never booked`);
  return booking;
}

function holdOf({ holds }: World, id: string): ReckonedHold {
  const hold = holds.get(id);
  if (hold === undefined) throw new Error(`${id} was never held`);
  return hold;
}
