import type { Static } from 'typebox';
import { listBookings } from '../../../projections/bookings/query.ts';
import { type BookingView, bookingHistory, readBooking } from '../../application/booking/read-booking.ts';
import { fingerprintOfReference } from '../../application/identifiers.ts';
import type { Refused } from '../../application/refusal.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { dateOf } from '../fields.ts';
import type { listAllQuery } from './operator-schema.ts';
import { presentHistory } from './present-history.ts';
import { type BOOKING_QUERY, DEFAULT_LIMIT } from './schema.ts';

/** A page of bookings, newest first. A booking may have changed since the list was written. */
export async function readPage(
  query: Static<ReturnType<typeof listAllQuery>['schema']>,
  asker: KeyId | 'operator',
  context: HttpContext,
) {
  const page = await listBookings(context.readModels, await context.collection('bookings'), {
    keyId: (query.key_id ?? null) as KeyId | null,
    city: query.city === undefined ? null : findCity(query.city),
    activityId: (query.activity_id ?? null) as ActivityId | null,
    status: query.status ?? null,
    mode: query.mode ?? null,
    from: query.from === undefined ? null : dateOf(query.from),
    to: query.to === undefined ? null : dateOf(query.to),
    reference: query.reference === undefined ? null : fingerprintOfReference(context.digest, query.reference),
    limit: query.limit ?? DEFAULT_LIMIT,
    after: readCursor(query.cursor),
  });
  // Read models contain no personal data: the guest is read from the streams.
  const views = await Promise.all(page.items.map(({ bookingId }) => readBooking(bookingId, asker, context)));
  const found = views.filter((view) => view.kind === 'booking');
  // The read model forgets the reference of an erased guest within moments; this answer does at once.
  const named = query.reference === undefined ? found : found.filter(({ booking }) => !booking.guestErased);
  return { views: named, next: writeCursor(page.next) };
}

/** The history of a booking, if the request asks for it. */
export async function historyIn(
  view: BookingView | Refused,
  { include }: Static<(typeof BOOKING_QUERY)['schema']>,
  { webhooks }: HttpContext,
) {
  if (view.kind === 'refused' || include === undefined) return {};
  return { history: presentHistory(await bookingHistory(view.id, webhooks), view.booking.facts.keyId) };
}
