import type { DateSchedule } from '../../../src/domain/allotment/events.ts';
import type { EventData } from '../../../src/domain/booking/events.ts';
import type { BookingFacts, ClaimRef } from '../../../src/domain/booking/facts.ts';
import type { Store } from './store.ts';
import type { Kind, Stream } from './stream.ts';

/** All that is looked at of a stream. */
type Events<K extends Kind> = Pick<Stream<K>, 'events'>;

/**
 * A claim or a hold as the events tell of it: whose, how often it was given and how often given back, and how many slots
 * stand under it. A hold is nobody's.
 */
export type Taking = {
  readonly booking: string | null;
  readonly given: number;
  readonly releases: number;
  readonly slots: number;
};

/** A booking as its events tell of it. */
export type Told = {
  readonly confirmed: boolean;
  /** Cancelled or rejected. */
  readonly ended: boolean;
  readonly date: string;
  readonly guests: number;
  /** Those it relies on now: none once it has ended. */
  readonly claims: readonly ClaimRef[];
  /** The guests' records that ever counted, the present one last, by the claims that they were made with. */
  readonly records: readonly { readonly claim: string; readonly fingerprint: string }[];
  readonly erased: boolean;
  /** Charges less refunds, in minor units. */
  readonly paidMinor: number;
  readonly voucher: EventData<'VoucherIssued'> | null;
};

/** What the allotment was opened with. Like all here it is read from the events, and no decider has a hand in it. */
export function dateSchedule({ events }: Events<'allotment'>): DateSchedule | null {
  return events.find((event) => event.type === 'AllotmentOpened')?.data ?? null;
}

/** Every claim and every hold that was ever given or given back. */
export function takingsOf({ events }: Events<'allotment'>): ReadonlyMap<string, Taking> {
  const takings = new Map<string, Taking>();
  const change = (id: string, by: { readonly booking?: string; given?: number; releases?: number; slots: number }) => {
    const { booking, given, releases, slots } = takings.get(id) ?? NO_TAKING;
    takings.set(id, {
      booking: by.booking ?? booking,
      given: given + (by.given ?? 0),
      releases: releases + (by.releases ?? 0),
      // Given back twice is given back once: what nobody has cannot make up for what somebody took.
      slots: Math.max(0, slots + by.slots),
    });
  };
  for (const { type, data } of events) {
    if (type === 'SlotsClaimed') change(data.claim, { booking: data.booking, given: 1, slots: data.size });
    if (type === 'SlotsHeld') change(data.hold, { given: 1, slots: data.size });
    if (type === 'HoldTaken') {
      change(data.hold, { slots: -data.size });
      change(data.claim, { booking: data.booking, given: 1, slots: data.size });
    }
    if (type === 'ClaimShrunk') change(data.claim, { slots: -data.size });
    if (type === 'SlotsReleased') change(data.claim, { releases: 1, slots: -data.size });
  }
  return takings;
}

/** Slots that stand under some claim or hold, a hold that was used aside: its slots are its claim's. */
export function slotsTaken(stream: Events<'allotment'>): number {
  return sum([...takingsOf(stream).values()].map(({ slots }) => slots));
}

/** Slots of holds that nobody has used or let go. */
export function slotsHeld(stream: Events<'allotment'>): number {
  return sum([...takingsOf(stream).values()].filter(({ booking }) => booking === null).map(({ slots }) => slots));
}

/** What was confirmed, as often as it was. */
export function confirmationsOf({ events }: Events<'booking'>): readonly BookingFacts[] {
  return events.filter((event) => event.type === 'BookingConfirmed').map(({ data }) => data);
}

/** Null where nothing was booked. */
export function toldOf({ events }: Events<'booking'>): Told | null {
  let told: Told | null = null;
  for (const { type, data } of events) {
    if (type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed') {
      told ??= begun(data);
      if (type === 'BookingConfirmed') told = { ...told, confirmed: true };
    }
    if (told === null) continue;
    if (type === 'BookingModified') {
      const { guest, date, claims, numAdults, numChildren } = data;
      const records = guest === null ? [] : [{ claim: guest.record, fingerprint: guest.fingerprint }];
      told = { ...told, date, claims, guests: numAdults + numChildren, records: [...told.records, ...records] };
    }
    if (type === 'BookingCancelled' || type === 'BookingRejected') told = { ...told, ended: true, claims: [] };
    if (type === 'GuestErased') told = { ...told, erased: true };
    if (type === 'ChargeRecorded') told = { ...told, paidMinor: told.paidMinor + data.amountMinor };
    if (type === 'RefundRecorded') told = { ...told, paidMinor: told.paidMinor - data.amountMinor };
    if (type === 'VoucherIssued') told = { ...told, voucher: data };
  }
  return told;
}

/** Every booking that exists, by its name. */
export function bookingsOf({ streams }: Store): ReadonlyMap<string, Told> {
  const bookings = new Map<string, Told>();
  for (const [name, stream] of streams.booking) {
    const told = toldOf(stream);
    if (told !== null) bookings.set(name, told);
  }
  return bookings;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const NO_TAKING: Taking = { booking: null, given: 0, releases: 0, slots: 0 };

function begun(facts: BookingFacts): Told {
  const { date, numAdults, numChildren, claims, guest } = facts;
  return {
    confirmed: false,
    ended: false,
    date,
    guests: numAdults + numChildren,
    claims,
    records: claims.slice(0, 1).map(({ id }) => ({ claim: id, fingerprint: guest })),
    erased: false,
    paidMinor: 0,
    voucher: null,
  };
}
