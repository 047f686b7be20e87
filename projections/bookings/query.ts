import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { BookingDocument } from './read-model.ts';

/** Documents looked at for one page when a range of booking dates thins them out. */
const LOOK_AHEAD = 500;

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

export type BookingsPage = { readonly items: readonly BookingDocument[]; readonly next: Cursor | null };

/** Bookings, newest first. */
export async function listBookings(
  readModels: ReadModelStore,
  collection: string,
  question: BookingsQuestion,
): Promise<BookingsPage> {
  const { keyId, city, activityId, status, from, to, limit } = question;
  const where = {
    ...(keyId === null ? {} : { keyId }),
    ...(city === null ? {} : { city }),
    ...(activityId === null ? {} : { activityId }),
    ...(status === null ? {} : { status }),
  };
  const items: BookingDocument[] = [];
  let after = question.after;
  for (;;) {
    const page = await readModels.find(collection, {
      where,
      sort: { field: 'createdAt', direction: 'desc' },
      limit: from === null && to === null ? limit : LOOK_AHEAD,
      ...(after === null ? {} : { after }),
    });
    for (const [index, { id, doc }] of page.items.entries()) {
      // The documents of this collection are what its projection's fold returned.
      const booking = doc as BookingDocument;
      after = { value: booking.createdAt, id };
      if ((from !== null && booking.date < from) || (to !== null && booking.date > to)) continue;
      if (items.push(booking) < limit) continue;
      return { items, next: page.next === null && index === page.items.length - 1 ? null : after };
    }
    if (page.next === null) return { items, next: null };
  }
}
