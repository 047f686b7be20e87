import type { Opening } from '../../../src/domain/allotment/allotment.ts';
import type { BookingFacts } from '../../../src/domain/booking/booking.ts';
import type { Store } from './store.ts';
import type { Stream } from './stream.ts';

/** A claim as the events tell of it: by which booking, which sizes it was given, and how often it was released. */
export type Claimed = { readonly booking: string; readonly sizes: readonly number[]; readonly releases: number };

/** What the allotment was opened with. Like all here it is read from the events, and no decider has a hand in it. */
export function openingOf({ events }: Stream<'allotment'>): Opening | null {
  return events.find((event) => event.type === 'AllotmentOpened')?.data ?? null;
}

/** Every claim that was ever made or released. */
export function claimsOf({ events }: Stream<'allotment'>): ReadonlyMap<string, Claimed> {
  const claims = new Map<string, Claimed>();
  for (const event of events) {
    if (event.type === 'AllotmentOpened') continue;
    const { booking, sizes, releases } = claims.get(event.data.claim) ?? { booking: '', sizes: [], releases: 0 };
    const now =
      event.type === 'SlotsClaimed'
        ? { booking: event.data.booking, sizes: [...sizes, event.data.size], releases }
        : { booking, sizes, releases: releases + 1 };
    claims.set(event.data.claim, now);
  }
  return claims;
}

/** Slots of the claims that were not released. */
export function slotsTaken(stream: Stream<'allotment'>): number {
  return sum([...claimsOf(stream).values()].flatMap(({ sizes, releases }) => sizes.slice(releases)));
}

/** What was confirmed, as often as it was. */
export function confirmationsOf({ events }: Stream<'booking'>): readonly BookingFacts[] {
  return events.filter((event) => event.type === 'BookingConfirmed').map(({ data }) => data);
}

/** The amounts charged, in minor units. */
export function chargesOf({ events }: Stream<'booking'>): readonly number[] {
  return events.filter((event) => event.type === 'ChargeRecorded').map(({ data }) => data.amountMinor);
}

/** All confirmations of bookings that name a claim of the allotment. */
export function bookedOn(store: Store, allotment: string): readonly BookingFacts[] {
  const all = [...store.streams.booking.values()].flatMap(confirmationsOf);
  return all.filter(({ claims }) => claims.some((claim) => claim.allotment === allotment));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
