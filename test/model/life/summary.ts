import { allocationsOf, type BookingSummary, bookingSummary, sum } from '../claims/summaries.ts';
import type { System } from './system.ts';

/** A booking as its customer sees it, with its slots per date; without claim ids. */
export type CustomerView = Omit<BookingSummary, 'claims' | 'records'> & {
  readonly slots: Readonly<Record<string, number>>;
  /** The fingerprint of the guest's record, and whether it is stored. */
  readonly guest: readonly [fingerprint: string, onRecord: boolean];
};

/** Bookings and taken slots, from the events alone. */
export function summaryOf(system: System) {
  const bookings: Record<string, CustomerView> = {};
  const guests = system.streams.guest;
  for (const [name, events] of system.streams.booking) {
    const summary = bookingSummary({ events });
    if (summary === null) continue;
    const { claims, records, ...rest } = summary;
    const slots: Record<string, number> = {};
    for (const { allotment, size } of claims) slots[allotment] = (slots[allotment] ?? 0) + size;
    const record = records.at(-1);
    bookings[name] = { ...rest, slots, guest: [record?.fingerprint ?? '', guests.has(record?.claim ?? '')] };
  }
  const taken: Record<string, number> = {};
  for (const [name, events] of system.streams.allotment) {
    taken[name] = sum([...allocationsOf({ events }).values()].map(({ slots }) => slots));
  }
  return { bookings, taken };
}

/**
 * Violations that must never occur: more slots taken than the capacity, a wrong count, a booking without its slots. Empty
 * if there are none.
 */
export function faultsOf(system: System): string[] {
  const faults: string[] = [];
  for (const [name, events] of system.streams.allotment) {
    const allotment = system.allotment(name);
    if (allotment.status === 'unopened') continue;
    const allocations = [...allocationsOf({ events }).values()];
    const reserved = sum(allocations.filter(({ booking }) => booking !== null).map(({ slots }) => slots));
    const held = sum(allocations.filter(({ booking }) => booking === null).map(({ slots }) => slots));
    const free = allotment.schedule.capacity - reserved - held;
    if (free < 0) faults.push(`${name} has ${reserved} slots reserved and ${held} held`);
    if (allotment.taken !== reserved + held || allotment.held !== held)
      faults.push(`${name} counts ${allotment.taken} taken, ${allotment.held} of them held`);
  }
  for (const [name, events] of system.streams.booking) {
    const summary = bookingSummary({ events });
    if (summary === null) continue;
    const relies = sum(summary.claims.map(({ size }) => size));
    if (!summary.ended && relies !== summary.guests)
      faults.push(`${name} of ${summary.guests} relies on ${relies} slots`);
    for (const { allotment, id, size } of summary.claims) {
      const has = allocationsOf({ events: system.streams.allotment.get(allotment) ?? [] }).get(id);
      if (has === undefined || has.booking !== name || has.slots < size) faults.push(`${name} lacks ${id}`);
    }
    const guests = system.streams.guest;
    for (const { claim } of summary.records)
      if (!summary.erased && !guests.has(claim)) faults.push(`${name} lost ${claim}`);
  }
  return faults;
}

/** What the reaper must not leave behind: slots without a booking or open hold, and guest records without a booking. */
export function leaksOf(system: System): string[] {
  const leaks: string[] = system.due().map((command) => `${command.type} is still due`);
  const bookings = [...system.streams.booking.values()].flatMap((events) => bookingSummary({ events }) ?? []);
  const claims = bookings.flatMap((booking) => booking.claims);
  for (const [name, events] of system.streams.allotment) {
    const named = sum(claims.filter(({ allotment }) => allotment === name).map(({ size }) => size));
    const allotment = system.allotment(name);
    const held = allotment.status === 'open' ? allotment.held : 0;
    const taken = sum([...allocationsOf({ events }).values()].map(({ slots }) => slots));
    if (taken !== named + held) leaks.push(`${name}: ${taken} taken, ${named} booked and ${held} held`);
  }
  const records = new Set(bookings.filter(({ erased }) => !erased).flatMap((booking) => booking.records));
  const named = new Set([...records].map(({ claim }) => claim));
  for (const guest of system.streams.guest.keys()) if (!named.has(guest)) leaks.push(`guest ${guest} is stored`);
  return leaks;
}
