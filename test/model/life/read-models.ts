import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import type { BookingDocument } from '../../../projections/bookings/read-model.ts';
import { guestsProjection } from '../../../projections/guests/projection.ts';
import type { GuestDocument } from '../../../projections/guests/read-model.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import { type BookingSummary, summaryOf } from '../../../src/domain/booking/summary.ts';
import type { DomainEvent, Recorded } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { StoredDocument } from '../../../src/ports/read-model-store.ts';
import { foldBatch } from '../../../src/runtime/apply-events.ts';
import { bookingId } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import type { System } from './system.ts';

/** What the lists show of every booking, and what its stream says. */
export function listedAndStored(system: System): readonly (readonly [object, BookingSummary])[] {
  const documents = folded<BookingDocument>(bookingsProjection, eventsOf('booking', system.streams.booking));
  return [...system.streams.booking.keys()].flatMap((name) => {
    const booking = system.booking(name);
    const document = documents.get(name);
    if (booking.status === 'none' || !document) return booking.status === 'none' && !document ? [] : [never(name)];
    const summary = summaryOf(bookingId(name), booking);
    const shown = Object.entries(document).filter(([field]) => field in summary);
    return [[Object.fromEntries(shown), summary] as const];
  });
}

/**
 * The records of guests that the read model holds. A store may still yield the events of erased streams, and a late record may
 * follow the event that erases it: the result is the same if all records precede the bookings, or follow them.
 */
export function listedGuests(system: System): readonly (readonly string[])[] {
  const guests = () => eventsOf('guest', system.recorded);
  const bookings = () => eventsOf('booking', system.streams.booking);
  return [
    [...guests(), ...bookings()],
    [...bookings(), ...guests()],
  ].map((events) => {
    const documents = folded<GuestDocument>(guestsProjection, renumbered(events));
    return [...documents].flatMap(([id, doc]) => (doc === null ? [] : [id])).toSorted();
  });
}

function never(name: string): never {
  throw new Error(`${name} is a booking or a document, and not both`);
}

function folded<Doc extends object>(projection: Projection<Doc>, events: readonly Recorded[]): Map<string, Doc | null> {
  const documents = new Map<string, StoredDocument>();
  for (const event of events)
    for (const { id, doc, position } of foldBatch(projection, [event], documents, EMBEDDED_POSITIONS))
      documents.set(id, { id, doc, position });
  return new Map([...documents].map(([id, { doc }]) => [id, doc as Doc | null]));
}

function eventsOf(category: string, streams: ReadonlyMap<string, readonly DomainEvent[]>): Recorded[] {
  const record = recorder();
  return [...streams].flatMap(([id, events]) => events.map((event) => record(`${category}-${id}`, event)));
}

function renumbered(events: readonly Recorded[]): Recorded[] {
  const record = recorder();
  return events.map(({ stream, type, data }) => record(stream, { type, data }));
}
