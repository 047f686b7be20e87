import type { ApiKeyEvent } from '../domain/apikey/apikey.ts';
import { apiKeyCodec, apiKeyDecider } from '../domain/apikey/decider.ts';
import { bookingDecider } from '../domain/booking/decider.ts';
import { type BookingEvent, bookingCodec } from '../domain/booking/events.ts';
import type { ExistingBooking } from '../domain/booking/state.ts';
import type { DeliveryFacts } from '../domain/delivery/delivery.ts';
import { ERASED, type GuestDetails, guestCodec, guestDecider, guestId } from '../domain/guest/guest.ts';
import { type BookingId, type KeyId, modeOf } from '../domain/ids.ts';
import { streamOf } from '../domain/test-streams.ts';
import { fold } from '../eventsourcing/decider.ts';
import type { Position, Recorded } from '../eventsourcing/message.ts';
import { eventsUpTo } from '../ports/event-store.ts';
import { type ActivityAt, activitiesIn } from './activities-at.ts';
import type { EventFacts } from './public-event.ts';
import { type StreamReader, stateAt } from './stream-state.ts';

/** What a delivery refers to: an event of a booking, and the revision of the catalogue entry. */
type NamedFacts = Pick<DeliveryFacts, 'eventId' | 'bookingId' | 'bookingRevision' | 'activityRevision'>;

/**
 * Reads the facts of a public event, each at the revision that the delivery names, so that they are the same at every
 * attempt. Only the erasure of the guest changes them.
 *
 * @throws if the booking's stream does not contain the event; deliveries are scheduled only for stored events
 */
export async function readEventFacts(
  named: NamedFacts,
  store: StreamReader,
  activityAt: ActivityAt = activitiesIn(store),
): Promise<EventFacts> {
  const { eventId: id, bookingId, bookingRevision, activityRevision } = named;
  const events = await bookingEvents(bookingId, store);
  const bookingEvent = events.find(({ revision }) => revision === bookingRevision);
  const booking = fold(bookingDecider, eventsUpTo(bookingRevision, events));
  if (bookingEvent === undefined || booking.status === 'none')
    throw new Error(`booking-${bookingId} does not hold the event at revision ${bookingRevision}`);
  const before = fold(bookingDecider, eventsUpTo(bookingRevision - 1, events));
  const other = bookingEvent.type === 'BookingModified' && bookingEvent.data.guest !== null && before.status !== 'none';
  const isTestMail = bookingEvent.type === 'VoucherMailed' && modeOf(bookingId) === 'test';
  // The erasure applies to earlier events too.
  const erased = events.some(({ type }) => type === 'GuestErased');
  const [guest, guestBefore, activity] = await Promise.all([
    erased ? ERASED : guestOf(booking, store),
    other && !erased ? guestOf(before, store) : null,
    activityAt(booking.facts.activityId, activityRevision),
  ]);
  return {
    id,
    bookingId,
    bookingEvent,
    booking,
    voucherCode: voucherCodeAt(events, bookingRevision),
    guest,
    guestBefore: guestBefore ?? guest,
    mailedTo: isTestMail ? await contactAt(bookingEvent.position, booking.facts.keyId, store) : guest.email,
    activity,
  };
}

async function bookingEvents(bookingId: BookingId, store: StreamReader): Promise<readonly Recorded<BookingEvent>[]> {
  const read = await store.read(streamOf(bookingCodec, bookingId));
  // All events of a stream have its category.
  return read.kind === 'events' ? (read.decoded as readonly Recorded<BookingEvent>[]) : [];
}

/** The key's contact address at a position of the log. */
async function contactAt(position: Position, keyId: KeyId, store: StreamReader): Promise<string> {
  const read = await store.read(`${apiKeyCodec.category}-${keyId}`);
  // All events of a stream have its category.
  const events = read.kind === 'events' ? (read.decoded as readonly Recorded<ApiKeyEvent>[]) : [];
  const key = fold(
    apiKeyDecider,
    events.filter((event) => event.position < position),
  );
  return (key.status === 'none' ? null : key.facts.contactEmail) ?? '';
}

/** BookingConfirmed precedes VoucherIssued in the same append, so its voucher is found after it. */
function voucherCodeAt(events: readonly Recorded<BookingEvent>[], revision: number): string | null {
  const issued = events.flatMap((event) =>
    event.type === 'VoucherIssued' ? [{ code: event.data.code, revision: event.revision }] : [],
  );
  return (eventsUpTo(revision, issued).at(-1) ?? issued[0])?.code ?? null;
}

/** The guest record that the booking names. A record with another fingerprint does not count. */
async function guestOf({ facts, guestRecord }: ExistingBooking, store: StreamReader): Promise<GuestDetails> {
  const guest = await stateAt(`${guestCodec.category}-${guestId(guestRecord)}`, null, guestDecider, store);
  return guest.status === 'recorded' && guest.fingerprint === facts.guest ? guest.details : ERASED;
}
