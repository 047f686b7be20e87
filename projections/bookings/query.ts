import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type ListedPage, thinnedPage } from '../thinned.ts';
import type { BookingDocument } from './read-model.ts';

/** Of what is null, any. */
export type BookingsQuestion = {
  readonly keyId: KeyId | null;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly status: BookingDocument['status'] | null;
  /** Booking dates, both ends in the range. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Bookings, newest first. */
export function listBookings(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  question: BookingsQuestion,
): Promise<ListedPage<BookingDocument>> {
  const { city, activityId, status, from, to, limit, after } = question;
  return thinnedPage<BookingDocument, BookingDocument>(readModels, collection, {
    find: { where: indexedOf(question), sort: { field: 'createdAt', direction: 'desc' } },
    wanted: (booking): booking is BookingDocument =>
      (city === null || booking.city === city) &&
      (activityId === null || booking.activityId === activityId) &&
      (status === null || booking.status === status) &&
      (from === null || booking.date >= from) &&
      (to === null || booking.date <= to),
    placeOf: ({ createdAt }) => createdAt,
    limit,
    after,
  });
}

/** What an index of the projection begins with. */
function indexedOf({ keyId, activityId, status }: BookingsQuestion): NonNullable<Find['where']> {
  if (keyId !== null) return status === null ? { keyId } : { keyId, status };
  if (activityId !== null) return { activityId };
  return status === null ? {} : { status };
}
