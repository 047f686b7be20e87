import { type ArrivalDocument, listArrivals as readArrivals } from '../../../projections/bookings/query.ts';
import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import type { Mode } from '../../domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import { type ListedBooking, withGuests } from '../booking/list-guests.ts';
import type { ReadContext } from '../booking/read-booking.ts';
import type { Refused } from '../refusal.ts';

type ArrivalsRequest = {
  readonly venueId: VenueId;
  readonly date: LocalDate;
  readonly mode: Mode;
  readonly limit: number;
  readonly after: Cursor | null;
};

type Context = ReadContext & {
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  readonly collection: (projection: 'guests' | 'bookings') => Promise<string>;
};

export type Arrival = ListedBooking<ArrivalDocument>;

/** A page of a venue's bookings of a date that have, or had, a voucher, with their guests, in the order of booking. */
export async function listArrivals(
  request: ArrivalsRequest,
  context: Context,
): Promise<{ readonly kind: 'arrivals'; readonly items: readonly Arrival[]; readonly next: Cursor | null } | Refused> {
  const page = await readArrivals(context.readModels, await context.collection('bookings'), request);
  const listed = await withGuests(page.items, context);
  return listed.kind === 'refused' ? listed : { kind: 'arrivals', items: listed.items, next: page.next };
}
