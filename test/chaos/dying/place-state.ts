import type { AllotmentId } from '../../../src/domain/ids.ts';
import { dateAhead } from '../kill/catalogue.ts';
import type { History } from '../kill/history.ts';
import type { Place } from './ways.ts';

/** The state at a place, in words that are equal for places with the same history. */
export type PlaceState = {
  readonly bookings: readonly object[];
  /** Taken slots by day of the place. */
  readonly taken: readonly number[];
};

export function stateAt({ sale, days, guest }: Place, { bookings, guests, claims, holds }: History): PlaceState {
  const own = [dateAhead(sale, days), dateAhead(sale, days + 1)];
  const found = [...bookings.values()].flatMap((booking) => {
    const { facts, status, version, records, money, vouchers, visits, modifications, erased } = booking;
    // Find an erased guest's booking by its day, all others by name: bookings with visits share one day.
    const name = guests.get(records.at(-1) ?? '')?.name ?? null;
    const here = name === null ? own.includes(facts.date) : name.startsWith(guest);
    if (!here) return [];
    return {
      status,
      version,
      day: own.indexOf(facts.date),
      guests: [facts.numAdults, facts.numChildren],
      name: name?.replace(guest, 'the guest') ?? null,
      records: records.length,
      money: money.map(({ type, data }) => [type, data.amountMinor]),
      slots: booking.claims.map(({ allotment, size }) => [own.findIndex((day) => allotment.endsWith(day)), size]),
      vouchers: vouchers.length,
      visits: visits.length,
      modifications: modifications.length,
      erased,
    };
  });
  const open = [
    ...[...claims.values()].filter(({ released }) => released === null),
    ...[...holds.values()].filter(({ released, taken }) => released === null && taken === null),
  ];
  const takenOn = (day: string): number =>
    open.filter(({ allotment }) => isOn(allotment, day)).reduce((sum, { size }) => sum + size, 0);
  return { bookings: found, taken: own.map(takenOn) };
}

function isOn(allotment: AllotmentId, day: string): boolean {
  return allotment.endsWith(day);
}
