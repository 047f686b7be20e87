import { loadGuests } from '../../../projections/guests/query.ts';
import type { BookingSummary } from '../../domain/booking/summary.ts';
import { ERASED, type GuestDetails } from '../../domain/guest/guest.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { Refused } from '../refusal.ts';
import { type ReadContext, readNamedGuest } from './read-booking.ts';

export type ListedBooking<Summary extends BookingSummary = BookingSummary> = {
  readonly booking: Summary;
  readonly guest: GuestDetails;
};

type Listing = ReadContext & {
  readonly readModels: Pick<ReadModelStore, 'load'>;
  readonly collection: (projection: 'guests') => Promise<string>;
};

/**
 * The bookings of a page with their guests, from one read of the read model `guests`. A record that it lacks is read from its
 * stream: the read model may be a moment behind that of the bookings, and some bookings never got a record.
 */
export async function withGuests<Summary extends BookingSummary>(
  bookings: readonly Summary[],
  context: Listing,
): Promise<{ readonly kind: 'listed'; readonly items: readonly ListedBooking<Summary>[] } | Refused> {
  if (bookings.length === 0) return { kind: 'listed', items: [] };
  const named = bookings.filter(({ guestErased }) => !guestErased).map(({ guest }) => guest.record);
  const loaded = await loadGuests(context.readModels, await context.collection('guests'), named);
  const items: ListedBooking<Summary>[] = [];
  const guests = await Promise.all(
    bookings.map(async (booking) => {
      const found = booking.guestErased ? null : loaded.get(booking.guest.record);
      if (found === undefined) return readNamedGuest(booking, context);
      const counts = found !== null && found.fingerprint === booking.guest.fingerprint;
      return { kind: 'guest', details: counts ? found : ERASED } as const;
    }),
  );
  for (const [place, booking] of bookings.entries()) {
    const guest = guests[place];
    if (guest?.kind === 'refused') return guest;
    if (guest !== undefined) items.push({ booking, guest: guest.details });
  }
  return { kind: 'listed', items };
}
