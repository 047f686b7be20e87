import { type BookingFilters, isListed } from '../../../projections/bookings/query.ts';
import type { BookingDocument } from '../../../projections/bookings/read-model.ts';
import type { FilteredPage, Found } from '../../../projections/filtered-page.ts';
import { searchGuests } from '../../../projections/guests/query.ts';
import type { GuestDocument } from '../../../projections/guests/read-model.ts';
import type { GuestSearch } from '../../domain/guest/search.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import type { ListedBooking } from './list-guests.ts';

type SearchRequest = {
  readonly search: GuestSearch;
  readonly filters: BookingFilters;
  readonly limit: number;
  readonly after: Cursor | null;
};

type Context = {
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  readonly collection: (projection: 'guests' | 'bookings') => Promise<string>;
};

/**
 * A page of the bookings whose present guest a search finds and that pass all filters. Those whose guest was recorded last
 * come first. A record that no booking names, or no longer names, is left out.
 */
export async function searchBookings(
  { search, filters, limit, after }: SearchRequest,
  { readModels, collection }: Context,
): Promise<FilteredPage<ListedBooking<BookingDocument>>> {
  const bookings = await collection('bookings');
  return searchGuests<ListedBooking<BookingDocument>>(readModels, await collection('guests'), {
    search,
    async select(records) {
      if (records.length === 0) return [];
      const loaded = await readModels.load(
        bookings,
        records.map(({ doc }) => doc.bookingId),
      );
      return records.map((record) => {
        // Only the projection's fold writes documents to this collection.
        const booking = (loaded.get(record.doc.bookingId)?.doc ?? null) as BookingDocument | null;
        if (booking === null || !isGuestOf(record, booking) || !isListed(booking, filters)) return null;
        return { booking, guest: record.doc };
      });
    },
    limit,
    after,
  });
}

/** Whether the booking names the record. One with another fingerprint does not count, nor one to be erased. */
function isGuestOf({ id, doc }: Found<GuestDocument>, { guest, guestErased }: BookingDocument): boolean {
  return !guestErased && guest.record === id && guest.fingerprint === doc.fingerprint;
}
