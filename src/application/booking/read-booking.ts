import { CHANGED_BY_NOBODY, type ChangedBy, evolveChangedBy } from '../../domain/booking/changed-by.ts';
import { type BookingEvent, bookingCodec } from '../../domain/booking/events.ts';
import type { Booking, ExistingBooking } from '../../domain/booking/state.ts';
import type { BookingSummary } from '../../domain/booking/summary.ts';
import { ERASED, type GuestDetails, guestId, UNRECORDED } from '../../domain/guest/guest.ts';
import { type BookingId, type ClaimId, type Fingerprint, type KeyId, parseBookingId } from '../../domain/ids.ts';
import { streamOf } from '../../domain/test-streams.ts';
import type { Recorded } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';

/** A booking and its guest, folded from their streams. */
export type BookingView = {
  readonly kind: 'booking';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  readonly guest: GuestDetails;
  readonly revision: number;
};

export type ReadContext = Pick<BookingContext, 'streams' | 'clock'> & {
  readonly limits: Pick<BookingContext['limits'], 'responseMs'>;
};

/**
 * Reads a booking of the caller's key; `operator`: of any key. Another key's booking is not found, so that its
 * existence does not leak.
 */
export async function readBooking(
  id: string,
  whose: KeyId | 'operator',
  context: ReadContext,
): Promise<BookingView | Refused> {
  const among = whose === 'operator' ? '' : " among this key's bookings";
  const notFound = refused('BOOKING_NOT_FOUND', `booking_id "${id}" does not exist${among}; check the id.`);
  const parsed = parseBookingId(id);
  if (parsed === null) return notFound;
  const view = await viewOf(parsed, context);
  const others = view?.kind === 'booking' && whose !== 'operator' && view.booking.facts.keyId !== whose;
  return view === null || others ? notFound : view;
}

/** A booking of any key, for internal use; null if there is none. */
export async function viewOf(
  id: BookingId,
  { streams, clock, limits }: ReadContext,
): Promise<BookingView | Refused | null> {
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const reply = await streams.bookings.read(id, deadlineMs);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased') return null;
  return viewAt({ id, state: reply.state, revision: reply.revision }, { streams, clock, limits });
}

/** A booking whose state is known, with its guest; null if there is none. Reads only the guest. */
export async function viewAt(
  { id, state: booking, revision }: { readonly id: BookingId; readonly state: Booking; readonly revision: number },
  context: ReadContext,
): Promise<BookingView | Refused | null> {
  if (booking.status === 'none') return null;
  const guest = await readGuest(booking, context);
  return guest.kind === 'refused' ? guest : { kind: 'booking', id, booking, guest: guest.details, revision };
}

/** Reads a guest record that the booking names or named. */
export async function readGuestRecord(
  record: ClaimId,
  { streams, clock, limits }: ReadContext,
): Promise<
  { readonly kind: 'guest'; readonly details: GuestDetails; readonly fingerprint: Fingerprint | null } | Refused
> {
  const reply = await streams.guests.read(guestId(record), clock.nowMs() + limits.responseMs);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased') return { kind: 'guest', details: ERASED, fingerprint: null };
  if (reply.state.status === 'none') return { kind: 'guest', details: UNRECORDED, fingerprint: null };
  return { kind: 'guest', details: reply.state.details, fingerprint: reply.state.fingerprint };
}

/** The present guest of a booking. */
export function readGuest(
  { facts, guestRecord, guestErased }: ExistingBooking,
  context: ReadContext,
): Promise<ReadGuest | Refused> {
  return readNamedGuest({ guest: { record: guestRecord, fingerprint: facts.guest }, guestErased }, context);
}

/** The guest whose record a booking names. A record with another fingerprint does not count, nor one to be erased. */
export async function readNamedGuest(
  { guest: named, guestErased }: Pick<BookingSummary, 'guest' | 'guestErased'>,
  context: ReadContext,
): Promise<ReadGuest | Refused> {
  if (guestErased) return { kind: 'guest', details: ERASED };
  const guest = await readGuestRecord(named.record, context);
  const counts = guest.kind === 'refused' || guest.fingerprint === null || guest.fingerprint === named.fingerprint;
  return counts ? guest : { ...guest, details: ERASED };
}

type ReadGuest = { readonly kind: 'guest'; readonly details: GuestDetails };

/** All events of a booking, oldest first, read from its stream. */
export async function bookingHistory(
  id: BookingId,
  { store }: { readonly store: Pick<DecodedEventStore, 'read'> },
): Promise<readonly Recorded<BookingEvent>[]> {
  const read = await store.read(streamOf(bookingCodec, id));
  // A stream has only events of its own category.
  return read.kind === 'events' ? (read.decoded as readonly Recorded<BookingEvent>[]) : [];
}

/** Who changed a booking. Reads its stream only if somebody did: the causes of the events name operators. */
export async function readChangedBy(
  { id, booking }: Pick<BookingView, 'id' | 'booking'>,
  context: { readonly store: Pick<DecodedEventStore, 'read'> },
): Promise<ChangedBy> {
  const ended = booking.status === 'rejected' || ('cancellation' in booking && booking.cancellation !== null);
  if (!ended && booking.modifications.size === 0) return CHANGED_BY_NOBODY;
  return (await bookingHistory(id, context)).reduce(evolveChangedBy, CHANGED_BY_NOBODY);
}
