import { sum, type Told, takingsOf, toldOf } from '../claims/tally.ts';
import type { Town } from './town.ts';

/** A booking as its customer knows it, with what it relies on by date. What its claims are called is left out. */
export type Stands = Omit<Told, 'claims' | 'records'> & {
  readonly slots: Readonly<Record<string, number>>;
  /** The guest's record, and whether it is there still. */
  readonly guest: readonly [fingerprint: string, onRecord: boolean];
};

/** Everything that stands in a town, told from the events alone. */
export function standing(town: Town) {
  const bookings: Record<string, Stands> = {};
  const guests = town.streams.guest;
  for (const [name, events] of town.streams.booking) {
    const told = toldOf({ events });
    if (told === null) continue;
    const { claims, records, ...rest } = told;
    const slots: Record<string, number> = {};
    for (const { allotment, size } of claims) slots[allotment] = (slots[allotment] ?? 0) + size;
    const record = records.at(-1);
    bookings[name] = { ...rest, slots, guest: [record?.fingerprint ?? '', guests.has(record?.claim ?? '')] };
  }
  const taken: Record<string, number> = {};
  for (const [name, events] of town.streams.allotment) {
    taken[name] = sum([...takingsOf({ events }).values()].map(({ slots }) => slots));
  }
  return { bookings, taken };
}

/**
 * What nobody may ever see: more taken than there is, another count than the events give, slots that a booking relies on
 * and has not. Faults in words, none where all is well.
 */
export function faultsOf(town: Town): string[] {
  const faults: string[] = [];
  for (const [name, events] of town.streams.allotment) {
    const allotment = town.allotment(name);
    if (allotment.status === 'unopened') continue;
    const takings = [...takingsOf({ events }).values()];
    const reserved = sum(takings.filter(({ booking }) => booking !== null).map(({ slots }) => slots));
    const held = sum(takings.filter(({ booking }) => booking === null).map(({ slots }) => slots));
    const free = allotment.schedule.capacity - reserved - held;
    if (free < 0) faults.push(`${name} has ${reserved} slots reserved and ${held} held`);
    if (allotment.taken !== reserved + held || allotment.held !== held)
      faults.push(`${name} counts ${allotment.taken} taken, ${allotment.held} of them held`);
  }
  for (const [name, events] of town.streams.booking) {
    const told = toldOf({ events });
    if (told === null) continue;
    const relies = sum(told.claims.map(({ size }) => size));
    if (!told.ended && relies !== told.guests) faults.push(`${name} of ${told.guests} relies on ${relies} slots`);
    for (const { allotment, id, size } of told.claims) {
      const has = takingsOf({ events: town.streams.allotment.get(allotment) ?? [] }).get(id);
      if (has === undefined || has.booking !== name || has.slots < size) faults.push(`${name} lacks ${id}`);
    }
    const guests = town.streams.guest;
    for (const { claim } of told.records) if (!told.erased && !guests.has(claim)) faults.push(`${name} lost ${claim}`);
  }
  return faults;
}

/** What is left over once the reaper owes nothing: slots that no booking names and no open hold has, and guests. */
export function leaksOf(town: Town): string[] {
  const leaks: string[] = town.owed().map((command) => `${command.type} is owed still`);
  const bookings = [...town.streams.booking.values()].flatMap((events) => toldOf({ events }) ?? []);
  const claims = bookings.flatMap((booking) => booking.claims);
  for (const [name, events] of town.streams.allotment) {
    const named = sum(claims.filter(({ allotment }) => allotment === name).map(({ size }) => size));
    const allotment = town.allotment(name);
    const held = allotment.status === 'open' ? allotment.held : 0;
    const taken = sum([...takingsOf({ events }).values()].map(({ slots }) => slots));
    if (taken !== named + held) leaks.push(`${name}: ${taken} taken, ${named} booked and ${held} held`);
  }
  const records = new Set(bookings.filter(({ erased }) => !erased).flatMap((booking) => booking.records));
  const named = new Set([...records].map(({ claim }) => claim));
  for (const guest of town.streams.guest.keys()) if (!named.has(guest)) leaks.push(`guest ${guest} is kept`);
  return leaks;
}
