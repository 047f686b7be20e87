import type { Static } from 'typebox';
import { listBookings } from '../../../projections/bookings/query.ts';
import { withGuests } from '../../application/booking/list-guests.ts';
import { type BookingView, bookingHistory, readChangedBy } from '../../application/booking/read-booking.ts';
import { searchBookings } from '../../application/booking/search-bookings.ts';
import { fingerprintOfReference } from '../../application/identifiers.ts';
import type { Refused } from '../../application/refusal.ts';
import type { ActivityId, VenueId } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { codeStart } from '../../domain/booking/voucher-code.ts';
import { bookingIdStart, type KeyId } from '../../domain/ids.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { dateOf } from '../fields.ts';
import { RefusedEarly } from '../refused-early.ts';
import { type listAllQuery, searchOf } from './operator-schema.ts';
import { presentHistory } from './present-history.ts';
import { type BOOKING_QUERY, DEFAULT_LIMIT } from './schema.ts';

type ListQuery = Static<ReturnType<typeof listAllQuery>['schema']>;

/** A page of bookings, newest first, from the read models. */
export async function readPage(query: ListQuery, context: HttpContext) {
  const filters = {
    keyId: (query.key_id ?? null) as KeyId | null,
    city: query.city === undefined ? null : findCity(query.city),
    activityId: (query.activity_id ?? null) as ActivityId | null,
    venueId: (query.venue_id ?? null) as VenueId | null,
    ...startsIn(query),
    status: query.status ?? null,
    mode: query.mode ?? null,
    from: query.from === undefined ? null : dateOf(query.from),
    to: query.to === undefined ? null : dateOf(query.to),
    reference: query.reference === undefined ? null : fingerprintOfReference(context.digest, query.reference),
  };
  const part = { limit: query.limit ?? DEFAULT_LIMIT, after: readCursor(query.cursor) };
  const search = query.guest === undefined ? null : searchOf(query.guest);
  if (search !== null) {
    const { items, next } = await searchBookings({ search, filters, ...part }, context);
    return { items, next: writeCursor(next) };
  }
  const page = await listBookings(context.readModels, await context.collection('bookings'), { ...filters, ...part });
  const listed = await withGuests(page.items, context);
  if (listed.kind === 'refused') throw new RefusedEarly(listed);
  return { items: listed.items, next: writeCursor(page.next) };
}

/** A code begins with the id of its booking. */
function startsIn({ booking_id: id, voucher_code: voucher }: Pick<ListQuery, 'booking_id' | 'voucher_code'>) {
  const code = voucher === undefined ? null : codeStart(voucher);
  const idStart = id === undefined ? null : bookingIdStart(id);
  return { idStart: idStart ?? code?.bookingId ?? null, codeStart: code?.code ?? null };
}

/** The history of a booking, if the request asks for it. @param present for agents or for operators */
export async function historyIn(
  view: BookingView | Refused,
  { include }: Static<(typeof BOOKING_QUERY)['schema']>,
  { webhooks }: HttpContext,
  present = presentHistory,
) {
  if (view.kind === 'refused' || include === undefined) return {};
  return { history: present(await bookingHistory(view.id, webhooks), view.booking.facts.keyId) };
}

/** With who changed the booking. */
export async function withChangedBy<View extends Pick<BookingView, 'id' | 'booking'>>(
  view: View | Refused,
  { webhooks }: HttpContext,
): Promise<(View & ChangedBy) | Refused> {
  return 'refusal' in view ? view : { ...view, ...(await readChangedBy(view, webhooks)) };
}
