import type { BookingEvent, ExistingBooking } from '../domain/booking/booking.ts';
import { bookingCodec, bookingDecider } from '../domain/booking/decider.ts';
import { recorded } from '../domain/codecs.ts';
import type { DeliveryFacts } from '../domain/delivery/delivery.ts';
import { ERASED, type GuestDetails, guestCodec, guestDecider, guestId } from '../domain/guest/guest.ts';
import { fold } from '../eventsourcing/decider.ts';
import type { Recorded } from '../eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../ports/event-store.ts';
import { type ActivityAt, activitiesIn } from './activities-at.ts';
import type { EventFacts } from './public-event.ts';

/** The streams as those see them who only read. */
export type StreamReader = Pick<EventStore, 'read'>;

/** What a delivery names: which event of which booking, and the catalogue entry of then. */
export type NamedFacts = Pick<DeliveryFacts, 'eventId' | 'bookingId' | 'bookingRevision' | 'activityRevision'>;

/**
 * Reads the facts that a public event is made of, each at the revision that the delivery names, so that they are the same
 * at every attempt. Only a guest's erasure changes them.
 *
 * @throws where the booking's stream does not hold the event: a delivery is only scheduled after it was stored
 */
export async function readEventFacts(
  named: NamedFacts,
  store: StreamReader,
  activityAt: ActivityAt = activitiesIn(store),
): Promise<EventFacts> {
  const { eventId: id, bookingId, bookingRevision, activityRevision } = named;
  const events = await bookingEvents(bookingId, store);
  const happened = events[bookingRevision];
  const booking = fold(bookingDecider, events.slice(0, bookingRevision + 1));
  if (happened === undefined || booking.status === 'none')
    throw new Error(`booking-${bookingId} does not hold the event at revision ${bookingRevision}`);
  const before = fold(bookingDecider, events.slice(0, bookingRevision));
  const other = happened.type === 'BookingModified' && happened.data.guest !== null && before.status !== 'none';
  // That the guest is to be forgotten holds for what happened before, too.
  const erased = events.some(({ type }) => type === 'GuestErased');
  const [guest, guestBefore, activity] = await Promise.all([
    erased ? ERASED : guestOf(booking, store),
    other && !erased ? guestOf(before, store) : null,
    activityAt(booking.facts.activityId, activityRevision),
  ]);
  return {
    id,
    bookingId,
    happened,
    booking,
    voucherCode: voucherCodeAt(events, bookingRevision),
    guest,
    guestBefore: guestBefore ?? guest,
    activity,
  };
}

async function bookingEvents(bookingId: string, store: StreamReader): Promise<readonly Recorded<BookingEvent>[]> {
  const events = await eventsOf(`${bookingCodec.category}-${bookingId}`, store);
  // A codec gives back its own category's events.
  return events.map((event) => recorded(event) as Recorded<BookingEvent>);
}

/** A confirmation and its voucher are one write, the voucher behind it. */
function voucherCodeAt(events: readonly BookingEvent[], revision: number): string | null {
  const issued = events.map((event) => (event.type === 'VoucherIssued' ? event.data.code : null));
  const before = issued.slice(0, revision + 1).findLast((code) => code !== null);
  return before ?? issued.slice(revision + 1).find((code) => code !== null) ?? null;
}

/** The record that the booking names; any other one under its stream does not count. */
async function guestOf({ facts, guestRecord }: ExistingBooking, store: StreamReader): Promise<GuestDetails> {
  const stored = await eventsOf(`${guestCodec.category}-${guestId(guestRecord)}`, store);
  const guest = fold(
    guestDecider,
    stored.map((event) => guestCodec.decode(event)),
  );
  return guest.status === 'recorded' && guest.fingerprint === facts.guest ? guest.details : ERASED;
}

async function eventsOf(stream: string, store: StreamReader): Promise<readonly StoredEvent[]> {
  const read = await store.read(stream);
  return read.kind === 'events' ? read.events : [];
}
