import { Type } from 'typebox';
import { listBookings } from '../../../projections/bookings/query.ts';
import { bookingHistory } from '../../application/booking-history.ts';
import { confirmRequest, eraseGuest, type Operated, rejectRequest } from '../../application/operate-booking.ts';
import { type BookingView, readBooking } from '../../application/read-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import type { ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/cities.ts';
import { CANCELLATION_REASONS, type KeyId } from '../../domain/booking/booking.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { DataOf } from '../declaration.ts';
import { BOOKING_STATUSES } from '../declarations/bookings.ts';
import {
  CONFIRM_REQUESTED,
  ERASE_GUEST,
  LIST_ALL_BOOKINGS,
  OPERATOR_BOOKING_BY_ID,
  OPERATOR_CANCEL,
  REJECT_REQUESTED,
} from '../declarations/operator-bookings.ts';
import { type Answer, endpoint } from '../endpoint.ts';
import { etagOf, ifMatch } from '../etag.ts';
import * as field from '../fields.ts';
import { form, optional, required } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { presentBooking } from '../present-booking.ts';
import { presentHistory } from '../present-history.ts';
import { answerToCancel } from './cancel-booking.ts';

const DEFAULT_LIMIT = 20;
const REJECTION_REASONS = ['venue_unavailable', 'system'] as const;

const listShape = form({
  status: optional(
    Type.Union(BOOKING_STATUSES.map((status) => Type.Literal(status))),
    `one of ${BOOKING_STATUSES.join(', ')}`,
  ),
  from: field.anyDate,
  to: field.anyDate,
  city: field.anyCity,
  activity_id: field.anyActivityId,
  key_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of an API key'),
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
  cursor: field.cursor,
});

/** GET /api/bookings: those of all keys, newest first; `from` and `to` are booking dates, both in the range. */
export function listAllBookings(context: HttpContext) {
  return endpoint(context, LIST_ALL_BOOKINGS, listShape, async ({ fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('bookings', headers, context);
    const page = await listBookings(context.readModels, await context.collection('bookings'), {
      keyId: fields.key_id as KeyId | null,
      city: fields.city === null ? null : findCity(fields.city),
      activityId: fields.activity_id as ActivityId | null,
      status: fields.status,
      from: fields.from as LocalDate | null,
      to: fields.to as LocalDate | null,
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    const views = await Promise.all(page.items.map(({ bookingId }) => readBooking(bookingId, 'operator', context)));
    const items = views.flatMap((view) => (view.kind === 'booking' ? [presentOperated(view, context)] : []));
    return { kind: 'data', data: { items, next_cursor: writeCursor(page.next) } };
  });
}

/** GET /api/bookings/{booking_id} */
export function operatorBookingById(context: HttpContext) {
  return endpoint(context, OPERATOR_BOOKING_BY_ID, byIdShape, async ({ fields, params }) => {
    const view = await readBooking(params['booking_id'] ?? '', 'operator', context);
    if (view.kind === 'refused') return view;
    const data = presentOperated(view, context);
    const headers = { etag: etagOf(view.booking) };
    if (fields.include === null) return { kind: 'data', data, headers };
    const history = presentHistory(await bookingHistory(view.id, context.webhooks), view.booking.facts.keyId);
    return { kind: 'data', data: { ...data, history }, headers };
  });
}

const byIdShape = form({ include: field.include });

/** POST /api/bookings/{booking_id}/confirm */
export function confirmRequested(context: HttpContext) {
  return endpoint(context, CONFIRM_REQUESTED, null, async ({ params, headers, cause }) => {
    const match = ifMatch(headers);
    if (match.kind === 'refused') return match;
    const request = { id: params['booking_id'] ?? '', ifVersion: match.versions };
    return answerOf(await confirmRequest(request, cause, context), context);
  });
}

const rejectShape = form({
  reason: optional(
    Type.Union(
      REJECTION_REASONS.map((reason) => Type.Literal(reason)),
      { default: 'venue_unavailable' },
    ),
    `one of ${REJECTION_REASONS.join(', ')}`,
  ),
});

/** POST /api/bookings/{booking_id}/reject */
export function rejectRequested(context: HttpContext) {
  return endpoint(context, REJECT_REQUESTED, rejectShape, async ({ params, fields, cause }) => {
    const id = params['booking_id'] ?? '';
    return answerOf(await rejectRequest({ id, reason: fields.reason ?? 'venue_unavailable' }, cause, context), context);
  });
}

const cancelShape = form({
  reason: required(
    Type.Union(CANCELLATION_REASONS.map((reason) => Type.Literal(reason))),
    `one of ${CANCELLATION_REASONS.join(', ')}`,
  ),
  dry_run: field.dryRun,
});

/** POST /api/bookings/{booking_id}/cancel */
export function operatorCancel(context: HttpContext) {
  return endpoint(context, OPERATOR_CANCEL, cancelShape, ({ params, fields, headers, cause }) => {
    const id = params['booking_id'] ?? '';
    const { reason, dry_run: dryRun } = fields;
    const asked = { id, asker: 'operator', reason: reason ?? 'system', dryRun: dryRun === true } as const;
    return answerToCancel(asked, headers, cause, context);
  });
}

/** POST /api/bookings/{booking_id}/erase */
export function eraseGuestOf(context: HttpContext) {
  return endpoint(context, ERASE_GUEST, null, async ({ params, cause }) =>
    answerOf(await eraseGuest(params['booking_id'] ?? '', cause, context), context),
  );
}

function answerOf(operated: Operated | Refused, context: HttpContext): Answer<DataOf<typeof CONFIRM_REQUESTED>> {
  if (operated.kind === 'refused') return operated;
  const headers = { etag: etagOf(operated.booking), ...commandHeaders({ position: operated.position }) };
  return { kind: 'data', data: presentOperated(operated, context), headers };
}

function presentOperated(view: BookingView, context: HttpContext) {
  const { facts, guestErased } = view.booking;
  return { ...presentBooking(view, context), city: facts.city, key_id: facts.keyId, guest_erased: guestErased };
}
