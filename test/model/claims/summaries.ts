import type { DateSchedule } from '../../../src/domain/allotment/events.ts';
import type { EventData } from '../../../src/domain/booking/events.ts';
import type { BookingFacts, ClaimRef } from '../../../src/domain/booking/facts.ts';
import type { Store } from './store.ts';
import type { Kind, Stream } from './stream.ts';

type Events<K extends Kind> = Pick<Stream<K>, 'events'>;

/**
 * A claim or hold according to the events: its booking (null for a hold), how often it was granted and released, and its
 * current slots.
 */
export type Allocation = {
  readonly booking: string | null;
  readonly grants: number;
  readonly releases: number;
  readonly slots: number;
};

/** A booking according to its events. */
export type BookingSummary = {
  readonly confirmed: boolean;
  /** Cancelled or rejected. */
  readonly ended: boolean;
  readonly date: string;
  readonly guests: number;
  /** Its current claims; none after it has ended. */
  readonly claims: readonly ClaimRef[];
  /** All guest records that the booking has named, the current one last. */
  readonly records: readonly { readonly claim: string; readonly fingerprint: string }[];
  readonly erased: boolean;
  /** Charges less refunds, in minor units. */
  readonly paidMinor: number;
  readonly voucher: EventData<'VoucherIssued'> | null;
};

/** The schedule that the allotment was opened with. Read from the events, like all summaries: no decider is involved. */
export function dateSchedule({ events }: Events<'allotment'>): DateSchedule | null {
  return events.find((event) => event.type === 'AllotmentOpened')?.data ?? null;
}

/** Every claim and hold of an allotment, by its id. */
export function allocationsOf({ events }: Events<'allotment'>): ReadonlyMap<string, Allocation> {
  const allocations = new Map<string, Allocation>();
  const change = (id: string, by: { readonly booking?: string; grants?: number; releases?: number; slots: number }) => {
    const { booking, grants, releases, slots } = allocations.get(id) ?? NO_ALLOCATION;
    allocations.set(id, {
      booking: by.booking ?? booking,
      grants: grants + (by.grants ?? 0),
      releases: releases + (by.releases ?? 0),
      // A second release frees nothing: it must not compensate for slots that another claim took.
      slots: Math.max(0, slots + by.slots),
    });
  };
  for (const { type, data } of events) {
    if (type === 'SlotsClaimed') change(data.claim, { booking: data.booking, grants: 1, slots: data.size });
    if (type === 'SlotsHeld') change(data.hold, { grants: 1, slots: data.size });
    if (type === 'HoldTaken') {
      change(data.hold, { slots: -data.size });
      change(data.claim, { booking: data.booking, grants: 1, slots: data.size });
    }
    if (type === 'ClaimShrunk') change(data.claim, { slots: -data.size });
    if (type === 'SlotsReleased') change(data.claim, { releases: 1, slots: -data.size });
  }
  return allocations;
}

/** The price per guest at which a claim was made, or the hold that became it; 0 without such a claim. */
export function claimedPriceMinor({ events }: Events<'allotment'>, claim: string | undefined): number {
  const held = events.find((event) => event.type === 'HoldTaken' && event.data.claim === claim);
  for (const { type, data } of events) {
    if (type === 'SlotsClaimed' && data.claim === claim) return data.pricing?.unitPriceMinor ?? 0;
    if (type === 'SlotsHeld' && held?.type === 'HoldTaken' && data.hold === held.data.hold)
      return data.pricing.unitPriceMinor;
  }
  return 0;
}

/** Slots of all claims and unused holds. */
export function slotsTaken(stream: Events<'allotment'>): number {
  return sum([...allocationsOf(stream).values()].map(({ slots }) => slots));
}

/** Slots of holds that were neither used nor released. */
export function slotsHeld(stream: Events<'allotment'>): number {
  return sum([...allocationsOf(stream).values()].filter(({ booking }) => booking === null).map(({ slots }) => slots));
}

/** Unpaid places by claim or open hold: of bookings that wait for the venue, and of holds. */
export function unpaidPlaces({ events }: Events<'allotment'>): ReadonlyMap<string, number> {
  const unpaid = new Map<string, number>();
  for (const { type, data } of events) {
    if (type === 'SlotsHeld') unpaid.set(data.hold, data.size);
    if (type === 'HoldTaken') unpaid.delete(data.hold);
    if ((type === 'SlotsClaimed' || type === 'HoldTaken') && data.unpaidBy !== null) unpaid.set(data.claim, data.size);
    if (type === 'ClaimShrunk' && unpaid.has(data.claim)) unpaid.set(data.claim, data.left);
    if (type === 'SlotsReleased' || type === 'ClaimPaid') unpaid.delete(data.claim);
  }
  return unpaid;
}

/** The data of every BookingConfirmed. */
export function confirmationsOf({ events }: Events<'booking'>): readonly BookingFacts[] {
  return events.filter((event) => event.type === 'BookingConfirmed').map(({ data }) => data);
}

/** Null if nothing was booked. */
export function bookingSummary({ events }: Events<'booking'>): BookingSummary | null {
  let summary: BookingSummary | null = null;
  for (const { type, data } of events) {
    if (type === 'BookingStarted' || type === 'BookingPlacedOnRequest' || type === 'BookingConfirmed') {
      summary ??= started(data);
      if (type === 'BookingConfirmed') summary = { ...summary, confirmed: true };
    }
    if (summary === null) continue;
    if (type === 'BookingModified') {
      const { guest, date, claims, numAdults, numChildren } = data;
      const records = guest === null ? [] : [{ claim: guest.record, fingerprint: guest.fingerprint }];
      summary = {
        ...summary,
        date,
        claims,
        guests: numAdults + numChildren,
        records: [...summary.records, ...records],
      };
    }
    if (type === 'BookingCancelled' || type === 'BookingRejected') summary = { ...summary, ended: true, claims: [] };
    if (type === 'GuestErased') summary = { ...summary, erased: true };
    if (type === 'ChargeRecorded') summary = { ...summary, paidMinor: summary.paidMinor + data.amountMinor };
    if (type === 'RefundRecorded') summary = { ...summary, paidMinor: summary.paidMinor - data.amountMinor };
    if (type === 'VoucherIssued') summary = { ...summary, voucher: data };
  }
  return summary;
}

/** All existing bookings, by id. */
export function bookingsOf({ streams }: Store): ReadonlyMap<string, BookingSummary> {
  const bookings = new Map<string, BookingSummary>();
  for (const [name, stream] of streams.booking) {
    const summary = bookingSummary(stream);
    if (summary !== null) bookings.set(name, summary);
  }
  return bookings;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const NO_ALLOCATION: Allocation = { booking: null, grants: 0, releases: 0, slots: 0 };

function started(facts: BookingFacts): BookingSummary {
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
