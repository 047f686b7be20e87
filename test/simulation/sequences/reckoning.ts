import { unreachable } from '../../../src/eventsourcing/message.ts';

/** What is sold, as anybody can read it who never saw the service. */
export type Offer = {
  readonly activity: string;
  readonly currency: string;
  readonly unitMinor: number;
  readonly capacity: number;
  readonly onRequest: boolean;
  readonly freeUntilHours: number;
  readonly percentKept: number;
  /** Of a date; ms since the epoch. */
  readonly hours: (date: string) => {
    readonly beginsAtMs: number;
    readonly opensAtMs: number;
    readonly closesAtMs: number;
  };
  /** Until when the venue of a booking on request may answer. */
  readonly lastEntryMs: (date: string) => number;
};

export type Command =
  | { readonly do: 'hold'; readonly offer: Offer; readonly date: string; readonly adults: number }
  | { readonly do: 'let go'; readonly hold: string }
  | {
      readonly do: 'book';
      readonly offer: Offer;
      readonly date: string;
      readonly adults: number;
      readonly name: string;
      readonly hold: string | null;
    }
  | {
      readonly do: 'modify';
      readonly booking: string;
      readonly date: string | null;
      readonly adults: number | null;
      readonly name: string | null;
      readonly ifVersion: number | null;
    }
  | { readonly do: 'cancel'; readonly booking: string; readonly ifVersion: number | null }
  | { readonly do: 'call off' | 'confirm' | 'reject' | 'erase' | 'visit'; readonly booking: string };

export type Reckoned = {
  readonly offer: Offer;
  readonly status: 'pending' | 'confirmed' | 'rejected' | 'cancelled' | 'completed';
  readonly date: string;
  readonly adults: number;
  readonly name: string;
  readonly erased: boolean;
  readonly version: number;
  readonly paidMinor: number;
  /** Of a cancellation; null without one. */
  readonly refundMinor: number | null;
  readonly answerByMs: number;
};

export type ReckonedHold = {
  readonly offer: Offer;
  readonly date: string;
  readonly adults: number;
  readonly expiresAtMs: number;
  readonly status: 'open' | 'used' | 'released';
};

/** Everything that was told, and nothing else. */
export type World = {
  readonly nowMs: number;
  readonly bookings: ReadonlyMap<string, Reckoned>;
  readonly holds: ReadonlyMap<string, ReckonedHold>;
};

export const HOLD_MS = 600_000;

/** Slots that nobody has. */
export function freeOn({ bookings, holds, nowMs }: World, { activity, capacity }: Offer, date: string): number {
  let free = capacity;
  for (const { offer, date: on, adults, status } of bookings.values())
    if (offer.activity === activity && on === date && status !== 'rejected' && status !== 'cancelled') free -= adults;
  for (const { offer, date: on, adults, status, expiresAtMs } of holds.values())
    if (offer.activity === activity && on === date && status === 'open' && nowMs < expiresAtMs) free -= adults;
  return free;
}

/** The codes with which a command can be refused; none: it must be carried out. */
export function refusalsOf(world: World, command: Command): readonly string[] {
  const { nowMs } = world;
  switch (command.do) {
    case 'hold':
      return freeOn(world, command.offer, command.date) < command.adults ? ['INVENTORY_EXHAUSTED'] : [];
    case 'let go': {
      const hold = holdOf(world, command.hold);
      if (hold.status === 'used') return ['HOLD_USED'];
      return nowMs >= hold.expiresAtMs ? ['HOLD_EXPIRED', 'none'] : [];
    }
    case 'book':
      return refusalsOfBooking(world, command);
    case 'modify':
      return refusalsOfModification(world, command);
    case 'cancel':
    case 'call off': {
      const { status, offer, date, version } = bookingOf(world, command.booking);
      const other = command.do === 'cancel' && command.ifVersion !== null && command.ifVersion !== version;
      if (status === 'cancelled') return [];
      const ended = status === 'rejected' || status === 'completed' || nowMs >= offer.hours(date).closesAtMs;
      return [...(ended ? ['BOOKING_NOT_CANCELLABLE'] : []), ...(other ? ['REVISION_CONFLICT'] : [])];
    }
    case 'confirm': {
      const { status, offer, date } = bookingOf(world, command.booking);
      if (status === 'confirmed' || status === 'completed') return [];
      return status === 'pending' && nowMs < offer.hours(date).closesAtMs ? [] : ['BOOKING_NOT_MODIFIABLE'];
    }
    case 'reject': {
      const { status } = bookingOf(world, command.booking);
      return status === 'pending' || status === 'rejected' ? [] : ['BOOKING_NOT_MODIFIABLE'];
    }
    case 'erase':
      return [];
    case 'visit':
      return refusalsOfVisit(world, bookingOf(world, command.booking));
    default:
      return unreachable(command);
  }
}

/** The world after a command that was carried out; `id` is what its answer calls the hold or the booking. */
export function after(world: World, command: Command, id: string): World {
  const { nowMs, bookings, holds } = world;
  const withBooking = (key: string, booking: Reckoned): World => ({
    ...world,
    bookings: new Map(bookings).set(key, booking),
  });
  const withHold = (key: string, hold: ReckonedHold): World => ({ ...world, holds: new Map(holds).set(key, hold) });
  switch (command.do) {
    case 'hold': {
      const { offer, date, adults } = command;
      const expiresAtMs = Math.min(nowMs + HOLD_MS, offer.lastEntryMs(date));
      return withHold(id, { offer, date, adults, expiresAtMs, status: 'open' });
    }
    case 'let go':
      return withHold(command.hold, { ...holdOf(world, command.hold), status: 'released' });
    case 'book': {
      const { offer, date, adults, name, hold } = command;
      const used = hold === null ? world : withHold(hold, { ...holdOf(world, hold), status: 'used' });
      const status = offer.onRequest ? 'pending' : 'confirmed';
      const paidMinor = offer.onRequest ? 0 : offer.unitMinor * adults;
      const made = {
        offer,
        status,
        date,
        adults,
        name,
        erased: false,
        version: 1,
        paidMinor,
        refundMinor: null,
      } as const;
      return { ...used, bookings: new Map(bookings).set(id, { ...made, answerByMs: offer.lastEntryMs(date) }) };
    }
    case 'modify': {
      const before = bookingOf(world, command.booking);
      const { date = null, adults = null, name = null } = command;
      const to = { date: date ?? before.date, adults: adults ?? before.adults, name: name ?? before.name };
      if (to.date === before.date && to.adults === before.adults && to.name === before.name) return world;
      const more = before.status === 'confirmed' ? before.offer.unitMinor * (to.adults - before.adults) : 0;
      const due = more < 0 ? -givenBack(-more, before, nowMs) : more;
      const { version, paidMinor } = before;
      return withBooking(command.booking, { ...before, ...to, version: version + 1, paidMinor: paidMinor + due });
    }
    case 'cancel':
    case 'call off': {
      const before = bookingOf(world, command.booking);
      if (before.status === 'cancelled') return world;
      const { offer, adults, paidMinor, version } = before;
      const back = Math.min(givenBack(offer.unitMinor * adults, before, nowMs), paidMinor);
      const refundMinor = command.do === 'cancel' ? back : paidMinor;
      const ended = { status: 'cancelled', refundMinor, paidMinor: paidMinor - refundMinor } as const;
      return withBooking(command.booking, { ...before, ...ended, version: version + 1 });
    }
    case 'confirm': {
      const before = bookingOf(world, command.booking);
      if (before.status !== 'pending') return world;
      const paidMinor = before.offer.unitMinor * before.adults;
      return withBooking(command.booking, { ...before, status: 'confirmed', paidMinor, version: before.version + 1 });
    }
    case 'reject':
      return ended(world, command.booking, 'rejected');
    case 'visit':
      return ended(world, command.booking, 'completed');
    case 'erase': {
      const before = bookingOf(world, command.booking);
      return before.erased
        ? world
        : withBooking(command.booking, { ...before, erased: true, version: before.version + 1 });
    }
    default:
      return unreachable(command);
  }
}

/** Time has passed: what waited for it too long has come to its end. */
export function later(world: World, nowMs: number): World {
  let next: World = { ...world, nowMs };
  for (const [id, { status, answerByMs }] of world.bookings)
    if (status === 'pending' && nowMs >= answerByMs) next = ended(next, id, 'rejected');
  return next;
}

function ended(world: World, id: string, status: 'rejected' | 'completed'): World {
  const before = bookingOf(world, id);
  if (before.status === status) return world;
  return { ...world, bookings: new Map(world.bookings).set(id, { ...before, status, version: before.version + 1 }) };
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

/** By the policy of the date that is left; what is kept is never rounded up. */
function givenBack(amountMinor: number, { offer, date }: Reckoned, nowMs: number): number {
  if (nowMs < offer.hours(date).opensAtMs - offer.freeUntilHours * 3_600_000) return amountMinor;
  return amountMinor - Number((BigInt(amountMinor) * BigInt(offer.percentKept)) / 100n);
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
