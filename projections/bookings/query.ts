import type { ActivityId, LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { addDays, daysBetween } from '../../src/domain/activity/schedule.ts';
import type { BookingStatus } from '../../src/domain/booking/state.ts';
import { type BookingId, type Fingerprint, type KeyId, type Mode, modeOf } from '../../src/domain/ids.ts';
import { type Cursor, type Find, MAX_MERGED, type ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { BookingDocument } from './read-model.ts';

/** A null filter matches every booking. */
export type BookingsQuery = {
  readonly keyId: KeyId | null;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly venueId: VenueId | null;
  /** The beginning of the id. */
  readonly idStart: string | null;
  /** The beginning of the voucher's code; `idStart` is the part of the id in it. */
  readonly codeStart: string | null;
  readonly status: BookingStatus | null;
  readonly mode: Mode | null;
  /** Booking dates, both inclusive. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  /** Keyed fingerprint. */
  readonly reference: Fingerprint | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Statuses of so few bookings that a list of them is filtered by city or activity, and not the other way round. */
const RARE: ReadonlySet<BookingStatus> = new Set(['processing', 'pending', 'rejected']);

/** Comes after each character of an id. */
const AFTER_IDS = '~';

/** Bookings, newest first. */
export function listBookings(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: BookingsQuery,
): Promise<FilteredPage<BookingDocument>> {
  const { limit, after } = query;
  // An id begins with the time of its request.
  const sort = query.idStart === null ? 'createdAt' : 'bookingId';
  return filteredPage<BookingDocument, BookingDocument>(readModels, collection, {
    find: { ...indexedOf(query), sort: { field: sort, direction: 'desc' } },
    matches: (booking): booking is BookingDocument => isListed(booking, query),
    sortValueOf: (booking) => booking[sort],
    limit,
    after,
  });
}

export type BookingFilters = Omit<BookingsQuery, 'limit' | 'after'>;

/** Whether a booking passes every filter. */
export function isListed(booking: BookingDocument, filters: BookingFilters): boolean {
  const { idStart, codeStart, mode, from, to } = filters;
  return (
    EQUAL.every((field) => filters[field] === null || booking[field] === filters[field]) &&
    (idStart === null || booking.bookingId.startsWith(idStart)) &&
    (codeStart === null || booking.voucher?.code.startsWith(codeStart) === true) &&
    (mode === null || modeOf(booking.bookingId) === mode) &&
    (from === null || booking.date >= from) &&
    (to === null || booking.date <= to)
  );
}

/** Filters by the value of the field with the same name. */
const EQUAL = ['keyId', 'city', 'activityId', 'venueId', 'status', 'reference'] as const;

/** A booking that has, or had, a voucher: confirmed, completed or cancelled. */
export type ArrivalDocument = BookingDocument & { readonly voucher: NonNullable<BookingDocument['voucher']> };

/** A venue's bookings of a date and mode that have, or had, a voucher, in the order of booking. */
export function listArrivals(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: Pick<BookingsQuery, 'limit' | 'after'> & {
    readonly venueId: VenueId;
    readonly date: LocalDate;
    readonly mode: Mode;
  },
): Promise<FilteredPage<ArrivalDocument>> {
  const { venueId, date, mode, limit, after } = query;
  return filteredPage<BookingDocument, ArrivalDocument>(readModels, collection, {
    find: { where: { venueId, date }, sort: { field: 'createdAt', direction: 'asc' } },
    matches: (booking): booking is ArrivalDocument => booking.voucher !== null && modeOf(booking.bookingId) === mode,
    sortValueOf: ({ createdAt }) => createdAt,
    limit,
    after,
  });
}

/** The ids of a venue's bookings whose present voucher has this short code: one, but for a chance of 1 in 2^50 each. */
export async function bookingsByShortCode(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { venueId, shortCode }: { readonly venueId: VenueId; readonly shortCode: string },
): Promise<readonly BookingId[]> {
  const { items } = await readModels.find(collection, { where: { venueId, shortCode }, limit: 2 });
  return items.map(({ id }) => id as BookingId);
}

/** The filters that one of the projection's indexes serves. */
function indexedOf(query: BookingsQuery): Pick<Find, 'where' | 'range' | 'merge'> {
  const { keyId, city, activityId, venueId, idStart, status, reference, to } = query;
  if (idStart !== null) return { range: { field: 'bookingId', from: idStart, to: `${idStart}${AFTER_IDS}` } };
  if (reference !== null) return { where: { reference } };
  const dates = fewDatesOf(query);
  if (dates !== null) {
    const owned = keyId === null ? venueId !== null && { venueId } : { keyId };
    return { where: { ...owned, date: dates }, merge: 'date' };
  }
  // A date is never booked after its end, which is at most 12 hours later in UTC.
  const range = to === null ? {} : { range: { field: 'createdAt', to: addDays(to, 2) } };
  if (keyId !== null) return { where: status === null ? { keyId } : { keyId, status }, ...range };
  if (status !== null && RARE.has(status)) return { where: { status }, ...range };
  if (activityId !== null) return { where: { activityId }, ...range };
  if (venueId !== null) return { where: { venueId }, ...range };
  if (city !== null) return { where: { city }, ...range };
  return { where: status === null ? {} : { status }, ...range };
}

/** Every date of the range; null if it has no beginning, no end or too many dates for one query. */
function fewDatesOf({ from, to }: Pick<BookingsQuery, 'from' | 'to'>): readonly LocalDate[] | null {
  if (from === null || to === null) return null;
  const count = daysBetween(from, to) + 1;
  if (count > MAX_MERGED) return null;
  return Array.from({ length: Math.max(count, 0) }, (_, ahead) => addDays(from, ahead));
}
