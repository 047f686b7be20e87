import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import { type Fingerprint, type KeyId, type Mode, modeOf } from '../../src/domain/ids.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { BookingDocument } from './read-model.ts';

/** A null filter matches every booking. */
export type BookingsQuery = {
  readonly keyId: KeyId | null;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly status: BookingDocument['status'] | null;
  readonly mode: Mode | null;
  /** Booking dates, both inclusive. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  /** Keyed fingerprint. */
  readonly reference: Fingerprint | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Bookings, newest first. */
export function listBookings(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  query: BookingsQuery,
): Promise<FilteredPage<BookingDocument>> {
  const { keyId, city, activityId, status, mode, from, to, limit, after } = query;
  return filteredPage<BookingDocument, BookingDocument>(readModels, collection, {
    find: { where: indexedOf(query), sort: { field: 'createdAt', direction: 'desc' } },
    matches: (booking): booking is BookingDocument =>
      (keyId === null || booking.keyId === keyId) &&
      (city === null || booking.city === city) &&
      (activityId === null || booking.activityId === activityId) &&
      (status === null || booking.status === status) &&
      (mode === null || modeOf(booking.bookingId) === mode) &&
      (from === null || booking.date >= from) &&
      (to === null || booking.date <= to),
    sortValueOf: ({ createdAt }) => createdAt,
    limit,
    after,
  });
}

/** The filters that one of the projection's indexes serves. */
function indexedOf({ keyId, activityId, status, reference }: BookingsQuery): NonNullable<Find['where']> {
  if (reference !== null) return { reference };
  if (keyId !== null) return status === null ? { keyId } : { keyId, status };
  if (activityId !== null) return { activityId };
  return status === null ? {} : { status };
}
